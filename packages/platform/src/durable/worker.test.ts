import { generateKeyPairSync, sign } from 'node:crypto'
import http2 from 'node:http2'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '../log/log.ts'
import { publicIdentityKey } from './identity-key.ts'
import { serveWorker } from './worker.ts'

test('a worker does not start if an invocation may take longer than the engine waits for it (platformBounds.engineInvocation)', async () => {
  const serving = serveWorker({
    services: [],
    host: '127.0.0.1',
    port: 0,
    identityKeys: [],
    maxInvocationMs: 72 * 3_600_000,
    log: createLog({ level: 'silent' }),
  })
  await expect(serving).rejects.toThrow(
    'A run may take 72 hours, but the engine would end it after 48 hours (inactivity timeout)',
  )
})

test('a token is accepted again for its path only, and no other token with it', async () => {
  const { privateKey } = generateKeyPairSync('ed25519')
  const identityKey = publicIdentityKey(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString())
  const port = await freePort()
  const worker = await serveWorker({
    services: [{ name: 'echo', kind: 'service', handlers: { say: async () => undefined } }],
    host: '127.0.0.1',
    port,
    identityKeys: [identityKey],
    maxInvocationMs: 1000,
    log: createLog({ level: 'silent' }),
  })
  const session = http2.connect(`http://127.0.0.1:${port}`)
  onTestFinished(async () => {
    session.close()
    await worker.close()
  })
  const call = (path: string, token: string | undefined, scheme = 'v1') =>
    new Promise<number | undefined>((resolve, reject) => {
      const request = session.request({
        ':path': path,
        accept: 'application/vnd.restate.endpointmanifest.v3+json',
        'x-restate-signature-scheme': scheme,
        ...(token !== undefined && { 'x-restate-jwt-v1': token }),
      })
      request.on('response', (headers) => resolve(headers[':status']))
      request.on('error', reject)
      request.resume()
      request.end()
    })
  const tokenFor = (aud: string, fromNowS = 60): string => {
    const nowS = Math.floor(Date.now() / 1000)
    const parts = [
      { typ: 'JWT', alg: 'EdDSA', kid: identityKey },
      { aud, iat: nowS - 120, nbf: nowS - 120, exp: nowS + fromNowS },
    ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    return [...parts, sign(null, Buffer.from(parts.join('.')), privateKey).toString('base64url')].join('.')
  }
  const token = tokenFor('/discover')
  const flipped = `${token.slice(0, -10)}${token.at(-10) === 'A' ? 'B' : 'A'}${token.slice(-9)}`
  expect(await call('/discover', token)).toBe(200)
  expect(await call('/discover', token)).toBe(200)
  for (let times = 0; times < 2; times++) {
    expect(await call('/invoke/echo/say', token)).toBe(401)
    expect(await call('/discover', flipped)).toBe(401)
    expect(await call('/discover', undefined)).toBe(401)
    expect(await call('/discover', token, 'v2')).toBe(401)
    expect(await call('/discover', tokenFor('/discover', -60))).toBe(401)
  }
  // This path is answered to everyone, and makes no token known elsewhere.
  expect(await call('/health', flipped)).toBe(200)
  expect(await call('/discover', flipped)).toBe(401)
})

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
