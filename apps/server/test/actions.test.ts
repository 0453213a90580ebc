import { limits } from '@ars/contract'
import { toUuid } from '@ars/platform/id'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, framesOf, type Reply, startApp, type Tenant, until } from './app.ts'
import { messagesOf, unreadOf } from './run-messages.ts'

let app: App
let scripted: string
beforeAll(async () => {
  app = await startApp()
  scripted = await app.addAgent({ config: { model: 'simulated/script' } })
})
afterAll(() => app.stop())

const ask = (input: Record<string, unknown> = {}, headers: Record<string, string> = {}, more = {}) =>
  app.call('POST', '/v2/runs', { body: { agent_id: app.tenant.agents['test-approval'], input, ...more }, headers })

const play = (script: unknown[], more = {}) =>
  app.call('POST', '/v2/runs', {
    body: { agent_id: scripted, input: { script }, ...more },
    headers: { prefer: 'respond-async' },
  })

const act = (id: string, body: unknown, { key, ...headers }: Record<string, string> = {}, url = app.url) =>
  app.call('POST', `/v2/runs/${id}/action`, { body, headers, url, ...(key === undefined ? {} : { key }) })

const get = async (id: string) => (await app.call('GET', `/v2/runs/${id}`)).body

const ended = (id: string) =>
  until(`the end of ${id}`, async () => {
    const run = await get(id)
    return run.finished_at !== null && run
  })

const inState = (id: string, status: string) =>
  until(`${id} to be ${status}`, async () => {
    const run = await get(id)
    return run.status === status && run
  })

const expectNotActive = async (id: string) => {
  for (const type of ['approve', 'reject', 'respond', 'message']) {
    const body = { type, payload: { message: 'too late' } }
    expect(codeOf(await act(id, body))).toEqual([422, 'run_not_active'])
  }
}

const codeOf = ({ status, body }: Reply) => [status, body.error?.code]

const decisionsOf = (id: string) =>
  app.query<{ resolution: string; comment: string; by: string; payload: unknown }>(
    `select a.resolution, a.comment, a.payload, k.name as by from run_actions a left join api_keys k on k.id = a.resolved_by
      where a.run_id = $1 order by a.id`,
    [toUuid(id as `run_${string}`)],
  )

const head = async (id: string) => {
  const [row] = await app.query<{ actions: number; left_ms: number }>(
    'select actions, extract(epoch from deadline_at - app_now())::float8 * 1000 as left_ms from run_heads where run_id = $1',
    [toUuid(id as `run_${string}`)],
  )
  return row
}

