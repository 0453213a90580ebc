import { randomBytes } from 'node:crypto'
import { toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, startApp, until } from './app.ts'
import { type ChatProvider, startChatProvider } from './chat-provider.ts'
import { writeModels } from './models-file.ts'

const model = 'local/m'
const input_template = 'Translate into ${{ has(input.lang) ? input.lang : "English" }}:\n${{ input.text }}'
let app: App
let provider: ChatProvider
beforeAll(async () => {
  provider = await startChatProvider()
  app = await startApp({
    env: {
      ARS_MODELS_FILE: writeModels(provider.baseUrl),
      ARS_KEKS: `test:${randomBytes(32).toString('base64')}`,
    },
  })
})
afterAll(async () => {
  await app.stop()
  await provider.close()
})

const post = (path: string, body: unknown, options: { key?: string } = {}) =>
  app.call('POST', `/v2${path}`, { body, ...options })
const runOf = async (body: object) => {
  const { body: created } = await post('/runs', body)
  return until('the end of the run', async () => {
    const { body: run } = await app.call('GET', `/v2/runs/${created.id}`)
    return ['completed', 'failed'].includes(run.status) && run
  })
}
const promptOf = async (body: unknown) => {
  const reply = await post('/agents/prompt', body)
  expect(reply.status, reply.text).toBe(200)
  return reply.body
}
const refusalOf = async (body: unknown) => {
  const { status, body: answer } = await post('/agents/prompt', body)
  return [status, answer.error?.code, answer.error?.param]
}
const received = (): { role: string; content: string }[] => JSON.parse(provider.bodies().at(-1) ?? '{}').messages

describe('a model receives exactly the messages that the preview shows', () => {
  test.for([
    [{ query: 'hi' }, {}, 'hi'],
    [{ query: 'hi', lang: 'de' }, {}, '{"query":"hi","lang":"de"}'],
    [{ text: 'hi' }, {}, '{"text":"hi"}'],
    [{ text: 'hi', lang: 'de' }, { input_template }, 'Translate into de:\nhi'],
    [{ text: 'hi' }, { input_template }, 'Translate into English:\nhi'],
    [{ text: { a: [1] } }, { input_template: '${{ input.text }} \\${{ x }}' }, '{"a":[1]} ${{ x }}'],
  ] as const)('for the input %j and %j', async ([input, config, text]) => {
    const agent_id = await app.addAgent({ config: { model, instructions: 'Be brief.', ...config } })
    const { messages } = await promptOf({ agent_id, input })
    expect(messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: text },
    ])
    const run = await runOf({ agent_id, input })
    expect(run.status, JSON.stringify(run)).toBe('completed')
    expect(received()).toEqual(messages)
  })
})

test('the template is filled once: later steps read the text that the first one stored', async () => {
  const script = [{ text: 'one', tool_calls: [{ name: 'missing', arguments: {} }] }, { text: 'two' }]
  const agent_id = await app.addAgent({ config: { model: 'simulated/script', script, input_template } })
  const run = await runOf({ agent_id, input: { text: 'hi' } })
  expect(run.output).toEqual({ result: 'two' })
  const stored = await app.query<{ prompt: string | null }>(
    `select output->>'prompt' as prompt from run_steps where run_id = $1 order by step`,
    [toUuid(run.id)],
  )
  expect(stored.map(({ prompt }) => prompt)).toEqual(['Translate into English:\nhi', null, null])
})

test('a simulated model echoes the filled template', async () => {
  const agent_id = await app.addAgent({ config: { model: 'simulated/echo', input_template } })
  const run = await runOf({ agent_id, input: { query: 'ignored', text: 'hi' } })
  expect(run.output).toEqual({ result: 'Translate into English:\nhi' })
})

