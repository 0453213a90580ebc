import { contract } from '@ars/contract'
import { asClient } from '@ars/testkit/client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type App, framesOf, type Reply, sharedApp, startApp, until } from './app.ts'

let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

const isAsync = { prefer: 'respond-async' }

const create = (
  agent: string,
  input: object,
  more: { headers?: Record<string, string>; on?: App; body?: object } = {},
) => {
  const { on = app, headers = {}, body = {} } = more
  const asked = { agent_id: on.tenant.agents[agent], input, ...body }
  return on.call('POST', '/v2/runs', { body: asked, headers })
}

const read = async (id: string, on = app) => (await on.call('GET', `/v2/runs/${id}`)).body
const diagnose = async (id: string, on = app) => {
  const { status, body } = await on.call('GET', `/v2/runs/${id}/diagnosis`)
  expect(status).toBe(200)
  expect(contract.runs.diagnose.output.strict().safeParse(body).error).toBeUndefined()
  return body
}

const ended = (id: string, on = app) =>
  until('the run to end', async () => {
    const run = await read(id, on)
    return ['completed', 'failed', 'cancelled'].includes(run.status) && run
  })

describe('the run object', () => {
  test('[S84] polling GET /runs/{id} gives the result of one operation', async () => {
    const { status, body } = await create('test-steps', { steps: 2, delay_ms: 300 }, { headers: isAsync })
    expect(status).toBe(202)
    expect(body).toMatchObject({ output: null, latency_ms: null, finished_at: null })
    const run = await ended(body.id)
    expect(run).toMatchObject({ id: body.id, status: 'completed', output: { result: '2 steps done', steps: 2 } })
    expect(run.latency_ms).toBeGreaterThanOrEqual(600)
    expect(await read(body.id)).toEqual(run)
  })

  test('[S5] a run carries tokens_used, and the monthly quota counts calls, regardless of tokens', async () => {
    const usedUp = async (query: string) => {
      const tenant = await app.addTenant({ limits: { callsPerMonth: 3 } })
      const body = { agent_id: tenant.agents['test-echo'], input: { query } }
      const replies: Reply[] = []
      for (let call = 1; call <= 4; call++) replies.push(await app.call('POST', '/v2/runs', { key: tenant.key, body }))
      const passed = replies.filter(({ status }) => status === 200).map((reply) => reply.body)
      for (const { tokens_used, usage } of passed) {
        expect(tokens_used).toBe(usage.input_tokens + usage.output_tokens)
      }
      return {
        outcomes: replies.map((reply) => [reply.status, reply.body.error?.code]),
        tokens: passed.reduce((sum, { tokens_used }) => sum + tokens_used, 0),
      }
    }
    const [small, large] = [await usedUp('a few'), await usedUp('words '.repeat(400))]
    expect(small.tokens).toBeGreaterThan(0)
    expect(large.tokens).toBeGreaterThan(50 * small.tokens)
    const threeCalls = [...Array(3).fill([200, undefined]), [429, 'quota_exceeded']]
    expect([small.outcomes, large.outcomes]).toEqual([threeCalls, threeCalls])
  })

  test('[S20] successful and failed outcomes exist, and a timed-out run counts as failed', async () => {
    const [success, failure, late] = await Promise.all([
      create('test-echo', { query: 'well' }),
      create('test-fail', { code: 'tool_error', message: 'The printer is on fire' }),
      create('test-slow', { seconds: 60 }, { body: { timeout_seconds: 1 } }),
    ])
    expect([success.status, failure.status, late.status]).toEqual([200, 200, 200])
    expect([success.body.status, failure.body.status, late.body.status]).toEqual(['completed', 'failed', 'failed'])
    expect(late.body.error).toMatchObject({ code: 'run_timeout' })
    expect(late.body.latency_ms).toBeGreaterThanOrEqual(1_000)
    expect(late.body.timing).toMatchObject({ waiting_ms: 0 })
  })

  test('[S16] a failed run is the run object plus error details', async () => {
    const { body } = await create('test-fail', { code: 'model_error', message: 'The provider is away' })
    const completed = await create('test-echo', { query: 'well' })
    expect(Object.keys(body)).toEqual(Object.keys(completed.body))
    expect(body).toMatchObject({ status: 'failed', output: null })
    expect(Object.keys(body.error)).toEqual(['code', 'message', 'retryable', 'details'])
    expect(body.error).toMatchObject({
      code: 'model_error',
      message: 'The provider is away',
      retryable: expect.any(Boolean),
    })
    expect(completed.body.error).toBeNull()
    expect(await read(body.id)).toEqual(body)
    const listed = await app.call('GET', '/v2/runs?status=failed&limit=1')
    expect(listed.body.data).toEqual([body])
  })

  test.each([
    ['agent_id', 'missing', undefined],
    ['agent_id', 'null', null],
    ['agent_id', 'a number', 7],
    ['agent_id', 'a list', ['ag_01h455vb4pex5vsknk084sn02q']],
    ['agent_id', 'an object', {}],
    ['input', 'missing', undefined],
    ['input', 'null', null],
    ['input', 'a string', 'x'],
    ['input', 'a list', []],
    ['input', 'a number', 7],
    ['input', 'true', true],
  ])('[S42] POST /runs with %s that is %s is 400', async (field, _what, value) => {
    const good = { agent_id: app.tenant.agents['test-echo'], input: {} }
    const { status, body } = await app.call('POST', '/v2/runs', { body: { ...good, [field]: value } })
    expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', field])
  })
})