describe('a run that asks a person', () => {
  test('[S31] shows its open action, which expires after limits.actionTimeoutMaxSeconds, ends the wait of its caller at once, and completes after approval', async () => {
    const began = Date.now()
    const asked = await ask({ message: 'Pay 20 euros?', tool_call: { name: 'pay', arguments: { euros: 20 } } })
    expect(asked.status).toBe(202)
    expect(Date.now() - began).toBeLessThan(20_000)
    expect(asked.body).toMatchObject({ status: 'requires_action', output: null, finished_at: null })
    expect(asked.body.required_actions).toEqual([
      {
        id: expect.stringMatching(/^act_[0-9a-z]{26}$/),
        type: 'approval',
        message: 'Pay 20 euros?',
        tool_call: { name: 'pay', arguments: { euros: 20 } },
        response_schema: null,
        created_at: expect.stringMatching(/Z$/),
        expires_at: expect.stringMatching(/Z$/),
      },
    ])
    const [{ created_at, expires_at }] = asked.body.required_actions
    expect(Date.parse(created_at)).toBeGreaterThanOrEqual(Date.parse(asked.body.created_at))
    expect((Date.parse(expires_at) - Date.parse(created_at)) / 1_000 / limits.actionTimeoutMaxSeconds).toBeCloseTo(1, 2)

    const answer = await act(asked.body.id, { type: 'approve', comment: 'Fine by me' })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ id: asked.body.id, required_actions: [] })
    expect(answer.headers.location).toBe(`/v2/runs/${asked.body.id}`)
    expect(await ended(asked.body.id)).toMatchObject({
      status: 'completed',
      output: { result: 'approved', comment: 'Fine by me' },
      required_actions: [],
    })
    expect(await decisionsOf(asked.body.id)).toMatchObject([
      { resolution: 'approve', comment: 'Fine by me', by: 'test' },
    ])
  })

  test('continues after a rejection as after an approval', async () => {
    const { body } = await ask()
    expect((await act(body.id, { type: 'reject', comment: 'Too dear' })).status).toBe(200)
    expect((await ended(body.id)).output).toMatchObject({ result: 'rejected', comment: 'Too dear' })
  })

  test('accepts an answer that matches its schema, and names the violations of another', async () => {
    const response_schema = {
      type: 'object',
      properties: { amount: { type: 'integer', minimum: 1 } },
      required: ['amount'],
      additionalProperties: false,
    }
    const { body } = await ask({ type: 'input', response_schema })
    expect(body.required_actions[0]).toMatchObject({ type: 'input', response_schema })
    for (const [payload, param] of [
      [{ amount: 'much' }, 'payload.amount'],
      [{}, 'payload.amount'],
      [{ amount: 3, more: true }, 'payload.more'],
      ['three', 'payload'],
      [null, 'payload'],
    ]) {
      const refused = await act(body.id, { type: 'respond', payload })
      expect(codeOf(refused)).toEqual([422, 'payload_invalid'])
      expect(refused.body.error.param).toBe(param)
      expect(refused.body.error.details.length).toBeGreaterThan(0)
    }
    expect(codeOf(await act(body.id, { type: 'approve' }))).toEqual([422, 'action_not_applicable'])
    expect((await act(body.id, { type: 'respond', payload: { amount: 3 } })).status).toBe(200)
    expect((await ended(body.id)).output).toMatchObject({ result: 'answered', payload: { amount: 3 } })
  })

  test('an approval does not accept a payload', async () => {
    const { body } = await ask()
    expect(codeOf(await act(body.id, { type: 'respond', payload: {} }))).toEqual([422, 'action_not_applicable'])
    expect((await get(body.id)).status).toBe('requires_action')
  })

  test('with several open actions requires the action id, and continues after the last decision', async () => {
    const { body } = await ask({ count: 3 })
    const ids: string[] = body.required_actions.map(({ id }: { id: string }) => id)
    expect(ids).toHaveLength(3)
    expect(codeOf(await act(body.id, { type: 'approve' }))).toEqual([422, 'action_id_required'])
    await act(body.id, { type: 'approve', action_id: ids[1] })
    const between = await act(body.id, { type: 'reject', action_id: ids[0] })
    expect(between.body).toMatchObject({ status: 'requires_action', required_actions: [{ id: ids[2] }] })
    // Exactly one is open, so it need not be named any more.
    expect((await act(body.id, { type: 'approve' })).status).toBe(200)
    expect((await ended(body.id)).output.result).toBe('rejected, approved, approved')
  })

  test('accepts a repeated decision without effect, and refuses a different one', async () => {
    const { body } = await ask({ count: 2 })
    const [first] = body.required_actions
    await act(body.id, { type: 'approve', action_id: first.id, comment: 'first' })
    expect((await act(body.id, { type: 'approve', action_id: first.id, comment: 'again' })).status).toBe(200)
    const other = await act(body.id, { type: 'reject', action_id: first.id })
    expect(codeOf(other)).toEqual([422, 'action_already_resolved'])
    expect((await head(body.id))?.actions).toBe(1)
    expect((await decisionsOf(body.id))[0]).toMatchObject({ resolution: 'approve', comment: 'first' })
  })

  test('accepts a repeated decision after the end of the run, and refuses a different one', async () => {
    const { body } = await ask()
    const [{ id: action_id }] = body.required_actions
    await act(body.id, { type: 'approve', action_id, comment: 'first' })
    const run = await ended(body.id)
    for (const decision of [{ type: 'approve', action_id }, { type: 'approve' }]) {
      const again = await act(body.id, decision)
      expect([again.status, again.body]).toEqual([200, run])
    }
    expect(codeOf(await act(body.id, { type: 'reject', action_id }))).toEqual([422, 'action_already_resolved'])
    expect(codeOf(await act(body.id, { type: 'message', payload: { message: 'x' } }))).toEqual([422, 'run_not_active'])
    expect(await decisionsOf(body.id)).toMatchObject([{ resolution: 'approve', comment: 'first' }])
  })

  test('an answer with a different payload is a different decision, regardless of the order of its fields', async () => {
    const { body } = await ask({ type: 'input', count: 2 })
    const [{ id: action_id }] = body.required_actions
    await act(body.id, { type: 'respond', action_id, payload: { a: 1, b: 2 } })
    expect((await act(body.id, { type: 'respond', action_id, payload: { b: 2, a: 1 } })).status).toBe(200)
    const other = await act(body.id, { type: 'respond', action_id, payload: { a: 1, b: 3 } })
    expect(codeOf(other)).toEqual([422, 'action_already_resolved'])
  })

  test('twenty concurrent decisions make one decision', async () => {
    const { body } = await ask()
    const types = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? 'approve' : 'reject'))
    const answers = await Promise.all(types.map((type) => act(body.id, { type })))
    const [decision] = await decisionsOf(body.id)
    for (const [at, answer] of answers.entries()) {
      if (answer.status === 200) expect(types[at]).toBe(decision?.resolution)
      // A busy machine may turn some away with 503.
      else expect(['action_already_resolved', 'run_not_active', 'unavailable']).toContain(answer.body.error.code)
    }
    expect(answers.some(({ status }) => status === 200)).toBe(true)
    expect((await ended(body.id)).output.decision).toBe(decision?.resolution === 'approve' ? 'approved' : 'rejected')
  })

  test('holds no slot while it waits, and resumes before queued runs', async () => {
    const tenant = await app.addTenant()
    await app.query('update organisations set concurrent_runs = 1 where id = $1', [tenant.org])
    const { body: asking } = await app.call('POST', '/v2/runs', {
      key: tenant.key,
      body: { agent_id: tenant.agents['test-approval'], input: {} },
    })
    expect(asking.status).toBe('requires_action')
    const { body: busy } = await slowRun(tenant, 60)
    await until('the slot to be taken', async () => (await readAs(tenant, busy.id)).status === 'running')
    const { body: queued } = await slowRun(tenant, 1)
    expect((await readAs(tenant, queued.id)).status).toBe('queued')
    await act(asking.id, { type: 'approve' }, { key: tenant.key })
    await app.call('DELETE', `/v2/runs/${busy.id}`, { key: tenant.key })
    const last = await until('both to end', async () => {
      const run = await readAs(tenant, queued.id)
      return run.finished_at && run
    })
    const first = await readAs(tenant, asking.id)
    expect([first.status, last.status]).toEqual(['completed', 'completed'])
    expect(Date.parse(last.started_at)).toBeGreaterThanOrEqual(Date.parse(first.finished_at))
  })

  test('can be cancelled and then accepts no decision', async () => {
    const { body } = await ask()
    expect((await app.call('DELETE', `/v2/runs/${body.id}`)).body.status).toBe('cancelled')
    expect(codeOf(await act(body.id, { type: 'approve' }))).toEqual([422, 'run_not_active'])
    expect((await get(body.id)).status).toBe('cancelled')
  })

  test('continues although the gateway that accepted the decision could not notify the engine', async () => {
    const { body } = await ask()
    const deaf = await app.join('gateway', { ARS_ENGINE_INGRESS_URL: 'http://127.0.0.1:1' })
    expect((await act(body.id, { type: 'approve' }, {}, deaf.url)).status).toBe(200)
    await deaf.stop()
    expect(await ended(body.id)).toMatchObject({ status: 'completed', output: { result: 'approved' } })
  })
})

