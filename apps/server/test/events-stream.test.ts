import type { Event } from '@ars/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, framesOf, sharedApp, type Tenant, until } from './app.ts'
import { type HeldClient, holdHttp1, holdHttp2 } from './event-stream.ts'

let app: App
let second: { url: string; stop(): Promise<void> }
beforeAll(async () => {
  app = await sharedApp()
  second = await app.join('gateway')
})
afterAll(() => app.stop())

type Watching = { query?: string; url?: string; hold?: typeof holdHttp1 }

const watch = async (tenant: Tenant, { query = '', url = app.url, hold = holdHttp1 }: Watching = {}) => {
  const client = await hold(url, { key: tenant.key, path: `/v2/events/stream${query}` })
  expect(client.status).toBe(200)
  return client
}

const wholeFrames = (client: HeldClient) => framesOf(client.text().slice(0, client.text().lastIndexOf('\n\n') + 2))
const idsOf = (client: HeldClient): string[] => wholeFrames(client).map(({ id }) => id)

const run = async (tenant: Tenant, agent = 'test-echo'): Promise<string> =>
  (await app.call('POST', '/v2/runs', { key: tenant.key, body: { agent_id: tenant.agents[agent], input: {} } })).body.id

const runs = async (tenant: Tenant, count: number): Promise<string[]> => {
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push(await run(tenant))
  return ids
}

/** Every event of the organisation in order of publication, from the database. */
const told = (tenant: Tenant): Promise<string[]> =>
  until('every event to be told', async () => {
    const [{ untold } = { untold: 1 }] = await app.query<{ untold: number }>(
      'select count(*)::integer as untold from events where org_id = $1 and position is null',
      [tenant.org],
    )
    if (untold > 0) return null
    const { body } = await app.call('GET', '/v2/events?limit=100', { key: tenant.key })
    const rows = await app.query<{ position: string }>(
      'select position from events where org_id = $1 and webhook_id is null order by id desc limit 100',
      [tenant.org],
    )
    return (body.data as Event[])
      .map(({ id }, n) => ({ id, position: Number(rows[n]?.position) }))
      .sort((left, right) => left.position - right.position)
      .map(({ id }) => id)
  })

const untilSeen = (client: HeldClient, what: (frames: ReturnType<typeof framesOf>) => boolean) =>
  until('frames', async () => what(wholeFrames(client)))

