import { contract, type Event, eventTypes } from '@ars/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type Reply, sharedApp, type Tenant, until } from './app.ts'

let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

const get = (path: string, { key }: Pick<Tenant, 'key'> = app.tenant): Promise<Reply> =>
  app.call('GET', `/v2${path}`, { key })
const listed = async (query: string, tenant?: Tenant): Promise<Event[]> =>
  (await get(`/events${query}`, tenant)).body.data

const run = (tenant: Tenant, agent: string, input: unknown = {}, more: Record<string, unknown> = {}) =>
  app.call('POST', '/v2/runs', { key: tenant.key, body: { agent_id: tenant.agents[agent], input, ...more } })

/** The event of this type for a run. */
const eventOf = (tenant: Tenant, type: string, runId: string): Promise<Event> =>
  until(`${type} of ${runId}`, async () =>
    (await listed(`?type=${type}`, tenant)).find(({ data }) => data.id === runId),
  )

const fitsItsType = ({ type, data }: Event): boolean => {
  const { [type]: entry } = eventTypes
  return JSON.stringify(sorted(entry.data.parse(data))) === JSON.stringify(sorted(data))
}
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  )
}

describe('an event', () => {
  test('[S62][S63] of a completed run is the envelope with the whole run as GET /runs returns it', async () => {
    const { body } = await run(app.tenant, 'test-echo', { query: 'é 🙂' }, { metadata: { ticket: '4711' } })
    const event = await eventOf(app.tenant, 'run.completed', body.id)
    expect(Object.keys(event)).toEqual(['id', 'type', 'created_at', 'data'])
    expect(event.id).toMatch(/^evt_[0-7][0-9a-z]{25}$/)
    expect(new Date(event.created_at).toISOString()).toBe(event.created_at)
    const { id, agent_id, status, output, latency_ms, tokens_used } = event.data
    expect({ id, agent_id, status, output, latency_ms, tokens_used }).toEqual({
      id: body.id,
      agent_id: app.tenant.agents['test-echo'],
      status: 'completed',
      output: body.output,
      latency_ms: body.latency_ms,
      tokens_used: body.tokens_used,
    })
    expect(event.data).toEqual((await get(`/runs/${body.id}`)).body)
    expect((await get(`/events/${event.id}`)).body).toEqual(event)
  })

  test('of a failed run contains the error', async () => {
    const { body } = await run(app.tenant, 'test-fail')
    const { data } = await eventOf(app.tenant, 'run.failed', body.id)
    expect(data).toEqual((await get(`/runs/${body.id}`)).body)
    expect(data.error).toMatchObject({ code: expect.any(String), message: expect.any(String) })
  })

  test('of a run that waits for a person shows it waiting, also after it has ended', async () => {
    const { body: asked } = await run(app.tenant, 'test-approval', { message: 'Pay 20 euros?' })
    expect(asked.status).toBe('requires_action')
    const then = await eventOf(app.tenant, 'run.requires_action', asked.id)
    // The waiting time of the run itself still grows.
    expect(then.data).toEqual({ ...asked, timing: { ...asked.timing, waiting_ms: 0 } })
    await app.call('POST', `/v2/runs/${asked.id}/action`, { body: { type: 'approve' } })
    await until('its end', async () => (await get(`/runs/${asked.id}`)).body.status === 'completed')
    expect((await get(`/events/${then.id}`)).body).toEqual(then)
    const end = await eventOf(app.tenant, 'run.completed', asked.id)
    expect(end.data).toMatchObject({ status: 'completed', required_actions: [] })
    expect(fitsItsType(then) && fitsItsType(end)).toBe(true)
  })

  test('of a cancelled run, and of changes to agents, matches its type', async () => {
    const tenant = await app.addTenant()
    const { body } = await app.call('POST', '/v2/runs', {
      key: tenant.key,
      body: { agent_id: tenant.agents['test-approval'], input: {} },
    })
    await app.call('DELETE', `/v2/runs/${body.id}`, { key: tenant.key })
    const agent = { name: 'Mine', config: { model: 'simulated/echo', instructions: 'one' } }
    const made = await app.call('POST', '/v2/agents/custom', { key: tenant.key, body: agent })
    const change = { config: { ...agent.config, instructions: 'two' } }
    await app.call('PATCH', `/v2/agents/${made.body.id}`, { key: tenant.key, body: change })
    const seen = await until('all of them', async () => {
      const events = await listed('?limit=100', tenant)
      return events.some(({ type }) => type === 'run.cancelled') && events
    })
    const types = new Set(seen.map(({ type }) => type))
    expect([...types].sort()).toEqual(['agent.updated', 'deployment.created', 'run.cancelled', 'run.requires_action'])
    for (const event of seen) expect(fitsItsType(event), event.type).toBe(true)
  })

  test('of an erased run shows the remaining data', async () => {
    const { body } = await run(app.tenant, 'test-echo', { query: 'a secret thing' })
    const before = await eventOf(app.tenant, 'run.completed', body.id)
    expect(JSON.stringify(before)).toContain('a secret thing')
    await app.call('DELETE', `/v2/runs/${body.id}/data`)
    const after = (await get(`/events/${before.id}`)).body
    expect(JSON.stringify(after)).not.toContain('a secret thing')
    expect(after).toMatchObject({ id: before.id, data: { id: body.id, status: 'completed', output: null } })
  })
})