describe('[S22] an action can be sent to an active run only', () => {
  test('a completed, failed, timed-out or cancelled run gets 422 and stays unchanged', async () => {
    const make = async (agent: string, input = {}, more = {}) => {
      const body = { agent_id: app.tenant.agents[agent], input, ...more }
      return (await app.call('POST', '/v2/runs', { body })).body
    }
    const { body: asked } = await ask()
    const runs = {
      completed: await make('test-echo'),
      failed: await make('test-fail', { code: 'agent_error' }),
      timedOut: await make('test-slow', { seconds: 60 }, { timeout_seconds: 1 }),
      cancelled: (await app.call('DELETE', `/v2/runs/${asked.id}`)).body,
    }
    expect(Object.values(runs).map(({ status, error }) => [status, error?.code])).toEqual([
      ['completed', undefined],
      ['failed', 'agent_error'],
      ['failed', 'run_timeout'],
      ['cancelled', undefined],
    ])
    for (const run of Object.values(runs)) {
      await expectNotActive(run.id)
      expect(await get(run.id)).toEqual(run)
    }
  })

  test('a run that is being cancelled gets 422, and so does a cancelled one', async () => {
    const { body } = await slowRun(app.tenant, 600)
    await inState(body.id, 'running')
    // The worker cannot confirm that it has stopped, so the run stays in `cancelling`.
    await app.query(`create function keep() returns trigger language plpgsql as 'begin return null; end'`)
    await app.query(`create trigger keep before delete on run_heads for each row
      when (old.status = 'cancelling') execute function keep()`)
    expect((await app.call('DELETE', `/v2/runs/${body.id}`)).body.status).toBe('cancelling')
    await expectNotActive(body.id)
    expect((await get(body.id)).status).toBe('cancelling')
    await app.query('drop function keep cascade')
    // The worker's grace period is over.
    await moveDatabaseClock(app.database.ownerUrl, 60_000)
    await inState(body.id, 'cancelled')
    await expectNotActive(body.id)
  })

  test('an unknown run, another organisation’s run and an unknown action are 404', async () => {
    const { body } = await ask()
    const stranger = await app.addTenant()
    const approve = { type: 'approve', action_id: body.required_actions[0].id }
    expect(codeOf(await act('run_01h455vb4pex5vsknk084sn02q', approve))).toEqual([404, 'not_found'])
    expect(codeOf(await act(body.id, approve, { key: stranger.key }))).toEqual([404, 'not_found'])
    const unknown = { type: 'approve', action_id: 'act_01h455vb4pex5vsknk084sn02q' }
    expect(codeOf(await act(body.id, unknown))).toEqual([404, 'not_found'])
    expect((await get(body.id)).status).toBe('requires_action')
  })

  test('a decision without an open action is 422, for a queued run and for a running one', async () => {
    const tenant = await app.addTenant()
    await app.query('update organisations set concurrent_runs = 1 where id = $1', [tenant.org])
    const start = async () => (await slowRun(tenant, 30)).body
    const running = await start()
    await until('the first to run', async () => (await readAs(tenant, running.id)).status === 'running')
    const queued = await start()
    expect((await readAs(tenant, queued.id)).status).toBe('queued')
    for (const { id } of [running, queued]) {
      expect(codeOf(await act(id, { type: 'approve' }, { key: tenant.key }))).toEqual([422, 'no_open_action'])
      await app.call('DELETE', `/v2/runs/${id}`, { key: tenant.key })
    }
  })

  test.for<[string, unknown]>([
    ['an unknown type', { type: 'shrug' }],
    ['no type', { comment: 'well?' }],
    ['a malformed action id', { type: 'approve', action_id: 'act_1' }],
    ['another kind of id', { type: 'approve', action_id: 'run_01h455vb4pex5vsknk084sn02q' }],
    ['an unknown field', { type: 'approve', force: true }],
    ['a comment that is too long', { type: 'approve', comment: 'x'.repeat(2001) }],
  ])('%s is malformed', async ([, body]) => {
    const run = await ask()
    expect(codeOf(await act(run.body.id, body))).toEqual([400, 'invalid_request'])
    expect((await get(run.body.id)).status).toBe('requires_action')
  })

  test('a payload that is too large is 413, and characters that the database cannot store never cause a 5xx', async () => {
    const { body } = await ask()
    expect((await act(body.id, { type: 'respond', payload: 'x'.repeat(1_048_577) })).status).toBe(413)
    for (const comment of ['a\u0000b', 'a\ud800b']) {
      expect([200, 400, 422]).toContain((await act(body.id, { type: 'approve', comment })).status)
    }
  })
})