test('a configuration can be previewed before it is saved, and so can a change of an agent and an old version', async () => {
  expect(
    await promptOf({ config: { instructions: 'A', input_template: '<${{ input.q }}>' }, input: { q: 1 } }),
  ).toEqual({
    object: 'agent_prompt',
    agent_id: null,
    version: null,
    messages: [
      { role: 'system', content: 'A' },
      { role: 'user', content: '<1>' },
    ],
  })
  const agent_id = await app.addAgent({ config: { model, instructions: 'Old.', input_template } })
  await app.call('PATCH', `/v2/agents/${agent_id}`, { body: { config: { instructions: 'New.' } } })
  const textsOf = async (body: object) =>
    (await promptOf({ agent_id, input: { text: 'hi' }, ...body })).messages.map(
      ({ content }: { content: string }) => content,
    )
  expect(await textsOf({})).toEqual(['New.', 'Translate into English:\nhi'])
  expect(await textsOf({ version: 1 })).toEqual(['Old.', 'Translate into English:\nhi'])
  expect(await textsOf({ config: { instructions: null, input_template: null } })).toEqual(['{"text":"hi"}'])
})

describe('a template that cannot be used is refused when the agent is created or changed', () => {
  test.for([
    ['${{ input.x', 'has no }}'],
    ['${{ }}', 'is empty'],
    ['${{ inpt.x }}', 'no variable inpt'],
    ['Hello ${{ input.x == }}', 'cannot be read'],
    ['${{ 1 + "a" }}', 'cannot be used'],
    ['${{ input.x }}'.repeat(101), 'at most 100 placeholders'],
  ] as const)('%s', async ([template, message]) => {
    const { status, body } = await post('/agents/custom', { name: 'x', config: { model, input_template: template } })
    expect([status, body.error.code, body.error.param]).toEqual([422, 'config_invalid', 'config.input_template'])
    expect(body.error.message).toContain(message)
    expect(await refusalOf({ config: { input_template: template }, input: {} })).toEqual([
      422,
      'config_invalid',
      'config.input_template',
    ])
    const { 'test-echo': echo } = app.tenant.agents
    const changed = await app.call('PATCH', `/v2/agents/${echo}`, { body: { config: { input_template: template } } })
    expect(changed.body.error.code).toBe('config_invalid')
  })

  test('a template of 50,001 characters, and one of a remote agent', async () => {
    const long = { model, input_template: 'x'.repeat(50_001) }
    expect((await post('/agents/custom', { name: 'x', config: long })).status).toBe(400)
    const remote = { url: 'https://agent.example.com/run', input_template: 'x' }
    const { body } = await post('/agents/custom', { name: 'x', kind: 'remote', config: remote })
    expect([body.error.code, body.error.param]).toEqual(['config_invalid', 'config.input_template'])
  })
})

test('an input that does not fit the template fails the run with the place, and the preview with 422', async () => {
  const agent_id = await app.addAgent({ config: { model, input_template } })
  const run = await runOf({ agent_id, input: { query: 'secret-words' } })
  expect(run.error).toMatchObject({
    code: 'agent_error',
    message: expect.stringMatching(
      /does not fit input_template. The placeholder at character 69: .*a field is missing/,
    ),
  })
  expect(run.error.message).not.toContain('secret-words')
  expect(await refusalOf({ agent_id, input: { query: 'x' } })).toEqual([422, 'input_invalid', 'input'])
})

test('a template cannot grow without a bound or compute for long', async () => {
  const many = 'input.list.map(a, input.list.map(b, a + b))'
  const input = { list: Array.from({ length: 900 }, (_, n) => n) }
  const agent_id = await app.addAgent({ config: { model, input_template: `\${{ ${many} }}` } })
  const run = await runOf({ agent_id, input })
  expect(run.error).toMatchObject({
    code: 'agent_error',
    message: expect.stringMatching(/more than|too much CPU time/),
  })
  const doubling = '${{ [input.t].map(a, a + a + a + a).map(a, a + a + a + a)[0] }}'
  expect(await refusalOf({ config: { input_template: doubling }, input: { t: 'x'.repeat(200_000) } })).toEqual([
    422,
    'input_invalid',
    'input',
  ])
})

