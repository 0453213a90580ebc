import { toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, sharedApp, type Tenant } from './app.ts'

let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

const daySeconds = 86_400
const as = (tenant: Tenant) => {
  const call = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    app.call(method, `/v2${path}`, {
      key: tenant.key,
      ...(body === undefined ? {} : { body }),
      ...(headers ? { headers } : {}),
    })
  return {
    call,
    get: async (path: string) => (await call('GET', path)).body,
    create: async (fields: object) => {
      const made = await call('POST', '/schedules', {
        name: 'test',
        interval_seconds: daySeconds,
        agent_id: tenant.agents['test-echo'],
        input: { query: 'hello' },
        ...fields,
      })
      expect(made).toMatchObject({ status: 201 })
      return made.body
    },
    firings: async (id: string) => (await call('GET', `/schedules/${id}/firings`)).body.data,
    events: async (type: string) =>
      (await call('GET', '/events?limit=100')).body.data.filter((event: { type: string }) => event.type === type),
  }
}

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString()

/** Sets the only date of a schedule, which may be now: a request could only name a later one. */
const moveDate = (id: string, date: string) =>
  app.query('update schedules set once_at = $2, due_at = $2 where id = $1', [toUuid(id), date])

const waits = { timeout: 120_000, interval: 250 }
const ended = async (tenant: Tenant, path: string): Promise<Record<string, unknown>> => {
  let found: Record<string, unknown> = {}
  await expect
    .poll(async () => {
      found = await as(tenant).get(path)
      return found.status
    }, waits)
    .toMatch(/^(completed|failed|cancelled)$/)
  return found
}

/** The first firing, when it has been settled. */
const settled = async (tenant: Tenant, id: string, count = 1) => {
  await expect
    .poll(async () => {
      const firings = await as(tenant).firings(id)
      return firings.filter(({ status }: { status: string }) => !['due', 'queued'].includes(status)).length
    }, waits)
    .toBe(count)
  return (await as(tenant).firings(id))[0]
}

test('a schedule of an agent fires when it is asked to, as its creator', async () => {
  const tenant = await app.addTenant()
  const { call, create, get } = as(tenant)
  const schedule = await create({ metadata: { job: 'nightly' } })
  expect(schedule).toMatchObject({ object: 'schedule', status: 'active', pause_reason: null })
  expect(schedule.next_dates).toHaveLength(5)
  const key = { 'idempotency-key': 'once' }
  const fired = await call('POST', `/schedules/${schedule.id}/run`, {}, key)
  expect(fired).toMatchObject({ status: 201, body: { kind: 'request', status: 'due' } })
  const again = await call('POST', `/schedules/${schedule.id}/run`, {}, key)
  expect(again.body.id).toBe(fired.body.id)
  const firing = await settled(tenant, schedule.id)
  expect(firing).toMatchObject({ id: fired.body.id, status: 'started', code: null, pipeline_run_id: null })
  expect(await ended(tenant, `/runs/${firing.run_id}`)).toMatchObject({
    status: 'completed',
    input: { query: 'hello' },
    metadata: { job: 'nightly' },
    created_by: schedule.created_by,
  })
  expect((await get('/runs')).data).toHaveLength(1)
})

test('a queued firing starts when the run before it ends, without a look', async () => {
  const tenant = await app.addTenant()
  const { call, create, firings } = as(tenant)
  const { id } = await create({ overlap: 'queue', agent_id: tenant.agents['test-slow'], input: { seconds: 600 } })
  const statuses = async () => (await firings(id)).map(({ status }: { status: string }) => status).toReversed()
  for (const before of [['started'], ['started', 'queued']]) {
    expect((await call('POST', `/schedules/${id}/run`, {})).status).toBe(201)
    await expect.poll(statuses, waits).toEqual(before)
  }
  // Nobody asks about the end of the run within this test.
  await app.query(`update schedule_firings set due_at = app_now() + interval '1 hour' where schedule_id = $1`, [
    toUuid(id),
  ])
  const [first] = (await firings(id)).toReversed()
  expect((await call('DELETE', `/runs/${first.run_id}`)).status).toBe(200)
  await expect.poll(statuses, waits).toEqual(['started', 'started'])
  const [second] = await firings(id)
  expect((await call('DELETE', `/runs/${second.run_id}`)).status).toBe(200)
})

test('a schedule of a pipeline fires at its only date', async () => {
  const tenant = await app.addTenant()
  const { call, create, get } = as(tenant)
  const pipeline = await call('POST', '/pipelines', {
    name: 'one step',
    definition: {
      steps: [{ key: 'only', agent_id: tenant.agents['test-echo'], input: { query: '${{ input.query }}' } }],
    },
  })
  expect(pipeline).toMatchObject({ status: 201 })
  const schedule = await create({
    interval_seconds: null,
    once_at: inAnHour(),
    agent_id: null,
    pipeline_id: pipeline.body.id,
  })
  const date = new Date().toISOString()
  await moveDate(schedule.id, date)
  const firing = await settled(tenant, schedule.id)
  expect(firing).toMatchObject({ kind: 'date', date, status: 'started', run_id: null })
  expect(await ended(tenant, `/pipeline-runs/${firing.pipeline_run_id}`)).toMatchObject({
    status: 'completed',
    pipeline_id: pipeline.body.id,
    input: { query: 'hello' },
  })
  await expect.poll(async () => (await get(`/schedules/${schedule.id}`)).status, waits).toBe('ended')
  // The end of the pipeline run is noticed, at the next look.
  await app.query('update schedule_firings set due_at = app_now() where schedule_id = $1 and due_at is not null', [
    toUuid(schedule.id),
  ])
  await expect.poll(async () => (await as(tenant).firings(schedule.id))[0].ended_at, waits).not.toBeNull()
  expect(await call('DELETE', `/pipelines/${pipeline.body.id}`)).toMatchObject({ status: 200 })
  const refused = await call('POST', '/schedules', {
    name: 'late',
    interval_seconds: 60,
    pipeline_id: pipeline.body.id,
  })
  expect(refused).toMatchObject({ status: 422, body: { error: { code: 'pipeline_archived' } } })
})

