import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer, get } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { keepCertificate } from './certificate.ts'

const dir = mkdtempSync(join(tmpdir(), 'ars-certificate-'))
afterAll(() => rmSync(dir, { recursive: true }))

test('a client that trusts the file reaches localhost by name and by address, and another does not', async () => {
  const { certFile, keyFile } = keepCertificate(dir)
  const cert = readFileSync(certFile)
  const server = createServer({ cert, key: readFileSync(keyFile) }, (_, response) => response.end('hello'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const call = (hostname: string, ca?: Buffer) =>
    new Promise<number | undefined>((resolve, reject) => {
      const request = get({ hostname, port, agent: false, family: 4, ...(ca && { ca }) }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      request.once('error', reject)
    })
  expect(await call('localhost', cert)).toBe(200)
  expect(await call('127.0.0.1', cert)).toBe(200)
  await expect(call('localhost')).rejects.toThrow('self-signed')
  server.close()
})

test('the certificate is kept, and its key is for its owner alone', () => {
  const { certFile, keyFile } = keepCertificate(dir)
  const before = readFileSync(certFile, 'utf8')
  keepCertificate(dir)
  expect(readFileSync(certFile, 'utf8')).toBe(before)
  expect(statSync(keyFile).mode & 0o777).toBe(0o600)
})
