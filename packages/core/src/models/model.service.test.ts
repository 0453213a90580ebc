import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '@ars/platform/log/log'
import { fakeClock } from '@ars/testkit/clock'
import { expect, test } from 'vitest'
import { free } from './cost.ts'
import { createModels, type ModelParts } from './model.service.ts'
import type { ModelRequest } from './model.ts'

const clock = fakeClock()
const waits: number[] = []
const folder = mkdtempSync(join(tmpdir(), 'models-'))

const modelsWith = (parts: Partial<ModelParts> = {}) =>
  createModels({
    modelsFile: undefined,
    environment: {},
    clock,
    log: createLog({ level: 'silent' }),
    sleep: async (ms, signal) => {
      signal.throwIfAborted()
      waits.push(ms)
      clock.advance(ms)
    },
    random: () => 0.5,
    ...parts,
  })

const models = modelsWith()

const requestOf = (model: string, input: Record<string, unknown>, given: Partial<ModelRequest> = {}) => {
  const heard: string[] = []
  waits.length = 0
  const request: ModelRequest = {
    model: `simulated/${model}`,
    messages: [{ role: 'user', text: 'twelve chars' }],
    tools: [],
    signal: new AbortController().signal,
    onText: (text) => heard.push(text),
    onRestart: () => heard.push('<restart>'),
    onFailedTry: () => undefined,
    onBackOff: ({ message }) => heard.push(`<${message}>`),
    simulation: { input, step: 1, attempt: 1, runId: 'run_1' },
    ...given,
  }
  return { request, heard }
}

test('the test agents answer without network, cost nothing and count their tokens', async () => {
  const { request, heard } = requestOf('echo', { query: 'Hello' })
  expect(await models.call(request)).toEqual({
    text: 'Hello',
    toolCalls: [],
    usage: { inputTokens: 3, outputTokens: 2 },
    costUsd: 0,
    finish: 'stop',
  })
  expect(heard).toEqual(['Hello'])
  expect(models.find('simulated/echo')).toEqual({
    model: 'simulated/echo',
    price: free,
  })
})

test('test-stream waits before each chunk', async () => {
  const { request, heard } = requestOf('stream', { text: 'abcd', chunk_chars: 2, delay_ms: 30 })
  expect((await models.call(request)).text).toBe('abcd')
  expect(heard).toEqual(['ab', 'cd'])
  expect(waits).toEqual([30, 30])
})

test('test-flaky fails as a provider does, is retried by the service and succeeds', async () => {
  const { request, heard } = requestOf('flaky', { fail_times: 2, after_chunks: 1 })
  const reply = await models.call(request)
  expect(reply.output).toEqual({ result: 'succeeded after 2 failed tries', fail_times: 2 })
  const said = '<The simulated provider answered 503: it cannot answer just now>'
  expect(heard).toEqual([
    'succeeded ',
    '<restart>',
    said,
    'succeeded ',
    '<restart>',
    said,
    'succeeded ',
    'after 2 fa',
    'iled tries',
  ])
  expect(waits).toEqual([500, 1000])
})

test('test-flaky counts the attempts that a crash interrupted', async () => {
  const simulation = { input: { fail_times: 2 }, step: 1, attempt: 3, runId: 'run_1' }
  await models.call(requestOf('flaky', {}, { simulation }).request)
  expect(waits).toEqual([])
})

test('test-flaky that fails too often fails the run as retryable', async () => {
  await expect(models.call(requestOf('flaky', { fail_times: 9 }).request)).rejects.toMatchObject({
    name: 'ModelFailure',
    message: 'The simulated provider answered 503: it cannot answer just now (tried 5 times)',
    retryable: true,
    code: undefined,
  })
})

test('a provider’s requested delay is respected, within bounds', async () => {
  const asking = (ms: number) => [{ fail: { message: 'Busy', retryable: true, retry_after_ms: ms } }]
  await expect(models.call(requestOf('script', { script: asking(60_000) }).request)).rejects.toThrow(
    'Busy (tried 5 times)',
  )
  expect(waits).toEqual([60_500, 60_500, 60_500, 60_500])
  await expect(models.call(requestOf('script', { script: asking(300_000) }).request)).rejects.toThrow(
    'Busy. It asks to wait 300 s',
  )
  expect(waits).toEqual([])
})

