import { contract } from '@ars/contract'
import { asClient } from '@ars/testkit/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, sharedApp, until } from './app.ts'

let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

const echo = (query: string) => ({ agent_id: app.tenant.agents['test-echo'], input: { query } })
const slow = (seconds: number, more = {}) => ({ agent_id: app.tenant.agents['test-slow'], input: { seconds }, ...more })

describe('a run that is invoked', () => {
  test('[S29][S10][S11] POST /runs without any further header returns the run with its result', async () => {
    const { status, body } = await app.call('POST', '/v2/runs', { body: echo('What is new?') })
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'completed', output: { result: 'What is new?' } })
  })

  test('[S9][S12][S13][S14] carries the seven fields of the contract in their formats', async () => {
    const { body } = await app.call('POST', '/v2/runs', { body: echo('shapes') })
    expect(Object.keys(body).slice(0, 7)).toEqual([
      'id',
      'status',
      'output',
      'latency_ms',
      'tokens_used',
      'created_at',
      'agent_id',
    ])
    expect(body.id).toMatch(/^run_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
    expect(Number.isInteger(body.latency_ms) && body.latency_ms >= 0).toBe(true)
    expect(Number.isInteger(body.tokens_used)).toBe(true)
    expect(new Date(body.created_at).toISOString()).toBe(body.created_at)
    expect(body.agent_id).toMatch(/^ag_/)
    expect(contract.runs.create.output.strict().safeParse(body).error).toBeUndefined()
  })

  test('[S12] its latency_ms is the time from created_at to finished_at, for every end state', async () => {
    const run = async (agent: string, input: object, more = {}) =>
      (await app.call('POST', '/v2/runs', { body: { agent_id: app.tenant.agents[agent], input, ...more } })).body
    const waiting = await run('test-approval', {})
    expect([waiting.status, waiting.finished_at, waiting.latency_ms]).toEqual(['requires_action', null, null])
    const ended = [
      await run('test-steps', { steps: 2, delay_ms: 300 }),
      await run('test-fail', { code: 'tool_error' }),
      await run('test-slow', { seconds: 60 }, { timeout_seconds: 1 }),
      (await app.call('DELETE', `/v2/runs/${waiting.id}`)).body,
    ]
    expect(ended.map(({ status }) => status)).toEqual(['completed', 'failed', 'failed', 'cancelled'])
    for (const { latency_ms, created_at, finished_at } of ended) {
      expect(Number.isInteger(latency_ms)).toBe(true)
      expect(latency_ms).toBe(Date.parse(finished_at) - Date.parse(created_at))
    }
    expect(ended[0].latency_ms).toBeGreaterThanOrEqual(600)
    expect(ended[2].latency_ms).toBeGreaterThanOrEqual(1_000)
  })

  test('[S32] can be read again by its id, unchanged', async () => {
    const created = await app.call('POST', '/v2/runs', { body: echo('again') })
    const { status, body } = await app.call('GET', `/v2/runs/${created.body.id}`)
    expect(status).toBe(200)
    expect(body).toEqual(created.body)
  })

  test('takes as many steps as needed, and its feed has no gaps and ends once', async () => {
    const { body } = await app.call('POST', '/v2/runs', {
      body: { agent_id: app.tenant.agents['test-steps'], input: { steps: 4 }, metadata: { ticket: '7' } },
    })
    expect(body).toMatchObject({ status: 'completed', output: { steps: 4 }, metadata: { ticket: '7' } })
    const events = await feedOf(body.id)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1))
    expect(events.map(({ type }) => type)).toEqual([
      'run.created',
      'run.started',
      ...['run.step.started', 'run.step.completed'],
      ...['run.step.started', 'run.step.completed'],
      ...['run.step.started', 'run.step.completed'],
      ...['run.step.started', 'run.output.delta', 'run.step.completed'],
      'run.completed',
    ])
  })

  test('continues when the caller does not wait, and the response has its location', async () => {
    const { status, headers, body } = await app.call('POST', '/v2/runs', {
      body: slow(1),
      headers: { prefer: 'respond-async' },
    })
    expect(status).toBe(202)
    expect(headers.location).toBe(`/v2/runs/${body.id}`)
    expect(headers['preference-applied']).toBe('respond-async')
    expect(['queued', 'running']).toContain(body.status)
    const ended = await until('the run to end', async () => {
      const read = await app.call('GET', `/v2/runs/${body.id}`)
      return read.body.status === 'completed' && read.body
    })
    expect(ended.latency_ms).toBeGreaterThanOrEqual(1_000)
  })

  test('is returned in its current state when the wait is over, and a wait out of range is clamped', async () => {
    const { status, headers, body } = await app.call('POST', '/v2/runs', {
      body: slow(30, { timeout_seconds: 60 }),
      headers: { prefer: 'respond-async, wait=0' },
    })
    expect(status).toBe(202)
    expect(headers['preference-applied']).toBe('wait=1')
    expect(body.status).toBe('running')
  })
})