describe('GET /runs/{id}/steps', () => {
  test('shows each step with its text, usage and duration, oldest first', async () => {
    const run = (await create('test-steps', { steps: 3, delay_ms: 50 })).body
    const { status, body } = await app.call('GET', `/v2/runs/${run.id}/steps`)
    expect(status).toBe(200)
    expect(contract.runs.steps.output.strict().safeParse(body).error).toBeUndefined()
    expect(body.data.map(({ number }: { number: number }) => number)).toEqual([1, 2, 3])
    for (const step of body.data) {
      expect(step).toMatchObject({ type: 'model', status: 'completed', model: 'simulated/steps', tool_calls: [] })
      expect(step.duration_ms).toBeGreaterThanOrEqual(50)
    }
    expect(body.data[2].text).toBe('3 steps done')
    const tokens = body.data.map(({ usage }: { usage: { input_tokens: number; output_tokens: number } }) => usage)
    const sum = tokens.reduce(
      (all: number, usage: (typeof tokens)[0]) => all + usage.input_tokens + usage.output_tokens,
      0,
    )
    expect(sum).toBe(run.tokens_used)
  })

  test('shows tries that failed and the failed step, as the frames of the run do', async () => {
    const flaky = (await create('test-flaky', { fail_times: 2, retry_after_ms: 10, after_chunks: 1 })).body
    const [retried] = (await app.call('GET', `/v2/runs/${flaky.id}/steps`)).body.data
    const error = { code: 'model_error', message: 'The simulated provider answered 503: it cannot answer just now' }
    expect(retried).toMatchObject({ status: 'completed', attempts: [{ error }, { error }] })
    const times = [retried.started_at, ...retried.attempts.map((each: { started_at: string }) => each.started_at)]
    expect([...times, retried.finished_at]).toEqual([...times, retried.finished_at].toSorted())
    const broken = (await create('test-fail', { code: 'tool_error', message: 'No such luck' })).body
    const { body } = await app.call('GET', `/v2/runs/${broken.id}/steps`)
    expect(contract.runs.steps.output.strict().safeParse(body).error).toBeUndefined()
    expect(body.data).toMatchObject([
      { status: 'failed', attempts: [{ error: { code: 'tool_error', message: 'No such luck' } }] },
    ])
    const { text } = await app.call('GET', `/v2/runs/${broken.id}/stream`)
    const completed = framesOf(text).find(({ event }) => event === 'run.step.completed')
    expect(completed?.data).toMatchObject({ step: 1, status: 'failed', duration_ms: body.data[0].duration_ms })
  })

  test('shows the stored steps and the one in progress while the run is in flight', async () => {
    const script = [
      { text: 'first', again: true },
      { text: 'second', delay_ms: 600_000 },
    ]
    const agent_id = await app.addAgent({ config: { model: 'simulated/script' } })
    const { body } = await app.call('POST', '/v2/runs', { body: { agent_id, input: { script } }, headers: isAsync })
    const stepsAt = async (query = '') => (await app.call('GET', `/v2/runs/${body.id}/steps${query}`)).body
    const { data: shown } = await until('the second step', async () => {
      const list = await stepsAt()
      expect(contract.runs.steps.output.strict().safeParse(list).error).toBeUndefined()
      // The numbers have no gap, and only the last step is in progress.
      const steps: { number: number; status: string }[] = list.data
      expect(steps.map(({ number }) => number)).toEqual(steps.map((_, at) => at + 1))
      expect(steps.slice(0, -1).every(({ status }) => status === 'completed')).toBe(true)
      return steps.length === 2 && list
    })
    expect(shown[1]).toMatchObject({
      number: 2,
      type: 'model',
      status: 'running',
      model: 'simulated/script',
      started_at: expect.stringMatching(/Z$/),
      finished_at: null,
      duration_ms: null,
    })
    expect((await read(body.id)).status).toBe('running')
    const numbers = async (query: string) => (await stepsAt(query)).data.map(({ number }: { number: number }) => number)
    expect(await numbers('?limit=1')).toEqual([1])
    expect(await numbers('?after=1')).toEqual([2])
    expect(await numbers('?after=2')).toEqual([])
    expect(await numbers('?before=2')).toEqual([1])
    expect(await numbers('?before=9&limit=1')).toEqual([2])
    await app.call('DELETE', `/v2/runs/${body.id}`)
    const ended = await until('the end', async () => {
      const run = await read(body.id)
      return run.finished_at !== null && run
    })
    expect((await stepsAt()).data[1]).toMatchObject({ number: 2, status: 'failed', finished_at: ended.finished_at })
  })

  test('shows no step in progress while the run waits for a person', async () => {
    const { body } = await create('test-approval', {})
    expect(body.status).toBe('requires_action')
    const { data } = (await app.call('GET', `/v2/runs/${body.id}/steps`)).body
    expect(data.filter(({ status }: { status: string }) => status === 'running')).toEqual([])
  })
})