test('test-fail ends with its code at once, after its configured text', async () => {
  const { request, heard } = requestOf('fail', { code: 'tool_error', message: 'Nothing works', after_chunks: 1 })
  await expect(models.call(request)).rejects.toMatchObject({
    name: 'ModelFailure',
    code: 'tool_error',
    message: 'Nothing works',
    retryable: false,
  })
  expect(heard).toEqual(['chunk 1 '])
})

test('a cancelled run aborts test-slow at once', async () => {
  const real = createModels({ modelsFile: undefined, environment: {}, clock, log: createLog({ level: 'silent' }) })
  const controller = new AbortController()
  const call = real.call(requestOf('slow', { seconds: 3600 }, { signal: controller.signal }).request)
  const reason = new Error('cancelled')
  controller.abort(reason)
  await expect(call).rejects.toBe(reason)
})

test('a cancelled run aborts a back-off at once', async () => {
  const real = createModels({ modelsFile: undefined, environment: {}, clock, log: createLog({ level: 'silent' }) })
  const controller = new AbortController()
  const waiting = Promise.withResolvers<void>()
  const { request } = requestOf(
    'flaky',
    { retry_after_ms: 60_000 },
    { signal: controller.signal, onBackOff: () => waiting.resolve() },
  )
  const call = real.call(request)
  await waiting.promise
  const reason = new Error('cancelled')
  controller.abort(reason)
  await expect(call).rejects.toBe(reason)
})

test('on a test stack each step of test-steps is written to disk before it continues; elsewhere nothing is written', async () => {
  const ledgerFile = join(folder, 'ledger')
  const { request } = requestOf('steps', { steps: 2 })
  expect(await modelsWith({ testing: { ledgerFile } }).call(request)).toMatchObject({ again: true, text: '' })
  expect(readFileSync(ledgerFile, 'utf8')).toBe('{"run_id":"run_1","step":1,"attempt":1}\n')
  // Would kill this process if it were obeyed.
  expect(await models.call(requestOf('steps', { kill_worker_at_step: 1 }).request)).toMatchObject({ again: true })
  expect(readFileSync(ledgerFile, 'utf8')).toHaveLength(40)
})

test.for([
  [
    'providers: { a: { kind: openai, api_key_env: NOT_SET } }',
    'providers.a (line 1): the environment variable NOT_SET is not set',
  ],
  ['providers: { a: { kind: openai, api_key_file: none } }', 'providers.a (line 1): the key file none cannot be read'],
  ['providers: { a: { kind: openai, api_key_file: empty } }', 'providers.a (line 1): the key file empty is empty'],
])('a missing key prevents the start and is named: %s', ([text, says]) => {
  const modelsFile = join(folder, 'models.yaml')
  writeFileSync(modelsFile, text ?? '')
  writeFileSync(join(folder, 'empty'), '\n')
  expect(() => modelsWith({ modelsFile })).toThrow(says)
})

test('a gateway starts without the key of a provider, and only a call of its models fails', async () => {
  const modelsFile = join(folder, 'keyless.yaml')
  writeFileSync(modelsFile, 'providers: { a: { kind: openai, api_key_env: NOT_SET } }\nmodels: [{ model: a/b }]')
  const gateway = modelsWith({ modelsFile, needsKeys: false })
  const { request } = requestOf('echo', {})
  await expect(gateway.call({ ...request, model: 'a/b' })).rejects.toThrow('The provider a has no key here')
  expect(await gateway.call(request)).toMatchObject({ finish: 'stop' })
  await gateway.close()
})

test('a missing models file prevents the start', () => {
  expect(() => modelsWith({ modelsFile: join(folder, 'nowhere.yaml') })).toThrow(/nowhere\.yaml cannot be read/)
})