describe('GET /events', () => {
  test('pages through all events, newest first, with filters, and shows no other organisation', async () => {
    const tenant = await app.addTenant()
    for (let n = 0; n < 5; n++) await run(tenant, n === 2 ? 'test-fail' : 'test-echo')
    const all = await listed('', tenant)
    // They follow the deployments of the agents that the organisation started with.
    expect(all.map(({ type }) => type).slice(0, 6)).toEqual([
      'run.completed',
      'run.completed',
      'run.failed',
      'run.completed',
      'run.completed',
      'deployment.created',
    ])
    const first = (await get('/events?limit=2', tenant)).body
    expect(first).toMatchObject({ object: 'list', has_more: true, first_id: all[0]?.id, last_id: all[1]?.id })
    const rest = (await get(`/events?limit=3&after=${first.last_id}`, tenant)).body
    expect([rest.data, rest.has_more]).toEqual([all.slice(2, 5), true])
    const back = (await get(`/events?limit=1&before=${all[2]?.id}`, tenant)).body
    expect(back.data).toEqual([all[1]])
    expect(await listed('?type=run.failed', tenant)).toEqual([all[2]])
    expect(await listed('?type=run.failed,run.completed&limit=3', tenant)).toEqual(all.slice(0, 3))
    expect(await listed(`?created_before=${all[2]?.created_at}`, tenant)).toEqual(all.slice(3))
    expect(await listed(`?created_after=${all[2]?.created_at}`, tenant)).toEqual(all.slice(0, 2))
    for (const { id } of all) expect((await get(`/events/${id}`)).body.error.code).toBe('not_found')
  })

  test.each([
    ['an unknown type', '/events?type=run.exploded', 400, 'invalid_request'],
    ['a type twice wrong', '/events?type=run.completed,', 400, 'invalid_request'],
    ['a limit beyond the bound', '/events?limit=101', 400, 'invalid_request'],
    ['something that is no id', '/events?after=run_01kf3xw0fqe1vrr9m8sdv2wbx4', 400, 'invalid_request'],
    ['an event that there is not', '/events/evt_01kf3xw0fqe1vrr9m8sdv2wbx4', 404, 'not_found'],
    ['something that is no event', '/events/evt_nonsense', 404, 'not_found'],
    [
      'a stream after an event that there is not',
      '/events/stream?after=evt_01kf3xw0fqe1vrr9m8sdv2wbx4',
      404,
      'not_found',
    ],
    ['a stream of an unknown type', '/events/stream?type=run.exploded', 400, 'invalid_request'],
    ['a stream since no moment', '/events/stream?since=yesterday', 400, 'invalid_request'],
  ])('refuses %s', async (_, path, status, code) => {
    const answer = await get(path)
    expect([answer.status, answer.body?.error.code]).toEqual([status, code])
  })

  test('a header that names no event is refused, and the header is named', async () => {
    const answer = await app.call('GET', '/v2/events/stream', { headers: { 'last-event-id': '17' } })
    expect([answer.status, answer.body.error.param]).toEqual([400, 'Last-Event-ID'])
  })
})

describe('access to events', () => {
  const paths = ['/events', '/events/evt_01kf3xw0fqe1vrr9m8sdv2wbx4', '/events/stream']
  const refusals = async (key: string) =>
    Promise.all(
      paths.map(async (path) => {
        const { status, body } = await app.call('GET', `/v2${path}`, { key })
        return [status, body?.error.code, body?.error.message]
      }),
    )

  test('requires the scope events:read', async () => {
    const { key } = await app.addTenant({ scopes: ['runs:read', 'runs:write'] })
    for (const [status, code, message] of await refusals(key)) {
      expect([status, code]).toEqual([403, 'forbidden'])
      expect(message).toContain('events:read')
    }
    for (const { scope } of Object.values(contract.events)) expect(scope).toBe('events:read')
  })

  test('is refused to a key that is narrowed to some agents and to its tokens: events cover the whole organisation', async () => {
    const body = { name: 'narrow', scopes: ['events:read', 'runs:read'], agent_ids: [app.tenant.agents['test-echo']] }
    const { body: made } = await app.call('POST', '/v2/api-keys', { body })
    const { body: token } = await app.call('POST', '/v2/session-tokens', {
      key: made.key,
      body: { scopes: ['events:read'] },
    })
    for (const key of [made.key, token.token]) {
      for (const [status, code, message] of await refusals(key)) {
        expect([status, code]).toEqual([403, 'forbidden'])
        expect(message).toContain('whole organisation')
      }
    }
  })

  test('is refused to a token that is bound to one run', async () => {
    const { body: made } = await run(app.tenant, 'test-echo')
    const { body } = await app.call('POST', '/v2/session-tokens', {
      body: { scopes: ['events:read', 'runs:read'], run_id: made.id },
    })
    for (const [status, code] of await refusals(body.token)) expect([status, code]).toEqual([403, 'forbidden'])
  })
})