describe('a run that cannot be invoked', () => {
  test('of an agent that does not exist is 404', async () => {
    const unknown = 'ag_01h455vb4pex5vsknk084sn02q'
    const { status, body } = await app.call('POST', '/v2/runs', { body: { agent_id: unknown, input: {} } })
    expect([status, body.error.code]).toEqual([404, 'not_found'])
  })

  test('of another organisation’s agent is 404, and its runs are not found', async () => {
    const other = await app.addTenant()
    const refused = await app.call('POST', '/v2/runs', { body: echo('mine'), key: other.key })
    expect(refused.status).toBe(404)
    const mine = await app.call('POST', '/v2/runs', { body: echo('mine') })
    const read = await app.call('GET', `/v2/runs/${mine.body.id}`, { key: other.key })
    expect(read.status).toBe(404)
    expect(read.text).not.toContain('mine')
  })

  test.each([
    ['no agent', { input: {} }, 'agent_id'],
    ['no input', { agent_id: 'ag_01h455vb4pex5vsknk084sn02q' }, 'input'],
    ['a list as input', { agent_id: 'ag_01h455vb4pex5vsknk084sn02q', input: [] }, 'input'],
    ['an unknown field', { agent_id: 'ag_01h455vb4pex5vsknk084sn02q', input: {}, priority: 1 }, 'priority'],
    [
      'too much metadata',
      { agent_id: 'ag_01h455vb4pex5vsknk084sn02q', input: {}, metadata: { a: 'x'.repeat(513) } },
      'metadata.a',
    ],
  ])('with %s is 400 and names the field', async (_what, body, param) => {
    const answer = await app.call('POST', '/v2/runs', { body })
    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([400, 'invalid_request', param])
  })
})

describe('an idempotency key', () => {
  test('has one effect: the second call gets the run of the first, however its body is serialised', async () => {
    const headers = { 'idempotency-key': 'order 66' }
    const first = await app.call('POST', '/v2/runs', { body: echo('once'), headers })
    const { agent_id, input } = echo('once')
    const raw = `{ "input": ${JSON.stringify(input)},\n  "agent_id": "${agent_id}" }`
    const second = await app.call('POST', '/v2/runs', { raw, headers })
    expect(second.body).toEqual(first.body)
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(first.headers['idempotency-replayed']).toBeUndefined()
  })

  test('joins the wait of the first call while that is in flight', async () => {
    const headers = { 'idempotency-key': 'join' }
    const answers = await Promise.all([1, 2, 3].map(() => app.call('POST', '/v2/runs', { body: slow(1), headers })))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(answers.map(({ body }) => body.status)).toEqual(['completed', 'completed', 'completed'])
  })

  test('with a different body is 422', async () => {
    const headers = { 'idempotency-key': 'reused' }
    await app.call('POST', '/v2/runs', { body: echo('one'), headers })
    const { status, body } = await app.call('POST', '/v2/runs', { body: echo('two'), headers })
    expect([status, body.error.code]).toEqual([422, 'idempotency_key_reused'])
  })

  test('of one organisation does not apply to another', async () => {
    const other = await app.addTenant()
    const headers = { 'idempotency-key': 'shared' }
    const mine = await app.call('POST', '/v2/runs', { body: echo('mine'), headers })
    const body = { agent_id: other.agents['test-echo'], input: { query: 'theirs' } }
    const theirs = await app.call('POST', '/v2/runs', { body, headers, key: other.key })
    expect(theirs.status).toBe(200)
    expect(theirs.body.id).not.toBe(mine.body.id)
  })

  test.each([
    ['empty', ''],
    ['too long', 'x'.repeat(256)],
    ['quoted', '"abc"'],
  ])('that is %s is 400', async (_what, key) => {
    const { status, body } = await app.call('POST', '/v2/runs', {
      body: echo('x'),
      headers: { 'idempotency-key': key },
    })
    expect([status, body.error.param]).toEqual([400, 'Idempotency-Key'])
  })
})

const feedOf = (runId: string) => {
  const hex = uuidOf(runId)
  return query<{ seq: number; type: string }>(`select seq, type from run_events where run_id = '${hex}'
    union all select seq, 'run.output.delta' from run_deltas where run_id = '${hex}' order by seq`)
}

const query = async <Row>(sql: string): Promise<Row[]> => {
  return asClient(app.database.superuserUrl, async (client) => (await client.query(sql)).rows as Row[])
}

const uuidOf = (id: string): string => {
  const letters = '0123456789abcdefghjkmnpqrstvwxyz'
  let number = 0n
  for (const letter of id.slice(id.indexOf('_') + 1)) number = number * 32n + BigInt(letters.indexOf(letter))
  const hex = number.toString(16).padStart(32, '0')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