describe('policies judge the filled template as they judge the input', () => {
  const [a, b] = ['quetzal', 'coatl']
  const glued = { model, input_template: '${{ input.a }}${{ input.b }}' }
  const guarded = async (action: string): Promise<string> => {
    const agent_id = await app.addAgent({ config: glued })
    const params = { pattern: 'quetzal[c]oatl' }
    const rule = { id: 'marker', check: 'regex', stages: ['input'], action, params }
    const { body: policy } = await post('/policies', { name: action, rules: [rule] })
    await post(`/policies/${policy.id}/attachments`, { subject_id: agent_id })
    return agent_id
  }

  test('a forbidden word that two allowed fields make stops the run before the model is called', async () => {
    const agent_id = await guarded('block')
    const before = provider.bodies().length
    const run = await runOf({ agent_id, input: { a, b } })
    expect(run.error.code).toBe('guardrail_blocked')
    expect(provider.bodies().length).toBe(before)
    expect((await refusalOf({ agent_id, input: { a, b } }))[1]).toBe('guardrail_blocked')
  })

  test('a word that is hidden reaches neither the model nor the preview', async () => {
    const agent_id = await guarded('redact')
    const { messages } = await promptOf({ agent_id, input: { a, b } })
    expect(JSON.stringify(messages)).not.toContain(a + b)
    await runOf({ agent_id, input: { a, b } })
    expect(received()).toEqual(messages)
  })

  test('a person approves it once', async () => {
    const agent_id = await guarded('require_approval')
    const { body: created } = await post('/runs', { agent_id, input: { a, b } })
    const run = await until('the question', async () => {
      const { body } = await app.call('GET', `/v2/runs/${created.id}`)
      return body.required_actions?.length > 0 && body
    })
    expect(run.required_actions).toMatchObject([{ type: 'approval' }])
    const { body: approved } = await post(`/runs/${run.id}/action`, { type: 'approve' })
    expect(approved.id).toBe(run.id)
    await until('the end of the run', async () => {
      const { body } = await app.call('GET', `/v2/runs/${run.id}`)
      return body.status === 'completed'
    })
    expect(received()).toEqual([{ role: 'user', content: a + b }])
  })
})

test('the preview needs agents:read, and shows nothing of agents that the key may not use', async () => {
  const [mine, other] = [await app.addAgent({ config: { model } }), await app.addAgent({ config: { model } })]
  const keyWith = async (body: object) => (await post('/api-keys', { name: 'x', ...body })).body.key
  const narrowed = await keyWith({ scopes: ['agents:read'], agent_ids: [mine] })
  const without = await keyWith({ scopes: ['runs:read'] })
  const statusFor = async (key: string, agent_id: string) =>
    (await post('/agents/prompt', { agent_id, input: {} }, { key })).status
  expect([await statusFor(narrowed, mine), await statusFor(narrowed, other), await statusFor(without, mine)]).toEqual([
    200, 403, 403,
  ])
  expect(
    (await post('/agents/prompt', { agent_id: mine, input: {} }, { key: (await app.addTenant()).key })).status,
  ).toBe(404)
})

test('the preview checks the input schema as a run does, and refuses a remote agent', async () => {
  const agent_id = await app.addAgent({ config: { model }, inputSchema: { type: 'object', required: ['text'] } })
  expect((await refusalOf({ agent_id, input: {} })).slice(0, 2)).toEqual([422, 'input_invalid'])
  const remote = await post('/agents/custom', {
    name: 'Remote',
    kind: 'remote',
    config: { url: 'https://agent.example.com/run' },
  })
  expect(remote.status, remote.text).toBe(201)
  expect(await refusalOf({ agent_id: remote.body.id, input: {} })).toEqual([422, 'config_invalid', 'agent_id'])
})