test('a paused schedule has no dates until it is resumed', async () => {
  const tenant = await app.addTenant()
  const { call, create, events } = as(tenant)
  const { id } = await create({})
  const paused = await call('POST', `/schedules/${id}/pause`, {})
  expect(paused.body).toMatchObject({ status: 'paused', pause_reason: 'requested', next_dates: [] })
  const resumed = await call('POST', `/schedules/${id}/resume`, {})
  expect(resumed.body).toMatchObject({ status: 'active', pause_reason: null, paused_at: null })
  const changed = await call('PATCH', `/schedules/${id}`, { name: 'renamed' })
  expect(changed.body).toMatchObject({ name: 'renamed', created_by: resumed.body.created_by })
  expect((await call('DELETE', `/schedules/${id}`)).status).toBe(200)
  expect((await call('GET', `/schedules/${id}`)).status).toBe(404)
  // Only what the service pauses is an event.
  expect(await events('schedule.paused')).toEqual([])
  const { data } = await as(tenant).get('/audit-log?limit=100')
  const actions = data
    .map(({ action }: { action: string }) => action)
    .filter((each: string) => each.startsWith('schedule.'))
  expect(actions.toReversed()).toEqual([
    'schedule.created',
    'schedule.paused',
    'schedule.resumed',
    'schedule.updated',
    'schedule.deleted',
  ])
})

test('the service pauses a schedule whose creator lost its key, once, with an event', async () => {
  const tenant = await app.addTenant()
  const { call, create, events, get } = as(tenant)
  const made = await call('POST', '/api-keys', {
    name: 'of the schedule',
    scopes: ['schedules:read', 'schedules:write', 'runs:read', 'runs:write'],
  })
  expect(made.status).toBe(201)
  const schedule = await as({ ...tenant, key: made.body.secret ?? made.body.key }).create({ overlap: 'allow' })
  expect(schedule.created_by).toBe(made.body.id)
  expect((await call('DELETE', `/api-keys/${made.body.id}`)).status).toBe(200)
  for (let times = 0; times < 2; times++)
    expect((await call('POST', `/schedules/${schedule.id}/run`, {})).status).toBe(201)
  await expect.poll(async () => (await get(`/schedules/${schedule.id}`)).status, waits).toBe('paused')
  const paused = await get(`/schedules/${schedule.id}`)
  expect(paused).toMatchObject({ pause_reason: 'creator_gone', next_dates: [] })
  await settled(tenant, schedule.id, 2)
  const codes = (await as(tenant).firings(schedule.id)).map(({ code }: { code: string }) => code)
  expect(codes).toContain('unauthorized')
  await expect.poll(async () => (await events('schedule.paused')).length, waits).toBe(1)
  expect((await events('schedule.paused'))[0].data).toMatchObject({ id: schedule.id, pause_reason: 'creator_gone' })
  expect((await get('/runs')).data).toEqual([])
  const { updated_at: _then, ...resumed } = (await call('POST', `/schedules/${schedule.id}/resume`, {})).body
  expect(resumed).toMatchObject({ status: 'active', pause_reason: null })
  expect(resumed.created_by).not.toBe(schedule.created_by)
  await create({})
})

describe('the key of a firing', () => {
  test('cannot be taken by the Idempotency-Key of a request', async () => {
    const tenant = await app.addTenant()
    const { call, create } = as(tenant)
    const schedule = await create({ interval_seconds: null, once_at: inAnHour() })
    const date = new Date().toISOString()
    const body = { agent_id: tenant.agents['test-echo'], input: { query: 'hello' }, metadata: {} }
    for (const name of [`schedule/${schedule.id}/${date}`, `schedule/${schedule.id}/${date}/now`])
      expect((await call('POST', '/runs', body, { 'idempotency-key': name })).status).toBeLessThan(300)
    // A header holds bytes, so this is the other form in which the key could arrive.
    for (const name of ['\u00a7', '\u00c2\u00a7']) {
      const key = `${name}schedule/${schedule.id}/${date}`
      expect((await call('POST', '/runs', body, { 'idempotency-key': key })).status).toBe(400)
    }
    await moveDate(schedule.id, date)
    const firing = await settled(tenant, schedule.id)
    expect(firing.status).toBe('started')
    const keys = await app.query<{ key: string }>(
      'select key from idempotency_keys where org_id = $1 and subject_id = $2',
      [tenant.org, toUuid(firing.run_id)],
    )
    expect(keys).toEqual([{ key: `\u00a7schedule/${schedule.id}/${date}` }])
  })
})

test('a schedule is refused whose agent is missing or whose input does not fit', async () => {
  const tenant = await app.addTenant()
  const other = await app.addTenant()
  const { call } = as(tenant)
  const body = { name: 'x', interval_seconds: 60 }
  expect(await call('POST', '/schedules', { ...body, agent_id: other.agents['test-echo'] })).toMatchObject({
    status: 404,
    body: { error: { code: 'not_found' } },
  })
  const strict = await app.addAgent(
    { config: { model: 'simulated/echo' }, inputSchema: { type: 'object', required: ['query'] } },
    tenant,
  )
  expect(await call('POST', '/schedules', { ...body, agent_id: strict, input: {} })).toMatchObject({
    status: 422,
    body: { error: { code: 'input_invalid', param: 'input.query' } },
  })
})
