import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type OtlpReceiver, startOtlpReceiver } from '@ars/testkit/otlp-receiver'
import { testEngine, testRedisUrl } from '@ars/testkit/stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from './app.ts'
import { openRecordingLink, type RecordingLink } from './recording-link.ts'
import { columnsWith } from './text-places/scan.ts'

// The operator's keys and those of the organisation hold one word, which nothing else holds.
const marker = `quetzalcoatl${randomBytes(6).toString('hex')}`
const operatorsKey = `operators.${marker}.key`
// A quotation mark and a backslash have another form in JSON.
const ownKey = `own."\\${marker}.of-the-organisation`
const vendors = { openai: 'OPENAI_API_KEY', anthropic: 'ANTHROPIC_API_KEY', google: 'GEMINI_API_KEY' } as const
const providers = Object.keys(vendors) as (keyof typeof vendors)[]

let app: App
let vendor: Server
let collector: OtlpReceiver
let folder: string
const links: Record<'redis' | 'ingress' | 'worker', RecordingLink> = {} as never
const received = new Set<string>()

/** What a vendor answers that quotes the key wherever it can. No answer is one that is tried again. */
const answers: Readonly<Record<string, (response: ServerResponse, key: string) => void>> = {
  'refused-401': (response, key) => refuse(response, 401, key),
  'refused-400': (response, key) => refuse(response, 400, key),
  'refused-429': (response, key) => refuse(response, 429, key),
  'broken-off': (response, key) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-echo': key })
    const error = { type: 'invalid_request_error', message: `The key ${key} is not valid` }
    response.end(`event: error\ndata: ${JSON.stringify({ type: 'error', error, message: error.message })}\n\n`)
  },
  redirected: (response, key) => {
    response.writeHead(307, { location: `https://elsewhere.invalid/?key=${encodeURIComponent(key)}` }).end(key)
  },
}

const refuse = (response: ServerResponse, status: number, key: string): void => {
  response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '3600', 'x-echo': key })
  response.end(JSON.stringify({ error: { message: `Not with ${key}, and not with Bearer ${key}`, code: key } }))
}

beforeAll(async () => {
  collector = await startOtlpReceiver()
  vendor = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { authorization = '', 'x-api-key': ofAnthropic, 'x-goog-api-key': ofGoogle } = request.headers
    const key = String(ofAnthropic ?? ofGoogle ?? authorization.replace('Bearer ', ''))
    received.add(key)
    const model = `${request.url} ${body.slice(0, 500)}`
    const [, answer] = Object.entries(answers).find(([name]) => model.includes(name)) ?? []
    if (answer) answer(response, key)
    else response.writeHead(404).end()
  })
  vendor.listen(0, '127.0.0.1')
  await once(vendor, 'listening')
  const address = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}/v1`
  folder = mkdtempSync(join(tmpdir(), 'leaks-'))
  const file = join(folder, 'models.yaml')
  const lines = providers.map(
    (name) => `  ${name}: { kind: ${name}, base_url: "${address}", api_key_env: ${vendors[name]} }`,
  )
  const models = providers.map((name) => `  - { model: "${name}/*" }`)
  writeFileSync(file, ['providers:', ...lines, 'models:', ...models, ''].join('\n'))
  const redis = new URL(testRedisUrl())
  links.redis = await openRecordingLink(Number(redis.port))
  redis.port = String(links.redis.port)
  const ingress = new URL(testEngine().ingressUrl)
  links.ingress = await openRecordingLink(Number(ingress.port))
  ingress.port = String(links.ingress.port)
  app = await startApp({
    role: 'gateway',
    env: {
      ...Object.fromEntries(Object.values(vendors).map((variable) => [variable, operatorsKey])),
      ARS_MODELS_FILE: file,
      ARS_KEKS: `test:${randomBytes(32).toString('base64')}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      ARS_REDIS_URL: redis.href,
      ARS_ENGINE_INGRESS_URL: ingress.origin,
    },
  })
  links.worker = await openRecordingLink(Number(app.env.ARS_WORKER_PORT))
  await app.join('worker', { ARS_WORKER_URL: `http://127.0.0.1:${links.worker.port}` })
})
afterAll(async () => {
  await app.stop()
  for (const link of Object.values(links)) await link.close()
  vendor.closeAllConnections()
  vendor.close()
  await collector.close()
  rmSync(folder, { recursive: true })
})

const shown: string[] = []
const call = async (method: string, path: string, body?: object) => {
  const reply = await app.call(method, `/v2${path}`, { ...(body && { body }) })
  shown.push(`${method} ${path} ${reply.text} ${JSON.stringify(reply.headers)}`)
  return reply
}

/** Calls each provider with each answer, and reads all that is known of the runs. */
const callVendors = async (): Promise<string[]> => {
  const models = providers.flatMap((provider) => Object.keys(answers).map((answer) => `${provider}/${answer}`))
  return Promise.all(
    models.map(async (model) => {
      const agent_id = await app.addAgent({ config: { model } })
      const { body: run } = await call('POST', '/runs', { agent_id, input: { query: 'hi' } })
      for (const view of ['', '/events']) await call('GET', `/runs/${run.id}${view}`)
      expect(run.error, model).toMatchObject({ code: 'model_error' })
      return run.error.message
    }),
  )
}

test('the key of a vendor reaches the vendor, and no response, log, trace, table, Redis or engine, whatever the vendor answers', async () => {
  const [first] = await callVendors()
  expect(first).toBe('The model provider openai answered 401: the key is not accepted')
  for (const provider of providers) {
    expect((await call('POST', '/provider-keys', { provider, key: `two words ${marker}` })).status).toBe(400)
    expect((await call('POST', '/provider-keys', { provider, key: [ownKey] })).status).toBe(400)
    expect((await call('POST', '/provider-keys', { provider, key: ownKey, [marker.slice(0, 5)]: 1 })).status).toBe(400)
    expect((await call('POST', '/provider-keys', { provider, key: ownKey })).status).toBe(200)
  }
  const messages = await callVendors()
  expect(messages.filter((message) => message.includes('…')).length).toBeGreaterThanOrEqual(providers.length)
  for (const list of ['provider-keys', 'models', 'audit-log', 'events']) await call('GET', `/${list}?limit=100`)
  for (const provider of providers) expect((await call('DELETE', `/provider-keys/${provider}`)).status).toBe(200)

  expect([...received].toSorted()).toEqual([operatorsKey, ownKey])
  await expect.poll(() => collector.spans().length, { timeout: 30_000 }).toBeGreaterThan(2 * messages.length)
  const places = {
    responses: shown.join('\n'),
    logs: app.logLines.join('\n'),
    traces: collector.bodies().join('\n'),
    redis: links.redis.recorded(),
    'calls of the engine': links.ingress.recorded(),
    'calls of the worker by the engine': links.worker.recorded(),
  }
  for (const [place, text] of Object.entries(places)) {
    expect(text.length, place).toBeGreaterThan(1_000)
    expect(text.includes(marker), `${place}: ${around(text)}`).toBe(false)
  }
  expect(await columnsWith(app, app.tenant, marker)).toEqual([])
})

const around = (text: string): string => {
  const at = text.indexOf(marker)
  return at < 0 ? '' : text.slice(Math.max(0, at - 200), at + 100)
}