describe('GET /runs/{id}/diagnosis', () => {
  test('an ended run waits for nothing', async () => {
    const run = (await create('test-echo', {})).body
    expect(await diagnose(run.id)).toMatchObject({
      run_id: run.id,
      status: 'completed',
      waiting_for: 'nothing',
      since: run.finished_at,
      last_progress_at: run.finished_at,
      queue_position: null,
      blocked_by: [],
      retry_at: null,
      action_ids: [],
      next_deadline_at: null,
    })
  })

  test('a run whose step is in flight waits for its provider, with a deadline', async () => {
    const { body } = await create('test-slow', { seconds: 600 }, { headers: isAsync, body: { timeout_seconds: 900 } })
    const facts = await until('the step', async () => {
      const found = await diagnose(body.id)
      return found.waiting_for === 'provider' && found
    })
    expect(facts).toMatchObject({ status: 'running', message: 'Step 1 is under way.', retry_at: null })
    expect(new Date(facts.next_deadline_at).getTime() - new Date(body.created_at).getTime()).toBe(900_000)
    await app.call('DELETE', `/v2/runs/${body.id}`)
  })

  test('a run whose provider has failed shows the time of the next attempt, and the error', async () => {
    const input = { fail_times: 2, retry_after_ms: 30_000 }
    const { body } = await create('test-flaky', input, { headers: isAsync })
    const facts = await until('the back-off', async () => {
      const found = await diagnose(body.id)
      return found.retry_at !== null && found
    })
    expect(facts.waiting_for).toBe('provider')
    expect(new Date(facts.retry_at).getTime()).toBeGreaterThan(new Date(body.created_at).getTime() + 25_000)
    expect(facts.message).toContain(`is tried again at ${facts.retry_at}`)
    await app.call('DELETE', `/v2/runs/${body.id}`)
  })

  test('a run that asks a person waits for the action, by its id', async () => {
    const { status, body } = await create('test-approval', { count: 2, expires_in_seconds: 600 })
    expect(status).toBe(202)
    const facts = await diagnose(body.id)
    expect(facts).toMatchObject({ status: 'requires_action', waiting_for: 'action', queue_position: null })
    expect(facts.action_ids).toEqual(body.required_actions.map(({ id }: { id: string }) => id))
    expect(facts.message).toBe('The run waits for 2 decisions by a person.')
    expect(new Date(facts.next_deadline_at).getTime()).toBeGreaterThan(new Date(body.created_at).getTime() + 500_000)
    await app.call('DELETE', `/v2/runs/${body.id}`)
  })

  test('a run beyond the organisation’s limit waits for a slot, with its position and the holders', async () => {
    await limitRuns(1)
    onTestFinished(() => limitRuns(5))
    const first = (await create('test-slow', { seconds: 600 }, { headers: isAsync })).body
    const waiting = [
      (await create('test-echo', {}, { headers: isAsync })).body,
      (await create('test-echo', {}, { headers: isAsync })).body,
    ]
    for (const [at, run] of waiting.entries()) {
      expect(await diagnose(run.id)).toMatchObject({
        status: 'queued',
        waiting_for: 'slot',
        message: `All 1 runs that the organisation may have at once are under way; ${at + 1} in line.`,
        since: run.created_at,
        queue_position: at + 1,
        blocked_by: [first.id],
      })
    }
    await app.call('DELETE', `/v2/runs/${first.id}`)
    for (const { id } of waiting) expect((await ended(id)).status).toBe('completed')
  })
})

