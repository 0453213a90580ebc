import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@ars/platform/clock'
import { createLog } from '@ars/platform/log/log'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createModels, type ModelService } from './model.service.ts'
import type { ModelRequest } from './model.ts'
import { requestFor } from './model-request.fixture.ts'

// A provider that begins a response, never ends it, and records when its connection closes.
const kinds = ['openai', 'anthropic', 'google', 'openai-compatible'] as const
let models: ModelService
let headers: IncomingHttpHeaders = {}
let begun = Promise.withResolvers<ServerResponse>()
let closed = Promise.withResolvers<void>()
const server = createServer((request, response) => {
  request.resume()
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(': thinking\n\n')
  response.on('close', () => closed.resolve())
  headers = request.headers
  begun.resolve(response)
})

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const file = join(mkdtempSync(join(tmpdir(), 'models-')), 'models.yaml')
  const provider = (kind: string) =>
    `  ${kind}: { kind: ${kind}, base_url: "http://127.0.0.1:${port}/v1", api_key_env: KEY }`
  const model = (kind: string) => `  - { model: "${kind}/*" }`
  writeFileSync(file, ['providers:', ...kinds.map(provider), 'models:', ...kinds.map(model)].join('\n'))
  models = createModels({
    modelsFile: file,
    environment: { KEY: 'a-key' },
    clock: systemClock,
    log: createLog({ level: 'silent' }),
  })
})

afterAll(async () => {
  await models.close()
  server.closeAllConnections()
  server.close()
})

const requestOf = (
  kind: string,
  signal: AbortSignal,
  onText: (text: string) => void = () => undefined,
): ModelRequest => ({
  ...requestFor(`${kind}/some-model`),
  signal,
  onText,
})

const keyHeaders = {
  openai: 'authorization',
  anthropic: 'x-api-key',
  google: 'x-goog-api-key',
  'openai-compatible': 'authorization',
} as const

const restart = (): void => {
  begun = Promise.withResolvers()
  closed = Promise.withResolvers()
}

test.for(kinds)(
  '%s: the key is sent, and a cancelled call closes the connection at once',
  { timeout: 10_000 },
  async (kind) => {
    restart()
    const controller = new AbortController()
    const call = models.call(requestOf(kind, controller.signal)).catch((error: unknown) => error)
    await begun.promise
    const reason = new Error('The run was cancelled')
    controller.abort(reason)
    expect(await call).toBe(reason)
    // The fake provider never ends its stream, so without the abort the connection would stay open for ever.
    await closed.promise
    expect(headers[keyHeaders[kind]]).toMatch(/^(Bearer )?a-key$/)
  },
)

test('no text arrives after the cancellation, and earlier text is kept', async () => {
  restart()
  const controller = new AbortController()
  const heard: string[] = []
  const first = Promise.withResolvers<void>()
  const onText = (text: string): void => {
    heard.push(text)
    first.resolve()
  }
  const call = models.call(requestOf('openai-compatible', controller.signal, onText)).catch((error: unknown) => error)
  const response = await begun.promise
  const say = (content: string): boolean =>
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`)
  say('one')
  await first.promise
  controller.abort(new Error('cancelled'))
  say('two')
  await call
  await closed.promise
  expect(heard).toEqual(['one'])
})

test('a call whose run is cancelled before it begins is not sent', async () => {
  restart()
  const reason = new Error('too late')
  await expect(models.call(requestOf('openai', AbortSignal.abort(reason)))).rejects.toBe(reason)
  const isBegun = await Promise.race([begun.promise.then(() => true), new Promise((done) => setImmediate(done, false))])
  expect(isBegun).toBe(false)
})
