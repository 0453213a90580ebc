import { mkdtempSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '@ars/platform/log/log'
import { fakeClock } from '@ars/testkit/clock'
import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { modelsBounds } from './bounds.ts'
import { priceOf } from './cost.ts'
import { createModels, type ModelService } from './model.service.ts'
import { type Message, ModelFailure, type ModelRequest } from './model.ts'

// The vendors' real protocols, served by fakes on loopback.
const mock = new LLMock({ port: 0, chunkSize: 4 })
const lines: string[] = []
const clock = fakeClock()
const waits: number[] = []
let models: ModelService

const providers = ['openai', 'anthropic', 'google', 'local'] as const
const modelOf = (provider: string): string => `${provider}/some-model`
const usage = { prompt_tokens: 100, completion_tokens: 20, input_tokens: 100, output_tokens: 20 }
const usageOfGoogle = { promptTokenCount: 100, candidatesTokenCount: 20 }
const usageFor = (provider: string) => ({ usage: provider === 'google' ? usageOfGoogle : usage })

// The port is chosen before the server listens, because the file is read first.
const kept = { port: 0 }

beforeAll(async () => {
  await mock.start()
  kept.port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'models-'))
  writeFileSync(join(folder, 'key'), 'key-from-file-1234\n')
  const file = join(folder, 'models.yaml')
  writeFileSync(
    file,
    `
providers:
  openai: { kind: openai, base_url: "${mock.url}/v1", api_key_env: THE_KEY }
  anthropic: { kind: anthropic, base_url: "${mock.url}/v1/", api_key_file: key }
  google: { kind: google, base_url: "${mock.url}/v1beta", api_key_env: THE_KEY }
  local: { kind: openai-compatible, base_url: "${mock.url.replace('127.0.0.1', 'localhost')}/v1" }
  kept: { kind: openai-compatible, base_url: "http://127.0.0.1:${kept.port}/v1" }
  nobody: { kind: openai-compatible, base_url: "http://127.0.0.1:1/v1" }
  nowhere: { kind: openai-compatible, base_url: "http://169.254.169.254/v1" }
models:
  - { model: "openai/*", price_per_million: { input: 1, output: 10 } }
  - { model: "anthropic/*", price_per_million: { input: 1, output: 10 } }
  - { model: "google/*", price_per_million: { input: 1, output: 10 } }
  - { model: local/some-model, price_per_million: { input: 1, output: 10 } }
  - { model: local/free-model, provider_model: another-name }
  - { model: kept/x }
  - { model: nobody/x }
  - { model: nowhere/x }
`,
  )
  models = createModels({
    modelsFile: file,
    environment: { THE_KEY: 'key-from-environment-1234' },
    clock,
    log: createLog({ level: 'debug', write: (line) => lines.push(line) }),
    // A fake clock: time passes without waiting.
    sleep: async (ms, signal) => {
      signal.throwIfAborted()
      waits.push(ms)
      clock.advance(ms)
    },
    random: () => 0.5,
  })
})

afterAll(async () => {
  await models.close()
  await mock.stop()
})

beforeEach(() => {
  mock.reset()
  waits.length = 0
  lines.length = 0
})

const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const requestOf = (provider: string, given: Partial<ModelRequest> = {}) => {
  const heard: string[] = []
  const failedTries: { startedMs: number; code: string; message: string }[] = []
  const backOffs: { untilMs: number; message: string }[] = []
  const request: ModelRequest = {
    model: modelOf(provider),
    messages: [
      { role: 'system', text: 'You are brief.' },
      { role: 'user', text: 'hello there' },
    ],
    tools: [],
    signal: new AbortController().signal,
    onText: (text) => heard.push(text),
    onRestart: () => heard.push('<restart>'),
    onFailedTry: (info) => failedTries.push(info),
    onBackOff: (info) => backOffs.push(info),
    simulation: { input: {}, step: 1, attempt: 1, runId: 'run_1' },
    ...given,
  }
  return { request, heard, backOffs, failedTries }
}