describe('DELETE /runs/{id}/data', () => {
  test('erases the input and output of an ended run and keeps its record', async () => {
    const secret = 'Sofja Kovalevskaya, 12 St James’s Square'
    const metadata = { ticket: '7' }
    const run = (await create('test-stream', { text: secret, chunks: 3, delay_ms: 0 }, { body: { metadata } })).body
    expect(run.output.result).toBe(secret)
    const { status, body } = await app.call('DELETE', `/v2/runs/${run.id}/data`)
    expect(status).toBe(200)
    const erased = { input: {}, output: null, metadata: {}, erased_at: expect.stringMatching(/Z$/) }
    expect(run.erased_at).toBeNull()
    expect(body).toEqual({ ...run, ...erased })
    expect(await read(run.id)).toEqual(body)
    expect((await app.call('GET', `/v2/runs/${run.id}/steps`)).body.data).toEqual([])
    const stream = await app.call('GET', `/v2/runs/${run.id}/stream`)
    expect([stream.status, stream.text.includes('Kovalevskaya')]).toEqual([200, false])
    expect((await app.call('GET', '/v2/runs?metadata[ticket]=7')).body.data).toEqual([])
    expect((await app.call('GET', '/v2/runs?limit=1')).body.data).toEqual([body])
    expect(await rowsWith('Kovalevskaya')).toEqual([])
    const again = await app.call('DELETE', `/v2/runs/${run.id}/data`)
    expect([again.status, again.body]).toEqual([200, body])
  })

  test('keeps the code of an error and erases its words', async () => {
    const run = (await create('test-fail', { message: 'No account of Mary Wollstonecraft' })).body
    expect(run.error.message).toContain('Wollstonecraft')
    const { body } = await app.call('DELETE', `/v2/runs/${run.id}/data`)
    expect(body.error).toEqual({ code: 'agent_error', message: 'Erased', retryable: false, details: null })
    expect(await rowsWith('account of Mary')).toEqual([])
  })

  test('erases the questions to people and their answers', async () => {
    const run = (await create('test-approval', { message: 'Pay Mary Wollstonecraft?' })).body
    const action = { type: 'approve', comment: 'Wollstonecraft is right', payload: undefined }
    await app.call('POST', `/v2/runs/${run.id}/action`, { body: action })
    await ended(run.id)
    expect((await rowsWith('Wollstonecraft')).length).toBeGreaterThan(1)
    await app.call('DELETE', `/v2/runs/${run.id}/data`)
    expect(await rowsWith('Wollstonecraft')).toEqual([])
  })

  test('of an active run is 422 and erases nothing', async () => {
    const run = (await create('test-slow', { seconds: 600, note: 'kept' }, { headers: isAsync })).body
    const { status, body } = await app.call('DELETE', `/v2/runs/${run.id}/data`)
    expect([status, body.error.code]).toEqual([422, 'run_not_ended'])
    expect((await read(run.id)).input).toEqual({ seconds: 600, note: 'kept' })
    await app.call('DELETE', `/v2/runs/${run.id}`)
  })
})

