import { limits } from '@ars/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, sharedApp, until } from './app.ts'

let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

type Schema = Record<string, unknown>

/** Doubles with every level: 2⁶⁰ evaluations of 3.9 KB. */
const referenceBomb = (levels: number): Schema => {
  const $defs: Schema = { d0: { type: 'object' } }
  for (let level = 1; level <= levels; level++) {
    const $ref = `#/$defs/d${level - 1}`
    $defs[`d${level}`] = { allOf: [{ $ref }, { $ref }] }
  }
  return { $defs, $ref: `#/$defs/d${levels}` }
}

const custom = (schemas: Schema) => ({
  name: 'Schemas',
  config: { model: 'simulated/script', script: [{ json: { a: 1 } }] },
  ...schemas,
})

const create = (schemas: Schema) => app.call('POST', '/v2/agents/custom', { body: custom(schemas) })

const run = (agentId: string, input: Schema) =>
  app.call('POST', '/v2/runs', { body: { agent_id: agentId, input }, headers: { prefer: 'wait=30' } })

test('a schema that is too heavy is rejected when it is submitted, with the limit and the actual value', async () => {
  for (const field of ['input_schema', 'output_schema']) {
    const { status, body } = await create({ [field]: referenceBomb(12) })
    expect([status, body.error.code, body.error.param]).toEqual([422, 'config_invalid', field])
    expect(body.error.message).toContain(`has 16382 paths through its references; at most ${limits.schemaPaths} are`)
  }
  const many = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`p${at}`, {}]))
  expect((await create({ input_schema: { properties: many } })).body.error.message).toContain(
    `has 601 sub-schemas; at most ${limits.schemaSubschemas} are`,
  )
})

test('a pattern that cannot be matched in linear time is rejected with its path', async () => {
  const input_schema = { properties: { code: { type: 'string', pattern: '^(?!x)' } } }
  const { status, body } = await create({ input_schema })
  expect([status, body.error.param]).toEqual([422, 'input_schema'])
  expect(body.error.message).toContain('properties.code.pattern: the pattern ^(?!x) uses look-around')
})

test('a changed schema is checked like a new one', async () => {
  const { body: agent } = await create({})
  const patched = await app.call('PATCH', `/v2/agents/${agent.id}`, { body: { input_schema: referenceBomb(60) } })
  expect([patched.status, patched.body.error.param]).toEqual([422, 'input_schema'])
  const fine = await app.call('PATCH', `/v2/agents/${agent.id}`, { body: { input_schema: { type: 'object' } } })
  expect(fine.status).toBe(200)
})

test('a question with a schema that is too heavy ends its run in the worker and never reaches a person', async () => {
  const input = { type: 'input', response_schema: referenceBomb(60) }
  const { body } = await run(app.tenant.agents['test-approval'] as string, input)
  expect(body).toMatchObject({ status: 'failed', required_actions: [], error: { code: 'agent_error' } })
  expect(body.error.message).toContain(
    'The response_schema of a question cannot be used: The schema has more than 1e15',
  )
})

test('an input is checked in a thread where its schema needs one, once per request', async () => {
  const input_schema = { type: 'object', properties: { text: { type: 'string', pattern: '^(a|a)*$' } } }
  const { body: agent } = await create({ input_schema })
  for (let time = 0; time < 3; time++) {
    expect(await run(agent.id, { text: 'a'.repeat(128) })).toMatchObject({ status: 200 })
    const refused = await run(agent.id, { text: `${'a'.repeat(128)}!` })
    expect([refused.status, refused.body.error.code]).toEqual([422, 'input_invalid'])
    expect(refused.body.error.details).toEqual([
      { param: 'input.text', message: 'input.text must match pattern "^(a|a)*$".' },
    ])
  }
})

test('an output is checked in a thread of the worker', async () => {
  const output_schema = { type: 'object', properties: { a: { type: 'string' } }, propertyNames: { pattern: '^a$' } }
  const { body: agent } = await create({ output_schema })
  expect((await run(agent.id, {})).body).toMatchObject({
    status: 'failed',
    error: { code: 'output_invalid', details: { problems: ['a must be a string'] } },
  })
})

test('an answer is checked in a thread, outside the transaction of the action', async () => {
  const response_schema = { type: 'object', properties: { code: { pattern: '^[a-z]+$' } }, required: ['code'] }
  const { body } = await run(app.tenant.agents['test-approval'] as string, { type: 'input', response_schema })
  const answer = (payload: Schema) =>
    app.call('POST', `/v2/runs/${body.id}/action`, { body: { type: 'respond', payload } })
  expect((await answer({ code: '1' })).body.error).toMatchObject({ code: 'payload_invalid', param: 'payload.code' })
  expect((await answer({ code: 'x' })).status).toBe(200)
  const ended = await until('the end of the run', async () => {
    const { body: read } = await app.call('GET', `/v2/runs/${body.id}`)
    return read.finished_at !== null && read
  })
  expect(ended).toMatchObject({ status: 'completed', output: { payload: { code: 'x' } } })
})
