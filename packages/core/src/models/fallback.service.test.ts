import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '@ars/platform/log/log'
import { fakeClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { coolDownMs } from './cool-down.service.ts'
import { createModels, type ModelService } from './model.service.ts'
import type { Message, ModelRequest } from './model.ts'
import { requestFor } from './model-request.fixture.ts'
import { chat, cut, refuse, startVendor, stream } from './vendor.fixture.ts'

const clock = fakeClock()
const fallbacks: { from: string; to: string }[] = []
const waits: number[] = []
let vendor: Awaited<ReturnType<typeof startVendor>>
let file: string
let models: ModelService

beforeAll(async () => {
  vendor = await startVendor()
  file = join(mkdtempSync(join(tmpdir(), 'models-')), 'models.yaml')
  writeFileSync(
    file,
    `
providers:
  v: { kind: openai-compatible, base_url: "${vendor.url}/v1" }
  openai: { kind: openai-compatible, base_url: "${vendor.url}/v1" }
  nobody: { kind: openai-compatible, base_url: "http://127.0.0.1:1/v1" }
models:
  - { model: "openai/*" }
  - { model: v/a, price_per_million: { input: 1, output: 1 } }
  - { model: "v/*", price_per_million: { input: 10, output: 10 } }
  - { model: v/free }
  - { model: nobody/x }
`,
  )
})

afterAll(() => vendor.stop())

// Models that could not answer are remembered, so each test has its own process.
beforeEach(async () => {
  await models?.close()
  vendor.forget()
  fallbacks.length = 0
  waits.length = 0
  models = createModels({
    modelsFile: file,
    environment: {},
    clock,
    log: createLog({ level: 'silent' }),
    onFallback: (pair) => fallbacks.push(pair),
    sleep: async (ms) => {
      waits.push(ms)
      clock.advance(ms)
    },
    random: () => 0.5,
  })
})

const ask = async (list: readonly string[], given: Partial<ModelRequest> = {}) => {
  const [model = '', ...fallbackModels] = list
  const heard: string[] = []
  const called: string[] = []
  const failedTries: string[] = []
  const request: ModelRequest = {
    ...requestFor(model),
    fallbackModels,
    onModel: (each) => called.push(each),
    onText: (text) => heard.push(text),
    onRestart: () => heard.push('<restart>'),
    onFailedTry: ({ message }) => failedTries.push(message),
    ...given,
  }
  const outcome = await models.call(request).catch((error: unknown) => error as Error & { isUnavailable?: boolean })
  return { outcome, heard, called, failedTries }
}

test.for([429, 500, 503, 529])('after %s a model is tried once more, then the next one answers', async (status) => {
  vendor.reply('a', refuse(status))
  vendor.reply('b', stream(chat('Hello from b')))
  const { outcome, heard, called, failedTries } = await ask(['v/a', 'v/b'])
  // The price is that of the model that answered.
  expect(outcome).toMatchObject({ text: 'Hello from b', usage: { inputTokens: 10, outputTokens: 2 }, costUsd: 0.00012 })
  expect(heard).toEqual(['Hello from b'])
  expect(vendor.asked).toEqual(['a', 'a', 'b'])
  expect(called).toEqual(['v/a', 'v/b'])
  expect(failedTries).toHaveLength(2)
  expect(waits).toEqual([500])
  expect(fallbacks).toEqual([{ from: 'v/a', to: 'v/*' }])
})

test('a model that nobody serves is unreachable, and the next one answers', async () => {
  vendor.reply('b', stream(chat('Hello')))
  const { outcome, called } = await ask(['nobody/x', 'v/b'])
  expect(outcome).toMatchObject({ text: 'Hello', costUsd: 0.00012 })
  expect(called).toEqual(['nobody/x', 'v/b'])
})

test('a connection that closes before any text leads to the next model', async () => {
  vendor.reply('a', cut([{ id: 'c1', choices: [{ index: 0, delta: { role: 'assistant' } }] }]))
  vendor.reply('b', stream(chat('Hello')))
  expect((await ask(['v/a', 'v/b'])).outcome).toMatchObject({ text: 'Hello' })
})

test('a model that asks for a long wait is not waited for while another one is left (modelsBounds.retryAfterBeforeFallback)', async () => {
  vendor.reply('a', refuse(429, { 'retry-after': '30' }))
  vendor.reply('b', stream(chat('Hello')))
  expect((await ask(['v/a', 'v/b'])).outcome).toMatchObject({ text: 'Hello' })
  expect(vendor.asked).toEqual(['a', 'b'])
  expect(waits).toEqual([])
})

test('the models are called in the order of the list, and the last one has all retries', async () => {
  for (const name of ['a', 'b', 'c', 'd']) vendor.reply(name, refuse(503))
  const { outcome, called } = await ask(['v/a', 'v/b', 'v/c', 'v/d'])
  expect(outcome).toMatchObject({
    name: 'ModelFailure',
    message: 'The model provider v answered 503: it cannot answer just now (tried 5 times)',
    retryable: true,
    costUsd: 0,
  })
  expect(called).toEqual(['v/a', 'v/b', 'v/c', 'v/d'])
  expect(vendor.asked.join('')).toBe('aabbccddddd')
})

test.for([400, 401, 403, 404, 422])('after %s no other model is asked', async (status) => {
  vendor.reply('a', refuse(status))
  vendor.reply('b', stream(chat('Hello')))
  const { outcome, called } = await ask(['v/a', 'v/b'])
  expect(outcome).toMatchObject({ name: 'ModelFailure', isUnavailable: false })
  expect(called).toEqual(['v/a'])
  expect(fallbacks).toEqual([])
})

test('a stream that is cut after its first text is repeated by the same model and never by another one', async () => {
  const [first] = chat('The first')
  vendor.reply('a', cut([first]))
  vendor.reply('b', stream(chat('Hello')))
  const { outcome, heard, called } = await ask(['v/a', 'v/b'])
  expect(outcome).toMatchObject({ name: 'ModelFailure', retryable: true })
  expect(called).toEqual(['v/a'])
  expect(heard[0]).toBe('The first')
  expect(heard).not.toContain('Hello')
  expect(new Set(vendor.asked)).toEqual(new Set(['a']))
  // It has all retries, because no other model can go on.
  expect(waits).toHaveLength(4)
})

test('a model that could not answer comes last for 30 seconds', async () => {
  vendor.reply('a', refuse(503))
  vendor.reply('b', stream(chat('b')))
  await ask(['v/a', 'v/b'])
  vendor.reply('a', stream(chat('a')))
  expect((await ask(['v/a', 'v/b'])).called).toEqual(['v/b'])
  clock.advance(coolDownMs - 1)
  expect((await ask(['v/a', 'v/b'])).called).toEqual(['v/b'])
  clock.advance(1)
  expect((await ask(['v/a', 'v/b'])).called).toEqual(['v/a'])
  expect(fallbacks).toEqual(Array.from({ length: 3 }, () => ({ from: 'v/a', to: 'v/*' })))
})

describe('an account that cannot answer', () => {
  const asked: string[] = []
  const keysOf = (org: string, key: string | null) => ({
    org,
    open: async (provider: string) => {
      asked.push(provider)
      return provider === 'openai' ? key : null
    },
  })
  const list = ['openai/m', 'v/b']
  const calledFor = async (ownKeys?: ReturnType<typeof keysOf>) => (await ask(list, { ownKeys })).called
  const fail = async (ownKeys?: ReturnType<typeof keysOf>) => {
    vendor.reply('b', stream(chat('b')))
    vendor.reply('m', refuse(429))
    expect(await calledFor(ownKeys)).toEqual(list)
    vendor.reply('m', stream(chat('m')))
  }

  test('of an organisation diverts its own calls, and none of others', async () => {
    await fail(keysOf('one', 'key of one'))
    expect(await calledFor(keysOf('one', 'key of one'))).toEqual(['v/b'])
    for (const others of [keysOf('two', 'key of two'), keysOf('three', null), undefined])
      expect(await calledFor(others)).toEqual(['openai/m'])
  })

  test('of the operator diverts no call with a key of an organisation', async () => {
    await fail()
    expect(await calledFor(keysOf('three', null))).toEqual(['v/b'])
    expect(await calledFor(keysOf('one', 'key of one'))).toEqual(['openai/m'])
  })

  test('is read once for a call, with all its attempts', async () => {
    asked.length = 0
    await fail(keysOf('one', 'key of one'))
    expect(asked.toSorted()).toEqual(['openai', 'v'])
  })
})

test('a change of the date does not shorten the time', async () => {
  vendor.reply('a', refuse(503))
  vendor.reply('b', stream(chat('b')))
  await ask(['v/a', 'v/b'])
  clock.setDate(new Date('2040-01-01T00:00:00Z'))
  expect((await ask(['v/a', 'v/b'])).called).toEqual(['v/b'])
})

test('when no model could answer lately, they are tried in their order', async () => {
  vendor.reply('a', refuse(503))
  vendor.reply('b', refuse(503))
  await ask(['v/a', 'v/b'])
  vendor.reply('a', stream(chat('a')))
  expect((await ask(['v/a', 'v/b'])).called).toEqual(['v/a'])
})

test('a model that recovers late answers after the others have failed', async () => {
  vendor.reply('a', refuse(503))
  vendor.reply('b', stream(chat('b')))
  await ask(['v/a', 'v/b'])
  vendor.reply('a', stream(chat('a')))
  vendor.reply('b', refuse(503))
  const { outcome, called } = await ask(['v/a', 'v/b'])
  expect(outcome).toMatchObject({ text: 'a', costUsd: 0.000012 })
  expect(called).toEqual(['v/b', 'v/a'])
})

test('a fallback that the operator does not list any more is left out', async () => {
  vendor.reply('a', refuse(503))
  vendor.reply('b', stream(chat('b')))
  expect((await ask(['v/a', 'gone/x', 'v/b'])).called).toEqual(['v/a', 'v/b'])
})

test('an answer that was not usable is paid for by the price of its model, also when another model answers', async () => {
  const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'unknown', arguments: '{' } }
  const broken = [
    { id: 'c1', choices: [{ index: 0, delta: { role: 'assistant', tool_calls: [call] } }] },
    { id: 'c1', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
    { id: 'c1', choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } },
    '[DONE]',
  ]
  vendor.reply('a', stream(broken), refuse(503))
  vendor.reply('b', stream(chat('Hello')))
  const { outcome } = await ask(['v/a', 'v/b'])
  // 10 tokens for $1 and 12 tokens for $10 a million.
  expect(outcome).toMatchObject({ text: 'Hello', usage: { inputTokens: 17, outputTokens: 5 }, costUsd: 0.00013 })
  expect((await ask(['v/b', 'v/free'])).outcome).toMatchObject({ costUsd: 0.00012 })
  vendor.reply('free', refuse(503))
  // A model without a price that has answered nothing costs nothing.
  expect((await ask(['v/free', 'v/b'])).outcome).toMatchObject({ costUsd: 0.00012 })
})

test('what a simulated model does says nothing about other runs', async () => {
  const simulation = { input: { fail_times: 9 }, step: 1, attempt: 1, runId: 'run_1' }
  const list = ['simulated/flaky', 'simulated/echo']
  expect((await ask(list, { simulation })).called).toEqual(list)
  expect((await ask(list, { simulation })).called).toEqual(list)
  expect(fallbacks[0]).toEqual({ from: 'simulated/flaky', to: 'simulated/echo' })
})

test('the own form of a reply is returned to the model that produced it, and to no other one', async () => {
  const bodies: string[] = []
  const hear = (name: string) => vendor.reply(name, stream(chat('Hello')))
  hear('a')
  hear('b')
  const parts = [{ type: 'text', text: 'as a said it' }]
  const messages: Message[] = [
    { role: 'user', text: 'hello' },
    { role: 'assistant', text: 'plain', toolCalls: [], parts, model: 'v/a' },
    { role: 'user', text: 'go on' },
  ]
  await ask(['v/a'], { messages })
  await ask(['v/b'], { messages })
  for (const body of vendor.bodies) bodies.push(/as a said it|plain/.exec(JSON.stringify(body))?.[0] ?? '')
  expect(bodies).toEqual(['as a said it', 'plain'])
})
