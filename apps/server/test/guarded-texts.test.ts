import { fromUuid } from '@ars/platform/id'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, sharedApp, type Tenant, until } from './app.ts'

const [secret, name] = ['xylograph', 'bluebird']
let app: App

beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

const stages = ['input', 'action_payload', 'tool_call', 'tool_result', 'output']
const ruleOf = (action: string, word: string) => ({
  ...{ id: action, check: 'keywords', stages, action },
  params: { words: [word], whole_words: false },
})

const callAs =
  (tenant: Tenant) =>
  (method: string, path: string, body?: object): ReturnType<App['call']> =>
    app.call(method, `/v2${path}`, { key: tenant.key, ...(body && { body }) })

/** An organisation in which one word is blocked and another one is hidden, everywhere. */
const guarded = async (rules = [ruleOf('block', secret), ruleOf('redact', name)]) => {
  const tenant = await app.addTenant()
  const call = callAs(tenant)
  const policy = await call('POST', '/policies', { name: 'Words', rules })
  expect(policy.status, policy.text).toBe(201)
  await call('POST', `/policies/${policy.body.id}/attachments`, { subject_id: fromUuid('org', tenant.org) })
  return { ...tenant, call, echo: tenant.agents['test-echo'] as string }
}
type Guarded = Awaited<ReturnType<typeof guarded>>

const newPipeline = async ({ call }: Guarded, definition: object): Promise<string> => {
  const made = await until('an answer other than 503', async () => {
    const answer = await call('POST', '/pipelines', { name: 'Test', definition })
    return answer.status !== 503 && answer
  })
  expect(made.status, made.text).toBe(201)
  return made.body.id
}

/** Everything that is stored of pipeline runs, schedules and batches. */
const stored = async ({ org }: Tenant): Promise<string> => {
  const tables = ['pipeline_runs', 'pipeline_steps', 'pipeline_items', 'schedules', 'batches', 'batch_items', 'runs', 'run_results', 'events'] // biome-ignore format: a list
  const rows = await Promise.all(
    tables.map((table) => app.query(`select row_to_json(t) as row from ${table} t where org_id = $1`, [org])),
  )
  return JSON.stringify(rows)
}

const statusOf = async ({ call }: Guarded, path: string): Promise<string> => (await call('GET', path)).body.status
const waits = { timeout: 120_000, interval: 250 }

const blocked = { status: 422, body: { error: { code: 'guardrail_blocked' } } }

test('the input and the metadata of a pipeline run pass the policies', async () => {
  const tenant = await guarded()
  const { call, echo } = tenant
  const id = await newPipeline(tenant, { steps: [{ key: 'a', agent_id: echo, input: { query: '${{ input.q }}' } }] })
  const start = (input: object, metadata = {}) => call('POST', `/pipelines/${id}/runs`, { input, metadata })
  expect(await start({ q: `a ${secret}` })).toMatchObject(blocked)
  expect(await start({ q: 'a' }, { note: secret })).toMatchObject(blocked)
  expect(await start({ [secret]: 'a' })).toMatchObject(blocked)
  const { body, status } = await start({ q: `see ${name}`, known: '[KEYWORD_4]' }, { note: `of ${name}` })
  expect({ status, body }).toMatchObject({
    status: 201,
    body: { input: { q: 'see [KEYWORD_5]', known: '[KEYWORD_4]' }, metadata: { note: 'of [KEYWORD_5]' } },
  })
  await expect.poll(() => statusOf(tenant, `/pipeline-runs/${body.id}`), waits).toBe('completed')
  const rerun = await call('POST', `/pipeline-runs/${body.id}/rerun`, { from_step: 'a' })
  expect(rerun).toMatchObject({ status: 201, body: { input: { q: 'see [KEYWORD_5]' } } })
  // The policies of today judge what those of the first time have let pass.
  const { body: strict } = await call('POST', '/policies', { name: 'Strict', rules: [ruleOf('block', 'see')] })
  await call('POST', `/policies/${strict.id}/attachments`, { subject_id: fromUuid('org', tenant.org) })
  await expect
    .poll(() => call('POST', `/pipeline-runs/${body.id}/rerun`, { from_step: 'a' }), waits)
    .toMatchObject(blocked)
  expect((await call('GET', '/events?limit=100')).text).not.toMatch(`${secret}|${name}`)
  expect(await stored(tenant)).not.toMatch(new RegExp(`${secret}|${name}`))
})