const weather = {
  name: 'get_weather',
  description: 'Tells the weather',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

test.for(providers)('%s: the text arrives in chunks, with tokens and cost', async (provider) => {
  mock.onMessage('hello', { content: 'Good morning to you', ...usageFor(provider) })
  const { request, heard } = requestOf(provider, { temperature: 0.2, maxOutputTokens: 50 })
  const reply = await models.call(request)
  expect(reply).toMatchObject({
    text: 'Good morning to you',
    toolCalls: [],
    finish: 'stop',
    usage: { inputTokens: 100, outputTokens: 20 },
  })
  expect(reply.costUsd).toBe(0.0003)
  expect(heard.length).toBeGreaterThan(2)
  expect(heard.join('')).toBe('Good morning to you')
  expect(mock.getLastRequest()?.body).toMatchObject({ model: 'some-model' })
  expect(JSON.stringify(mock.getLastRequest()?.body)).toMatch(/You are brief/)
})

test.for(providers)('%s: a tool is called, and its result leads to the answer', async (provider) => {
  mock.on(
    { userMessage: 'hello', hasToolResult: false },
    { toolCalls: [{ name: 'get_weather', arguments: '{"city":"Ghent"}', id: 'call_abc' }] },
  )
  mock.on({ userMessage: 'hello', hasToolResult: true }, { content: 'It rains in Ghent' })
  const first = requestOf(provider, { tools: [weather] })
  const asked = await models.call(first.request)
  expect(asked).toMatchObject({
    finish: 'tool_calls',
    toolCalls: [{ name: 'get_weather', arguments: { city: 'Ghent' } }],
  })
  const [call] = asked.toolCalls
  const messages: Message[] = [
    ...first.request.messages,
    // As it is after a round trip through the database.
    JSON.parse(JSON.stringify({ role: 'assistant', text: asked.text, toolCalls: asked.toolCalls, parts: asked.parts })),
    {
      role: 'tool',
      results: [{ callId: call?.id ?? '', name: 'get_weather', result: { rain: true }, isError: false }],
    },
  ]
  const answer = await models.call(requestOf(provider, { messages, tools: [weather] }).request)
  expect(answer.text).toBe('It rains in Ghent')
  expect(JSON.stringify(mock.getLastRequest()?.body)).toMatch(/rain\W+true/)
})

test.for(providers)('%s: a JSON Schema is sent as the response format', async (provider) => {
  mock.onMessage('hello', { content: '{"mood":"fine"}' })
  const outputSchema = {
    type: 'object',
    properties: { mood: { type: 'string' } },
    required: ['mood'],
    additionalProperties: false,
  }
  const { request, heard } = requestOf(provider, { outputSchema })
  const reply = await models.call(request)
  expect(JSON.parse(reply.text)).toEqual({ mood: 'fine' })
  expect(heard.join('')).toBe(reply.text)
})

test('the signed reasoning of a model is sent back to its provider unchanged', async () => {
  mock.on(
    { userMessage: 'hello', hasToolResult: false },
    {
      toolCalls: [{ name: 'get_weather', arguments: '{"city":"Ghent"}', id: 'call_abc' }],
      reasoning: 'I should look.',
      reasoningSignature: 'signed-by-the-vendor',
    },
  )
  mock.on({ userMessage: 'hello', hasToolResult: true }, { content: 'It rains' })
  const { request, heard } = requestOf('anthropic', { tools: [weather] })
  const { text, toolCalls, parts } = await models.call(request)
  expect(heard).toEqual([])
  const messages: Message[] = [
    ...request.messages,
    { role: 'assistant', text, toolCalls, parts: JSON.parse(JSON.stringify(parts)) },
    { role: 'tool', results: [{ callId: 'call_abc', name: 'get_weather', result: 'rain', isError: false }] },
  ]
  await models.call(requestOf('anthropic', { messages, tools: [weather] }).request)
  expect(JSON.stringify(parts)).toMatch(/signed-by-the-vendor/)
  expect(lines.join('')).not.toMatch(/unsupported reasoning/)
})

test('a self-hosted server receives the schema and is asked for token counts', async () => {
  mock.onMessage('hello', { content: '{"mood":"fine"}', usage })
  const outputSchema = { type: 'object', properties: { mood: { type: 'string' } } }
  const reply = await models.call(requestOf('local', { model: 'local/free-model', outputSchema }).request)
  expect(mock.getLastRequest()?.body).toMatchObject({
    model: 'another-name',
    stream: true,
    stream_options: { include_usage: true },
    response_format: { type: 'json_schema', json_schema: { schema: outputSchema } },
  })
  expect(reply).toMatchObject({ usage: { inputTokens: 100, outputTokens: 20 }, costUsd: null })
})

test.for(providers)('%s: after a 429 the call waits as long as the provider asks', async (provider) => {
  mock.on({ userMessage: 'hello', sequenceIndex: 0 }, { error: { message: 'slow down' }, status: 429, retryAfter: 7 })
  mock.on({ userMessage: 'hello', sequenceIndex: 1 }, { content: 'now' })
  const startMs = clock.now().getTime()
  const { request, heard, backOffs, failedTries } = requestOf(provider)
  expect((await models.call(request)).text).toBe('now')
  expect(waits).toEqual([7500])
  expect(backOffs).toEqual([
    { untilMs: startMs + 7500, message: `The model provider ${provider} answered 429: too many requests` },
  ])
  expect(failedTries).toEqual([{ startedMs: expect.any(Number), code: 'model_error', message: backOffs[0]?.message }])
  expect(heard).not.toContain('<restart>')
})

test.for(providers)(
  '%s: a persistent error ends with a message after a bounded number of attempts',
  async (provider) => {
    mock.onMessage('hello', { error: { message: 'boom' }, status: 500 })
    const failure = await models.call(requestOf(provider).request).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ModelFailure)
    expect(failure).toMatchObject({
      message: `The model provider ${provider} answered 500: it cannot answer just now (tried 5 times)`,
      retryable: true,
      usage: { inputTokens: 0, outputTokens: 0 },
    })
    expect(mock.getRequests()).toHaveLength(modelsBounds.tries.count)
    expect(waits).toEqual([500, 1000, 2000, 4000])
  },
)