describe('an idempotency key on an action', () => {
  test('has one effect: twenty concurrent calls, and later ones, get the run', async () => {
    const { body } = await ask({ count: 2 })
    const decision = { type: 'approve', action_id: body.required_actions[0].id }
    const headers = { 'idempotency-key': 'decide once' }
    const answers = await Promise.all(Array.from({ length: 20 }, () => act(body.id, decision, headers)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(answers.filter(({ headers: sent }) => sent['idempotency-replayed'] === 'true')).toHaveLength(19)
    expect((await head(body.id))?.actions).toBe(1)
    await act(body.id, { type: 'approve', action_id: body.required_actions[1].id })
    await ended(body.id)
    // The first response may have been lost: the retry does not fail as too late.
    const late = await act(body.id, decision, headers)
    expect([late.status, late.headers['idempotency-replayed'], late.body.status]).toEqual([200, 'true', 'completed'])
  })

  test('makes one message from twenty calls', async () => {
    const { body } = await ask()
    const message = { type: 'message', payload: { message: 'hello' } }
    const headers = { 'idempotency-key': 'say once' }
    await Promise.all(Array.from({ length: 20 }, () => act(body.id, message, headers)))
    expect(await messagesOf(app, body.id)).toEqual(['hello'])
  })

  test('with a different body, or for a different run, is 422', async () => {
    const one = await ask({ count: 2 })
    const other = await ask({ count: 2 })
    const headers = { 'idempotency-key': 'of one request' }
    const decision = { type: 'approve', action_id: one.body.required_actions[0].id }
    await act(one.body.id, decision, headers)
    expect(codeOf(await act(one.body.id, { ...decision, type: 'reject' }, headers))).toEqual([
      422,
      'idempotency_key_reused',
    ])
    expect(codeOf(await act(other.body.id, decision, headers))).toEqual([422, 'idempotency_key_reused'])
  })

  test('is not consumed by a refused request', async () => {
    const over = await app.call('POST', '/v2/runs', { body: { agent_id: app.tenant.agents['test-echo'], input: {} } })
    const { body } = await ask({ type: 'input', response_schema: { type: 'object', required: ['n'] } })
    const headers = { 'idempotency-key': 'at last' }
    const message = { type: 'message', payload: { message: 'hello' } }
    expect(codeOf(await act(over.body.id, message, headers))).toEqual([422, 'run_not_active'])
    expect(codeOf(await act(over.body.id, message, headers))).toEqual([422, 'run_not_active'])
    expect(codeOf(await act('run_01h455vb4pex5vsknk084sn02q', message, headers))).toEqual([404, 'not_found'])
    expect(codeOf(await act(body.id, { type: 'respond', payload: {} }, headers))).toEqual([422, 'payload_invalid'])
    const good = await act(body.id, { type: 'respond', payload: { n: 1 } }, headers)
    expect([good.status, good.headers['idempotency-replayed']]).toEqual([200, undefined])
  })

  test('of a run does not apply to its actions', async () => {
    const headers = { 'idempotency-key': 'one for both' }
    const { body } = await ask({}, headers)
    const answer = await act(body.id, { type: 'approve' }, headers)
    expect([answer.status, answer.headers['idempotency-replayed']]).toEqual([200, undefined])
  })
})

describe('the timeout of a run', () => {
  test('is suspended while a person is asked, and the remaining time continues afterwards', async () => {
    const script = [{ asks: [{ type: 'approval', message: 'Go on?' }] }, { text: 'done', delay_ms: 3_000 }]
    const { body } = await play(script, { timeout_seconds: 60 })
    await inState(body.id, 'requires_action')
    await moveDatabaseClock(app.database.ownerUrl, 3_600_000)
    await act(body.id, { type: 'approve' })
    const leftMs = (await head(body.id))?.left_ms ?? 0
    expect(leftMs).toBeGreaterThan(20_000)
    expect(leftMs).toBeLessThanOrEqual(60_000)
    const run = await ended(body.id)
    expect(run).toMatchObject({ status: 'completed', output: { result: 'done' } })
    expect(run.timing.waiting_ms).toBeGreaterThanOrEqual(3_600_000)
    expect(run.timing.execution_ms).toBeLessThan(60_000)
    expect(run.latency_ms).toBeGreaterThan(run.timing.waiting_ms)
  })

  test('ends the run when no decision was made in time, and not a moment earlier', async () => {
    const { body } = await ask({ expires_in_seconds: 3600 })
    await moveDatabaseClock(app.database.ownerUrl, 3_500_000)
    expect((await get(body.id)).status).toBe('requires_action')
    await moveDatabaseClock(app.database.ownerUrl, 101_000)
    const run = await ended(body.id)
    expect(run).toMatchObject({ status: 'failed', error: { code: 'action_timeout' }, required_actions: [] })
    expect(run.timing.waiting_ms).toBeGreaterThanOrEqual(3_600_000)
    expect(codeOf(await act(body.id, { type: 'approve' }))).toEqual([422, 'run_not_active'])
  })

  test('an action that was decided in time does not end the run at its expiry', async () => {
    const asks = [
      { type: 'approval', message: 'Soon?', expires_in_seconds: 600 },
      { type: 'approval', message: 'Later?', expires_in_seconds: 86_400 },
    ]
    const { body } = await play([{ asks }, { text: 'done' }])
    const { required_actions } = await inState(body.id, 'requires_action')
    await act(body.id, { type: 'approve', action_id: required_actions[0].id })
    await moveDatabaseClock(app.database.ownerUrl, 3_600_000)
    expect((await head(body.id))?.left_ms).toBeGreaterThan(80_000_000)
    await act(body.id, { type: 'approve', action_id: required_actions[1].id })
    expect((await ended(body.id)).status).toBe('completed')
  })
})

describe('a message', () => {
  test('[S22] reaches a queued run, a running one and a waiting one, in the order of sending', async () => {
    const tenant = await app.addTenant()
    await app.query('update organisations set concurrent_runs = 1 where id = $1', [tenant.org])
    const before = await slowRun(tenant, 30)
    const agent = await app.addAgent({ config: { model: 'simulated/script' } }, tenant)
    const script = [{ delay_ms: 1_000, asks: [{ type: 'approval', message: 'Go on?' }] }, ...replies(4)]
    const queued = await app.call('POST', '/v2/runs', {
      key: tenant.key,
      body: { agent_id: agent, input: { script } },
      headers: { prefer: 'respond-async' },
    })
    const say = (message: string) => act(queued.body.id, { type: 'message', payload: { message } }, { key: tenant.key })
    expect(await say('while queued')).toMatchObject({ status: 200, body: { status: 'queued' } })
    await app.call('DELETE', `/v2/runs/${before.body.id}`, { key: tenant.key })
    await until('the run to start', async () => (await readAs(tenant, queued.body.id)).status === 'running')
    expect((await say('while running')).status).toBe(200)
    await until('the run to wait', async () => (await readAs(tenant, queued.body.id)).status === 'requires_action')
    // A message is not a decision.
    expect(await say('while it waits')).toMatchObject({ status: 200, body: { status: 'requires_action' } })
    await act(queued.body.id, { type: 'approve' }, { key: tenant.key })
    await until('the end', async () => (await readAs(tenant, queued.body.id)).status === 'completed')
    expect(await messagesOf(app, queued.body.id)).toEqual(['while queued', 'while running', 'while it waits'])
    expect(await unreadOf(app, queued.body.id)).toBe(0)
  })

  test.each(['message', 'respond'])('without a payload a %s is 400', async (type) => {
    const { body } = await ask()
    const refused = await act(body.id, { type })
    expect([refused.status, refused.body.error.code, refused.body.error.param]).toEqual([
      400,
      'invalid_request',
      'payload',
    ])
  })

  test.for<[string, unknown]>([
    ['a bare text', 'hello'],
    ['an empty text', { message: '' }],
    ['another shape', { text: 'hello' }],
    ['a text that is too long', { message: 'x'.repeat(limits.messageChars + 1) }],
  ])('with %s is 422', async ([, payload]) => {
    const { body } = await ask()
    const refused = await act(body.id, { type: 'message', payload })
    expect([refused.status, refused.body.error.code, refused.body.error.param]).toEqual([
      422,
      'payload_invalid',
      'payload',
    ])
    expect(await messagesOf(app, body.id)).toEqual([])
  })
})

describe('[S7] run submission with the same idempotency key has one effect', () => {
  const submit = (path: string, key: string, steps = 2) =>
    app.call('POST', path, {
      body: { agent_id: app.tenant.agents['test-steps'], input: { steps, delay_ms: 200 }, metadata: { key } },
      headers: { 'idempotency-key': key },
    })
  const runsWith = (key: string) => app.query('select from run_labels where key = $1 and value = $2', ['key', key])
  const idOf = ({ headers }: Reply) => headers['x-run-id']

  test('on both routes concurrently: ten waiting calls and ten streaming calls attach to one run', async () => {
    const paths = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? '/v2/runs' : '/v2/runs/stream'))
    const answers = await Promise.all(paths.map((path) => submit(path, 'both')))
    expect(new Set(answers.map(idOf)).size).toBe(1)
    expect(await runsWith('both')).toHaveLength(1)
    expect(answers.filter(({ headers }) => headers['idempotency-replayed'] === 'true')).toHaveLength(19)
    for (const [at, { status, body, text }] of answers.entries()) {
      expect(status).toBe(200)
      const run = paths[at] === '/v2/runs' ? body : (framesOf(text).at(-1)?.data.run as { status: string })
      expect(run).toMatchObject({ status: 'completed', output: { steps: 2 } })
    }
  })

  test.for<[string, string]>([
    ['/v2/runs', '/v2/runs/stream'],
    ['/v2/runs/stream', '/v2/runs'],
  ])('%s first, then %s: the replay attaches to the run, also after its end', async ([first, second]) => {
    const key = `first ${first}`
    const one = await submit(first, key)
    const other = await submit(second, key)
    expect(idOf(other)).toBe(idOf(one))
    expect([other.status, other.headers['idempotency-replayed']]).toEqual([200, 'true'])
    expect(other.headers.location).toBe(`/v2/runs/${idOf(one)}`)
    expect(await runsWith(key)).toHaveLength(1)
    const stream = framesOf(first === '/v2/runs' ? other.text : one.text)
    expect(stream.map(({ id }) => Number(id))).toEqual(stream.map((_, at) => at + 1))
    expect([stream[0]?.event, stream.at(-1)?.event]).toEqual(['run.created', 'run.completed'])
    expect(codeOf(await submit(second, key, 3))).toEqual([422, 'idempotency_key_reused'])
  })

  test('a replay of a run that waits for a person is answered at once', async () => {
    const headers = { 'idempotency-key': 'waits' }
    const first = await ask({}, headers)
    const twin = await ask({}, headers)
    expect(twin.status).toBe(202)
    expect(twin.body).toMatchObject({ id: first.body.id, required_actions: first.body.required_actions })
  })
})