test('what a pipeline run puts together passes the policies before it is stored', async () => {
  const tenant = await guarded()
  const { call, echo } = tenant
  const parts = { a: 'xylo', b: 'graph', c: 'blue', d: 'bird' }
  const hidden = '${{ input.c }}${{ input.d }}'
  const forbidden = '${{ input.a }}${{ input.b }}'
  const outcomeOf = async (definition: object) => {
    const id = await newPipeline(tenant, definition)
    const { body } = await call('POST', `/pipelines/${id}/runs`, { input: parts })
    await expect.poll(() => statusOf(tenant, `/pipeline-runs/${body.id}`), waits).toMatch(/completed|failed/)
    return (await call('GET', `/pipeline-runs/${body.id}`)).body
  }
  const step = { key: 'a', agent_id: echo, input: { query: 'x' } }
  expect(await outcomeOf({ steps: [step], output: { o: hidden } })).toMatchObject({ output: { o: '[KEYWORD_1]' } })
  expect(await outcomeOf({ steps: [step], output: { o: forbidden } })).toMatchObject({
    status: 'failed',
    error: { code: 'guardrail_blocked', message: expect.stringContaining('A policy forbids this') },
  })
  expect(await outcomeOf({ steps: [{ key: 'ask', approval: { message: forbidden } }] })).toMatchObject({
    status: 'failed',
    error: { code: 'guardrail_blocked', step: 'ask' },
  })
  const listed = { ...step, input: { query: '${{ item }}' } }
  expect(await outcomeOf({ steps: [{ ...listed, for_each: '[input.a + input.b]' }] })).toMatchObject({
    status: 'failed',
    error: { code: 'guardrail_blocked', step: 'a' },
  })
  await outcomeOf({ steps: [{ ...listed, for_each: '[input.c + input.d]' }] })
  expect(await outcomeOf({ steps: [{ ...step, when: 'int(input.a + input.b) > 1' }] })).toMatchObject({
    status: 'failed',
  })
  expect(await stored(tenant)).not.toMatch(new RegExp(`${secret}|${name}`))
  expect(app.logLines.join('\n')).not.toMatch(new RegExp(`${secret}|${name}`))
})

test('the words of a fault of an expression pass the policies before they are stored', async () => {
  const tenant = await guarded()
  const step = { key: 'a', agent_id: tenant.echo, input: { [name]: '${{ input.q.missing }}' } }
  const id = await newPipeline(tenant, { steps: [step] })
  const { body } = await tenant.call('POST', `/pipelines/${id}/runs`, { input: { q: {} } })
  await expect.poll(() => statusOf(tenant, `/pipeline-runs/${body.id}`), waits).toBe('failed')
  const kept = await stored(tenant)
  expect(kept).toMatch(/\[KEYWORD_1\]: The expression could not be evaluated/)
  expect(kept).not.toContain(name)
})

test('a question of a pipeline run and the decision about it pass the policies', async () => {
  const tenant = await guarded()
  const { call } = tenant
  const message = 'Use ${{ input.c }}${{ input.d }}?'
  const id = await newPipeline(tenant, { steps: [{ key: 'ask', approval: { message } }] })
  const { body } = await call('POST', `/pipelines/${id}/runs`, { input: { c: 'blue', d: 'bird' } })
  const asking = await until('the question', async () => {
    const run = (await call('GET', `/pipeline-runs/${body.id}`)).body
    return run.required_actions?.[0] && run
  })
  expect(asking.required_actions[0].message).toBe('Use [KEYWORD_1]?')
  const decide = (more: object) => call('POST', `/pipeline-runs/${body.id}/action`, { type: 'approve', ...more })
  expect(await decide({ comment: `because of ${secret}` })).toMatchObject(blocked)
  expect(await decide({ payload: { why: secret } })).toMatchObject(blocked)
  expect(await decide({ comment: `as ${name} says`, payload: { why: name } })).toMatchObject({ status: 200 })
  await expect.poll(() => statusOf(tenant, `/pipeline-runs/${body.id}`), waits).toBe('completed')
  const [item] = await app.query('select comment, payload from pipeline_items where org_id = $1', [tenant.org])
  expect(item).toEqual({ comment: 'as [KEYWORD_1] says', payload: { why: '[KEYWORD_1]' } })
})