test.for(providers)('%s: an interrupted response is restarted, and its partial text is withdrawn', async (provider) => {
  mock.on(
    { userMessage: 'hello', sequenceIndex: 0 },
    { content: 'Good morning to you and to all of yours' },
    { truncateAfterChunks: 8, latency: 5 },
  )
  mock.on({ userMessage: 'hello', sequenceIndex: 1 }, { content: 'Good evening' })
  const { request, heard } = requestOf(provider)
  const reply = await models.call(request)
  expect(reply.text).toBe('Good evening')
  expect(heard.filter((text) => text === '<restart>')).toHaveLength(1)
  expect(heard.indexOf('<restart>')).toBeGreaterThan(0)
  expect(heard.slice(heard.indexOf('<restart>') + 1).join('')).toBe('Good evening')
})

test.for(providers)('%s: a rejected key is reported at once, and the key appears nowhere', async (provider) => {
  mock.onMessage('hello', {
    error: { message: 'Incorrect key key-from-environment-1234 key-from-file-1234', type: 'authentication_error' },
    status: 401,
  })
  const failure = await models.call(requestOf(provider).request).catch((error: unknown) => error)
  expect(failure).toMatchObject({
    message: `The model provider ${provider} answered 401: the key is not accepted`,
    retryable: false,
  })
  expect(mock.getRequests()).toHaveLength(1)
  expect(lines.join('')).not.toMatch(/from-(environment|file)-1234/)
})

