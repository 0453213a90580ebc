import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls'
import { type Certificate, makeCertificate } from '@ars/platform/egress/test/certificate'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp, until } from './app.ts'

let app: App
const folder = mkdtempSync(join(tmpdir(), 'tls-'))
const inUse = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
const [first, second] = [makeCertificate(['localhost']), makeCertificate(['localhost'])]
const install = ({ cert, key }: Certificate): void => {
  writeFileSync(inUse.certFile, cert)
  writeFileSync(inUse.keyFile, key)
}
beforeAll(async () => {
  install(first)
  const env = { ARS_TLS_CERT_FILE: inUse.certFile, ARS_TLS_KEY_FILE: inUse.keyFile }
  app = await startApp({ role: 'gateway', env })
})
afterAll(async () => {
  await app.stop()
  rmSync(folder, { recursive: true })
})

const handshake = (options: object = {}): Promise<{ socket: TLSSocket; peer: PeerCertificate }> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: app.port, rejectUnauthorized: false, ...options }, () =>
      resolve({ socket, peer: socket.getPeerCertificate() }),
    )
    socket.once('error', reject)
  })

const fingerprint = async (): Promise<string> => {
  const { socket, peer } = await handshake()
  socket.destroy()
  return peer.fingerprint256
}

test.for([
  'ECDHE-ECDSA-AES128-SHA',
  'ECDHE-ECDSA-AES256-SHA384',
  'AES128-SHA',
  'AES256-GCM-SHA384',
  'DHE-RSA-AES128-GCM-SHA256',
])('a suite without forward secrecy or without authenticated encryption is refused: %s', async (ciphers) => {
  await expect(handshake({ maxVersion: 'TLSv1.2', ciphers })).rejects.toThrow(/handshake failure|alert/)
})

test('common clients connect, with TLS 1.2 and TLS 1.3', async () => {
  for (const [version, ciphers] of [
    ['TLSv1.2', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
    ['TLSv1.2', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
    ['TLSv1.3', undefined],
  ]) {
    const { socket } = await handshake({ minVersion: version, maxVersion: version, ...(ciphers && { ciphers }) })
    expect(socket.getProtocol()).toBe(version)
    socket.destroy()
  }
  await expect(handshake({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1' })).rejects.toThrow()
})

test('a renewed certificate is used without a restart, and a broken one is not', { timeout: 60_000 }, async () => {
  const before = await fingerprint()
  const open = await handshake()
  // The key of another certificate, and then no certificate at all.
  writeFileSync(inUse.keyFile, second.key)
  process.emit('SIGHUP')
  writeFileSync(inUse.certFile, 'not a certificate')
  process.emit('SIGHUP')
  expect(await fingerprint()).toBe(before)
  const complaints = app.logLines.filter((line) => line.includes('the old one stays in use'))
  expect(complaints).toHaveLength(2)
  expect(complaints.join('')).not.toContain(second.key.split('\n')[1])
  install(second)
  // Without a signal: the files are watched.
  const after = await until('the new certificate', async () => {
    const found = await fingerprint()
    return found !== before && found
  })
  expect(after).not.toBe(before)
  expect(open.socket.destroyed).toBe(false)
  open.socket.destroy()
  await expect(handshake({ maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' })).rejects.toThrow()
})

test('no call fails while the certificate is replaced', async () => {
  const ca = [first.cert, second.cert]
  const call = () =>
    new Promise<number | undefined>((resolve, reject) => {
      get({ host: 'localhost', port: app.port, path: '/livez', ca, agent: false }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode))
      }).once('error', reject)
    })
  const statuses: (number | undefined)[] = []
  let isReplacing = true
  const caller = (async () => {
    while (isReplacing) statuses.push(await call())
  })()
  for (const next of [first, second, first]) {
    const before = await fingerprint()
    install(next)
    process.emit('SIGHUP')
    await until('the next certificate', async () => (await fingerprint()) !== before)
  }
  isReplacing = false
  await caller
  expect(new Set(statuses)).toEqual(new Set([200]))
})