test('a rule that asks a person leaves a pipeline run to its runs, and forbids what a person decides', async () => {
  const tenant = await guarded([{ ...ruleOf('require_approval', secret), stages: ['action_payload', 'output'] }])
  const { call } = tenant
  const definition = { steps: [{ key: 'ask', approval: { message: secret } }], output: { o: '${{ input.q }}' } }
  const id = await newPipeline(tenant, definition)
  const { body } = await call('POST', `/pipelines/${id}/runs`, { input: { q: secret } })
  await until('the question', async () => (await call('GET', `/pipeline-runs/${body.id}`)).body.required_actions?.[0])
  expect(await call('POST', `/pipeline-runs/${body.id}/action`, { type: 'approve', comment: secret })).toMatchObject(
    blocked,
  )
  expect(await call('POST', `/pipeline-runs/${body.id}/action`, { type: 'approve' })).toMatchObject({ status: 200 })
  await expect.poll(() => statusOf(tenant, `/pipeline-runs/${body.id}`), waits).toBe('completed')
})

test('the input and the metadata of a schedule pass the policies of its agent too', async () => {
  const tenant = await guarded([ruleOf('redact', name)])
  const { call, echo } = tenant
  const policy = await call('POST', '/policies', { name: 'Of the agent', rules: [ruleOf('block', secret)] })
  await call('POST', `/policies/${policy.body.id}/attachments`, { subject_id: echo })
  const base = { name: 'Daily', interval_seconds: 86_400, agent_id: echo }
  expect(await call('POST', '/schedules', { ...base, input: { query: secret } })).toMatchObject(blocked)
  expect(await call('POST', '/schedules', { ...base, input: {}, metadata: { a: secret } })).toMatchObject(blocked)
  const made = await call('POST', '/schedules', { ...base, input: { query: name }, metadata: { a: name } })
  const shown = { input: { query: '[KEYWORD_1]' }, metadata: { a: '[KEYWORD_1]' } }
  expect(made).toMatchObject({ status: 201, body: shown })
  const change = (body: object) => call('PATCH', `/schedules/${made.body.id}`, body)
  expect(await change({ input: { query: secret } })).toMatchObject(blocked)
  expect(await change({ input: { query: `${name} again` } })).toMatchObject({
    body: { input: { query: '[KEYWORD_1] again' }, metadata: shown.metadata },
  })
  expect(await change({ metadata: { b: name } })).toMatchObject({ body: { metadata: { b: '[KEYWORD_1]' } } })
  expect(await stored(tenant)).not.toMatch(new RegExp(`${secret}|${name}`))
})

test('the metadata of a batch passes the policies, and an item is kept only until its run is accepted or refused', async () => {
  const tenant = await guarded()
  const { call, echo } = tenant
  const items = ['fine', `a ${name}`, secret].map((query) => ({ input: { query } }))
  expect(await call('POST', '/batches', { agent_id: echo, items, metadata: { a: secret } })).toMatchObject(blocked)
  const made = await call('POST', '/batches', { agent_id: echo, items, metadata: { a: name } })
  expect(made).toMatchObject({ status: 201, body: { metadata: { a: '[KEYWORD_1]' } } })
  await expect.poll(() => statusOf(tenant, `/batches/${made.body.id}`), waits).toBe('completed')
  const { body } = await call('GET', `/batches/${made.body.id}/results`)
  expect(body.data).toMatchObject([
    { status: 'completed' },
    { status: 'completed' },
    { status: 'failed', error: { code: 'guardrail_blocked' } },
  ])
  expect(await stored(tenant)).not.toMatch(new RegExp(`${secret}|${name}`))
})