// The other two send arguments as objects, which their fake repairs.
test.for(['openai', 'local'])('%s: an unreadable tool call is returned to the model', async (provider) => {
  mock.on(
    { userMessage: 'hello', sequenceIndex: 0 },
    { toolCalls: [{ name: 'get_weather', arguments: '{"city": "Gh' }], ...usageFor(provider) },
  )
  mock.on(
    { userMessage: 'cannot be read', sequenceIndex: 0 },
    { toolCalls: [{ name: 'get_weather', arguments: '{"city":"Ghent"}' }], ...usageFor(provider) },
  )
  const reply = await models.call(requestOf(provider, { tools: [weather] }).request)
  expect(reply.toolCalls).toMatchObject([{ name: 'get_weather', arguments: { city: 'Ghent' } }])
  // Both responses were billed.
  expect(reply.usage).toMatchObject({ inputTokens: 200, outputTokens: 40 })
})

test('a model that never makes a valid tool call fails with a message and its usage (modelsBounds.brokenToolCalls)', async () => {
  const wrong = { toolCalls: [{ name: 'no_such_tool', arguments: '{}' }], usage }
  mock.onMessage(/./, wrong)
  const failure = await models.call(requestOf('local', { tools: [weather] }).request).catch((error: unknown) => error)
  expect(failure).toMatchObject({
    message: 'local/some-model called the tool no_such_tool in a way that cannot be read',
    usage: { inputTokens: 300, outputTokens: 60 },
    costUsd: 0.0009,
  })
})

test('a request on a keep-alive connection that the server closed is retried at once', async () => {
  const answer = [
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'hi' } }] })}\n\n`,
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`,
  ].join('')
  let isKept = false
  // The server answers the first request of a connection and closes it on the second.
  const server = createServer((socket) => {
    let requests = 0
    socket.on('error', () => undefined)
    socket.on('data', (data) => {
      if (!String(data).startsWith('POST')) return
      requests++
      if (requests === 2) {
        isKept = true
        return socket.destroy()
      }
      const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nkeep-alive: timeout=5'
      socket.write(`${head}\r\ncontent-length: ${answer.length}\r\n\r\n${answer}`)
    })
  })
  await new Promise<void>((resolve) => server.listen(kept.port, '127.0.0.1', resolve))
  const { request } = requestOf('kept', { model: 'kept/x' })
  for (let round = 0; round < 3; round++) expect((await models.call(request)).text).toBe('hi')
  expect({ isKept, waits }).toEqual({ isKept: true, waits: [] })
  server.close()
})

test('an unreachable provider is retried and then reported', async () => {
  const failure = await models.call(requestOf('nobody', { model: 'nobody/x' }).request).catch((error: unknown) => error)
  expect(failure).toMatchObject({
    message: 'The model provider nobody cannot be reached: nobody accepts the connection (tried 5 times)',
    retryable: true,
  })
  expect(waits).toHaveLength(4)
})

test('the cloud metadata address is refused as a provider, even if the operator configures it', async () => {
  const failure = await models
    .call(requestOf('nowhere', { model: 'nowhere/x' }).request)
    .catch((error: unknown) => error)
  expect(failure).toMatchObject({
    message: 'The model provider nowhere has no address that this service may call',
    retryable: false,
  })
  expect(waits).toEqual([])
})

test('a model that the operator does not list does not exist', async () => {
  expect(models.find('local/other-model')).toBeNull()
  expect(models.find('nothing/at-all')).toBeNull()
  expect(models.find('openai/whatever')).toEqual({
    model: 'openai/whatever',
    price: priceOf({ input: 1, output: 10 }),
  })
  expect(models.find('local/free-model')).toEqual({ model: 'local/free-model', price: null })
  await expect(models.call(requestOf('local', { model: 'local/other-model' }).request)).rejects.toThrow(
    'There is no model local/other-model',
  )
})