test('a run accepts 2,000 actions, and the next is 422 (limits.actionsPerRun)', async () => {
  const { body } = await ask()
  const say = (message: string) => act(body.id, { type: 'message', payload: { message } })
  for (const message of ['1', '2', '3']) expect((await say(message)).status).toBe(200)
  expect((await head(body.id))?.actions).toBe(3)
  await app.query('update run_heads set actions = 1999 where run_id = $1', [toUuid(body.id)])
  expect((await say('the last')).status).toBe(200)
  expect(codeOf(await say('one more'))).toEqual([422, 'too_many_actions'])
  expect(codeOf(await act(body.id, { type: 'approve' }))).toEqual([422, 'too_many_actions'])
  expect(await messagesOf(app, body.id)).toEqual(['1', '2', '3', 'the last'])
})

const replies = (count: number) => Array.from({ length: count }, (_, at) => ({ text: `reply ${at + 1}` }))

const slowRun = (tenant: Tenant, seconds: number) =>
  app.call('POST', '/v2/runs', {
    key: tenant.key,
    body: { agent_id: tenant.agents['test-slow'], input: { seconds } },
    headers: { prefer: 'respond-async' },
  })

const readAs = async ({ key }: Tenant, id: string) => (await app.call('GET', `/v2/runs/${id}`, { key })).body
