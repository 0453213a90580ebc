import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Http2Server, connect as http2Connect } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reserveFreeBlock } from '@ars/tools/dev/parts/ports'
import { type RestatePart, restate } from '@ars/tools/dev/parts/restate'
import * as sdk from '@restatedev/restate-sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'

const dir = mkdtempSync(join(tmpdir(), 'ars-restate-'))
let block: Awaited<ReturnType<typeof reserveFreeBlock>>
let part: RestatePart
let worker: Http2Server
let workerUrl: string

beforeAll(async () => {
  block = await reserveFreeBlock()
  part = restate({ dir, ingressPort: block.base, adminPort: block.base + 1, nodePort: block.base + 2 })
  await part.start()
  const echo = sdk.service({
    name: 'Echo',
    handlers: { echo: async (_: sdk.Context, word: string) => `heard ${word}` },
  })
  worker = createServer(
    sdk.createEndpointHandler({ services: [echo], identityKeys: [part.identityKey], logger: () => undefined }),
  )
  await new Promise<void>((resolve) => worker.listen(0, '127.0.0.1', resolve))
  workerUrl = `http://127.0.0.1:${(worker.address() as AddressInfo).port}`
  await register()
})
afterAll(async () => {
  await part.stop()
  worker.close()
  rmSync(dir, { recursive: true })
  await block.release()
})

const post = (url: string, body: unknown) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

const register = async (): Promise<void> => {
  const response = await post(`${part.adminUrl}/deployments`, { uri: workerUrl })
  if (!response.ok) throw new Error(await response.text())
}

const call = async (word: string): Promise<unknown> => {
  const response = await post(`${part.ingressUrl}/Echo/echo`, word)
  return response.ok ? response.json() : response.status
}

const statusOfUnsigned = (path: string): Promise<number | undefined> => {
  const session = http2Connect(workerUrl)
  return new Promise<number | undefined>((resolve, reject) => {
    const accept = 'application/vnd.restate.endpointmanifest.v3+json'
    session
      .request({ ':path': path, accept })
      .once('response', (headers) => resolve(headers[':status']))
      .once('error', reject)
  }).finally(() => session.close())
}

test('a worker that knows the identity key serves the engine and refuses everybody else', async () => {
  expect(await call('hello')).toBe('heard hello')
  expect(await statusOfUnsigned('/discover')).toBe(401)
  expect(await statusOfUnsigned('/invoke/Echo/echo')).toBe(401)
})

test('after a SIGKILL the engine still knows its worker; after the loss of its disk it does not, but its key is the same', async () => {
  await part.kill()
  await part.start()
  expect(await call('again')).toBe('heard again')

  await part.wipe()
  await part.start()
  expect(await call('who?')).toBe(404)
  await register()
  expect(await call('anew')).toBe('heard anew')
})