test.each([
  ['GET', '/steps'],
  ['GET', '/diagnosis'],
  ['DELETE', '/data'],
])('%s of another organisation’s run%s is 404, like that of an unknown run', async (method, path) => {
  const run = (await create('test-echo', { query: 'mine' })).body
  const other = await app.addTenant()
  const theirs = await app.call(method, `/v2/runs/${run.id}${path}`, { key: other.key })
  const nobodys = await app.call(method, `/v2/runs/run_01h455vb4pex5vsknk084sn02q${path}`, { key: other.key })
  for (const { status, body } of [theirs, nobodys]) expect([status, body.error.code]).toEqual([404, 'not_found'])
  expect((await read(run.id)).input).toEqual({ query: 'mine' })
})

describe('GET /runs/{id}/diagnosis of a small installation', () => {
  let small: App
  beforeAll(async () => {
    small = await startApp({ role: 'gateway', env: { ARS_CELL_SLOTS: '1' } })
  })
  afterAll(() => small.stop())

  test('a run beyond the capacity of the installation waits for one of its slots', async () => {
    const worker = await small.join('worker')
    onTestFinished(() => worker.stop())
    const first = (await create('test-slow', { seconds: 600 }, { headers: isAsync, on: small })).body
    const second = (await create('test-echo', {}, { headers: isAsync, on: small })).body
    expect(await diagnose(second.id, small)).toMatchObject({
      waiting_for: 'slot',
      queue_position: 1,
      message: 'All slots of this installation are taken; 1 in line among the runs of the organisation.',
    })
    await small.call('DELETE', `/v2/runs/${first.id}`)
    expect((await ended(second.id, small)).status).toBe('completed')
  })

  test('an admitted run waits for a worker when there is none', async () => {
    const run = (await create('test-echo', {}, { headers: isAsync, on: small })).body
    expect(await diagnose(run.id, small)).toMatchObject({
      status: 'queued',
      waiting_for: 'worker',
      message: 'The run may start; no worker has taken it yet.',
      // It was admitted by a later statement of the transaction that created it.
      since: expect.stringMatching(/Z$/),
    })
  })
})

const limitRuns = (most: number) =>
  asClient(app.database.superuserUrl, async (client) => {
    await client.query('update organisations set concurrent_runs = $1 where id = $2', [most, app.tenant.org])
  })

/** The tables that contain a word anywhere in a row. */
const rowsWith = (word: string): Promise<string[]> =>
  asClient(app.database.superuserUrl, async (client) => {
    const tables = await client.query<{ name: string }>(
      `select relname as name from pg_class where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace`,
    )
    const found: string[] = []
    for (const { name } of tables.rows) {
      const { rowCount } = await client.query(`select from ${name} t where t::text like $1`, [`%${word}%`])
      if (rowCount) found.push(name)
    }
    return found
  })