describe('[S62] GET /events/stream', () => {
  test('[S62][S63] sends each event as it happens: its id, its type and the envelope that GET /events/{id} returns', async () => {
    const tenant = await app.addTenant()
    await told(tenant)
    const clients = [await watch(tenant), await watch(tenant, { url: second.url, hold: holdHttp2 })]
    const id = await run(tenant)
    const failed = await run(tenant, 'test-fail')
    for (const client of clients) {
      await untilSeen(client, (frames) => frames.length === 2)
      expect(wholeFrames(client).map(({ event, data }) => [event, (data.data as { id: string }).id])).toEqual([
        ['run.completed', id],
        ['run.failed', failed],
      ])
      for (const frame of wholeFrames(client)) {
        const { body } = await app.call('GET', `/v2/events/${frame.id}`, { key: tenant.key })
        expect(frame).toEqual({ id: body.id, event: body.type, data: body })
      }
      expect(client.headers['content-type']).toBe('text/event-stream')
      client.leave()
    }
  })

  test('states its start position first, so that a connection that breaks before its first event loses none', async () => {
    const tenant = await app.addTenant()
    await run(tenant)
    const last = (await told(tenant)).at(-1)
    const client = await watch(tenant)
    await until('the place', async () => client.text().includes(`id: ${last}\n\n`))
    client.leave()
    const id = await run(tenant)
    const again = await watch(tenant, { url: second.url, query: `?after=${last}` })
    await untilSeen(again, ([first]) => (first?.data.data as { id: string } | undefined)?.id === id)
    expect(wholeFrames(again)).toHaveLength(1)
    again.leave()
  })

  test('shows no events of another organisation, and only the requested types', async () => {
    const tenant = await app.addTenant()
    await told(tenant)
    const all = await watch(tenant)
    const failures = await watch(tenant, { query: '?type=run.failed' })
    await run(app.tenant)
    const ids = [await run(tenant), await run(tenant, 'test-fail')]
    await untilSeen(all, (frames) => frames.length === 2)
    expect(wholeFrames(all).map(({ data }) => (data.data as { id: string }).id)).toEqual(ids)
    await untilSeen(failures, (frames) => frames.length === 1)
    expect(wholeFrames(failures)[0]).toMatchObject({ event: 'run.failed', data: { data: { id: ids[1] } } })
    all.leave()
    failures.leave()
  })

  test('a client that is disconnected repeatedly and reconnects at another gateway gets every event once', async () => {
    const tenant = await app.addTenant()
    const [from = ''] = (await told(tenant)).slice(-1)
    const making = runs(tenant, 30)
    const seen: string[] = []
    for (let n = 0; seen.length < 30; n++) {
      const last = seen.at(-1) ?? from
      const client = await watch(tenant, { query: `?after=${last}`, url: n % 2 === 0 ? app.url : second.url })
      await untilSeen(client, (frames) => frames.length >= 3 || frames.length + seen.length >= 30)
      client.leave()
      seen.push(...idsOf(client))
    }
    await making
    expect(seen).toEqual((await told(tenant)).slice(-30))
  })

  test('a stopping gateway asks the client to reconnect, and the client loses nothing elsewhere', async () => {
    const tenant = await app.addTenant()
    await told(tenant)
    const stopping = await app.join('gateway')
    const client = await watch(tenant, { url: stopping.url })
    await runs(tenant, 3)
    await untilSeen(client, (frames) => frames.length === 3)
    const making = runs(tenant, 10)
    await stopping.stop()
    await until('the end of the stream', async () => client.isOver())
    expect(client.text()).toMatch(/retry: [1-5]\d{3}\n\n$/)
    const before = idsOf(client)
    const resumed = await watch(tenant, { query: `?after=${before.at(-1)}`, url: second.url })
    await making
    await untilSeen(resumed, (frames) => frames.length + before.length >= 13)
    expect([...before, ...idsOf(resumed)]).toEqual((await told(tenant)).slice(-13))
    resumed.leave()
  })

  test('can start in the past, and the header of a reconnecting client wins over its URL', async () => {
    const tenant = await app.addTenant()
    await runs(tenant, 3)
    const all = await told(tenant)
    const since = await watch(tenant, { query: '?since=2020-01-01T00:00:00Z' })
    await untilSeen(since, (frames) => frames.length === all.length)
    expect(idsOf(since)).toEqual(all)
    since.leave()
    const answer = await app.call('GET', `/v2/events/stream?after=${all[0]}`, {
      key: tenant.key,
      headers: { 'last-event-id': 'evt_01kf3xw0fqe1vrr9m8sdv2wbx4' },
    })
    expect(answer.status).toBe(404)
  })

  test('replays 1,000 past events in order', async () => {
    const tenant = await app.addTenant()
    const [from = ''] = (await told(tenant)).slice(-1)
    await app.query(
      `insert into events (id, org_id, type, subject_id, data)
       select new_uuid(), $1, 'agent.updated', $1, json_build_object('n', n) from generate_series(1, 1000) as s (n)`,
      [tenant.org],
    )
    await until('them to be told', async () => {
      const [row] = await app.query<{ count: string }>(
        'select count(*) from events where org_id = $1 and position is null',
        [tenant.org],
      )
      return row?.count === '0'
    })
    const client = await watch(tenant, { query: `?after=${from}` })
    await untilSeen(client, (frames) => frames.length === 1_000)
    const rows = await app.query<{ n: string }>(
      `select data ->> 'n' as n from events where org_id = $1 and type = 'agent.updated' order by position`,
      [tenant.org],
    )
    expect(wholeFrames(client).map(({ data }) => String((data.data as { n: number }).n))).toEqual(
      rows.map(({ n }) => n),
    )
    client.leave()
  })
})

test('a stream ends soon after its key is revoked or loses a scope, and continues for other keys', async () => {
  const tenant = await app.addTenant()
  await told(tenant)
  const make = async () => {
    const body = { name: 'listener', scopes: ['events:read', 'runs:read'] }
    return (await app.call('POST', '/v2/api-keys', { key: tenant.key, body })).body as { id: string; key: string }
  }
  const [revoked, lessened] = [await make(), await make()]
  const own = await watch(tenant, { url: second.url })
  const clients = [
    await watch({ ...tenant, key: revoked.key }),
    await watch({ ...tenant, key: lessened.key }, { url: second.url }),
  ]
  await app.call('DELETE', `/v2/api-keys/${revoked.id}`, { key: tenant.key })
  await app.call('PATCH', `/v2/api-keys/${lessened.id}`, { key: tenant.key, body: { scopes: ['runs:read'] } })
  for (const client of clients) await until('the end of the stream', async () => client.isOver())
  expect(own.isOver()).toBe(false)
  await run(tenant)
  await untilSeen(own, (frames) => frames.length === 1)
  own.leave()
})

test('events are streamed while Redis is unavailable', async () => {
  const alone = await app.join('gateway', { ARS_REDIS_URL: 'redis://127.0.0.1:1' })
  const tenant = await app.addTenant()
  await told(tenant)
  const client = await watch(tenant, { url: alone.url })
  const ids = await runs(tenant, 2)
  await untilSeen(client, (frames) => frames.length === 2)
  expect(wholeFrames(client).map(({ data }) => (data.data as { id: string }).id)).toEqual(ids)
  client.leave()
  await alone.stop()
})
