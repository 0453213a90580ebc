import type { OrgUse } from '@ars/platform/work/use'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type EndpointQueueWorld, endOf, openEndpointQueueWorld } from '../../../test/endpoint-queue-world.ts'
import { relayEvents } from '../../../test/relay-events.ts'
import { endAttempts } from './delivery-end.store.ts'
import { disableWebhook } from './disable.store.ts'
import { type Claimed, claimAttempts, leaseMs, listOrphans } from './endpoint-queue.store.ts'
import { endOrphans, listDeletedQueues, listDisabledQueues, listWrongQueues, repairQueue } from './orphans.store.ts'

let world: EndpointQueueWorld
beforeAll(async () => {
  world = await openEndpointQueueWorld(9)
})
afterAll(() => world.close())
beforeEach(() => world.query('truncate webhooks, events, deliveries, delivery_heads, delivery_attempts cascade'))

const claim = (concurrency = 128, perOrg = concurrency, left: [string, number][] = []): Promise<Claimed[]> =>
  claimAttempts(world.system, {
    ...{ count: concurrency, heavyCount: concurrency, perOrg },
    uses: left.map(([org, count]) => useOf(org, { places: perOrg - count })),
  })

const useOf = (org: string, over: Partial<OrgUse> = {}): OrgUse => ({
  ...{ org, places: 0, usedMs: 0, isHeavy: false, isResting: false },
  ...over,
})

const renderAll = async (): Promise<void> => {
  while ((await relayEvents(world.system))?.length);
}

type QueueRow = { waiting: number; under_way: number; is_due: boolean; failures: number; is_failing: boolean }
const queueOf = async (webhookId: string): Promise<QueueRow | undefined> => {
  const sql = `select waiting, under_way, coalesce(due_at <= app_now(), false) as is_due, failures,
    failing_since is not null as is_failing from webhook_lanes where webhook_id = $1`
  return (await world.query<QueueRow>(sql, [webhookId]))[0]
}

const failOnce = async (): Promise<number> => {
  const claimed = await claim()
  await endAttempts(
    world.system,
    claimed.map((each) => endOf(each, 'failed')),
  )
  return claimed.length
}

test('organisations with much use come last, and leave the kept places free', async () => {
  const orgs = [await world.addOrganisation(), await world.addOrganisation(), await world.addOrganisation()]
  for (const org of orgs) {
    await world.addWebhook(org)
    await world.addEvents(org, 9)
  }
  await renderAll()
  const [heavy = '', heavier = ''] = orgs
  const uses = [heavy, heavier].map((org) => useOf(org, { usedMs: 5_000, isHeavy: true }))
  const claimed = async (over: object) => {
    const rows = await claimAttempts(world.system, { count: 8, heavyCount: 3, perOrg: 4, uses, ...over })
    expect(rows.every(({ lag_ms }) => lag_ms >= 0)).toBe(true)
    return orgs.map((org) => rows.filter(({ org_id }) => org_id === org).length)
  }
  const sums = async (over: object) => {
    const [one = 0, other = 0, little = 0] = await claimed(over)
    return [one + other, little]
  }
  expect(await sums({ count: 5 })).toEqual([1, 4])
  expect(await sums({})).toEqual([3, 4])
  expect(await sums({ heavyCount: 0 })).toEqual([0, 1])
  expect(await claimed({ uses: [useOf(heavy, { isResting: true }), useOf(heavier, { places: 4 })] })).toEqual([0, 0, 0])
})

test('each event gets its position once, and one delivery for each endpoint that subscribes to its type', async () => {
  const org = await world.addOrganisation()
  const stranger = await world.addWebhook(await world.addOrganisation())
  const all = await world.addWebhook(org)
  const some = await world.addWebhook(org, ['run.failed', 'agent.updated'])
  const other = await world.addWebhook(org, ['run.failed'])
  const events = await world.addEvents(org, 700)
  const told = await Promise.all(Array.from({ length: 8 }, () => relayEvents(world.system)))
  await renderAll()
  expect(told.filter((each) => each === null).length).toBeGreaterThan(0)
  const made = await world.query<{ webhook_id: string; made: number; events: number }>(
    'select webhook_id, count(*)::integer as made, count(distinct event_id)::integer as events from deliveries group by 1',
  )
  expect(new Map(made.map((row) => [row.webhook_id, [row.made, row.events]]))).toEqual(
    new Map([all, some].map((id) => [id, [700, 700]])),
  )
  expect([await queueOf(stranger), await queueOf(other)].map((queue) => queue?.waiting)).toEqual([0, 0])
  const [positions] = await world.query<{ positions: number; first: string; last: string }>(
    `select count(distinct position)::integer as positions, min(position) as first, max(position) as last from events
      where id = any ($1)`,
    [events],
  )
  expect(positions).toMatchObject({ positions: 700 })
  expect(Number(positions?.last) - Number(positions?.first)).toBe(699)
})

test('a test event gets a position and no second delivery, and an endpoint gets no event from before its creation or during a pause', async () => {
  const org = await world.addOrganisation()
  await world.addEvents(org, 1)
  const webhook = await world.addWebhook(org)
  await world.addEvents(org, 1, { type: 'test', webhookId: webhook })
  await renderAll()
  await world.query(`update webhooks set disabled_at = app_now(), disabled_reason = 'paused' where id = $1`, [webhook])
  await world.addEvents(org, 1)
  await renderAll()
  const [row] = await world.query<{ deliveries: number; untold: number }>(
    `select (select count(*)::integer from deliveries) as deliveries,
            (select count(*)::integer from events where position is null) as untold`,
  )
  expect(row).toEqual({ deliveries: 0, untold: 0 })
})

test('a delivery beyond the endpoint’s queue limit is recorded as failed, with a message', async () => {
  const org = await world.addOrganisation()
  const webhook = await world.addWebhook(org)
  await world.query('update webhook_lanes set waiting = 99998 where webhook_id = $1', [webhook])
  await world.addEvents(org, 5)
  await renderAll()
  const rows = await world.query<{ status: string; error: string | null }>(
    'select d.status, d.error from deliveries d order by d.status',
  )
  expect(rows.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed', 'pending', 'pending'])
  expect(rows[0]?.error).toMatch(/More than 100000 deliveries wait/)
  expect((await queueOf(webhook))?.waiting).toBe(100_000)
})

test('with any number of workers, an endpoint has at most 10 requests in flight and each delivery one (limits.deliveriesUnderWayPerWebhook)', async () => {
  const orgs = await Promise.all(Array.from({ length: 3 }, () => world.addOrganisation()))
  for (const org of orgs) {
    await Promise.all([world.addWebhook(org), world.addWebhook(org)])
    await world.addEvents(org, 40)
  }
  await renderAll()
  const underWay = new Map<string, number>()
  const sent: string[] = []
  let most = 0
  const work = async (): Promise<void> => {
    for (let idle = 0; idle < 5; ) {
      const claimed = await claim(16)
      idle = claimed.length === 0 ? idle + 1 : 0
      for (const { webhook_id, delivery_id, number } of claimed) {
        const count = (underWay.get(webhook_id) ?? 0) + 1
        underWay.set(webhook_id, count)
        most = Math.max(most, count)
        sent.push(`${delivery_id} ${number}`)
      }
      await new Promise((resolve) => setImmediate(resolve))
      for (const { webhook_id } of claimed) underWay.set(webhook_id, (underWay.get(webhook_id) ?? 0) - 1)
      await endAttempts(
        world.system,
        claimed.map((each) => endOf(each, 'acknowledged')),
      )
    }
  }
  await Promise.all(Array.from({ length: 4 }, work))
  expect(most).toBeLessThanOrEqual(10)
  expect([sent.length, new Set(sent).size]).toEqual([240, 240])
  const [left] = await world.query<{ left: number; waiting: number; succeeded: number }>(
    `select (select count(*)::integer from delivery_heads) as left,
            (select sum(waiting + under_way)::integer from webhook_lanes) as waiting,
            (select count(*)::integer from deliveries where status = 'succeeded') as succeeded`,
  )
  expect(left).toEqual({ left: 0, waiting: 0, succeeded: 240 })
})

test('slots are given to organisations in turn, and each gets at most its share', async () => {
  const [large, small] = [await world.addOrganisation(), await world.addOrganisation()]
  for (let n = 0; n < 6; n++) await world.addWebhook(large)
  await world.addWebhook(small)
  await world.addEvents(large, 20)
  await renderAll()
  await world.addEvents(small, 3)
  await renderAll()
  const claimed = await claim(8, 5)
  const countOf = (org: string) => claimed.filter(({ org_id }) => org_id === org).length
  expect([countOf(large), countOf(small)]).toEqual([5, 3])
  expect(new Set(claimed.filter(({ org_id }) => org_id === large).map(({ webhook_id }) => webhook_id)).size).toBe(5)
  expect(await claim(8, 5, [[large, 0]])).toEqual([])
  expect(await claim(8, 5, [[large, 2]])).toHaveLength(2)
})

test('the events of an endpoint are started in order of arrival', async () => {
  const org = await world.addOrganisation()
  await world.addWebhook(org)
  const events = await world.addEvents(org, 25)
  await renderAll()
  const begun: string[] = []
  for (let claimed = await claim(); claimed.length > 0; claimed = await claim()) {
    begun.push(...claimed.map(({ event_id }) => event_id))
    await endAttempts(
      world.system,
      claimed.map((each) => endOf(each, 'acknowledged')),
    )
  }
  expect(begun).toEqual(events)
})

test('a dead worker’s attempt is closed as interrupted, its late result is ignored, and there are at most three attempts', async () => {
  const org = await world.addOrganisation()
  const webhook = await world.addWebhook(org)
  await world.addEvents(org, 1)
  await renderAll()
  const begun: Claimed[] = []
  for (let number = 1; number <= 3; number++) {
    const [claimed] = await claim()
    if (!claimed) throw new Error('nothing was due')
    begun.push(claimed)
    expect(await listOrphans(world.system, 10)).toEqual([])
    await moveDatabaseClock(world.database.ownerUrl, leaseMs)
    const [orphan] = await listOrphans(world.system, 10)
    expect(orphan).toMatchObject({ delivery_id: claimed.delivery_id, number })
    const closed = await Promise.all([1, 2, 3].map(() => endAttempts(world.system, [endOf(claimed, 'interrupted')])))
    expect(closed.flat().filter((end) => end !== null)).toHaveLength(1)
    expect(await endAttempts(world.system, [endOf(claimed, 'acknowledged')])).toEqual([null])
    await moveDatabaseClock(world.database.ownerUrl, 5000)
  }
  expect(begun.map(({ number }) => number)).toEqual([1, 2, 3])
  expect(await claim()).toEqual([])
  const [delivery] = await world.query<{ status: string; numbers: number[] }>(
    `select d.status, array_agg(a.number::integer order by a.number) as numbers
       from deliveries d join delivery_attempts a on a.delivery_id = d.id group by d.id, d.status`,
  )
  expect(delivery).toEqual({ status: 'failed', numbers: [1, 2, 3] })
  expect(await queueOf(webhook)).toMatchObject({ waiting: 0, under_way: 0, is_due: false, is_failing: false })
})

test('attempts follow 1 s and 5 s after the previous failure, and not a millisecond sooner', async () => {
  const org = await world.addOrganisation()
  await world.addWebhook(org)
  await world.addEvents(org, 1)
  await renderAll()
  expect(await failOnce()).toBe(1)
  const dueIn = async () => {
    const [row] = await world.query<{ due: number }>(
      'select extract(epoch from h.due_at - max(d.at))::double precision as due from delivery_heads h join delivery_attempts d using (delivery_id) group by h.due_at',
    )
    return row?.due ?? 0
  }
  // From the end of the attempt, which took a few milliseconds of the database's time.
  expect(await dueIn()).toBeGreaterThanOrEqual(1)
  expect(await claim()).toEqual([])
  await moveDatabaseClock(world.database.ownerUrl, 1000)
  expect(await failOnce()).toBe(1)
  expect(await dueIn()).toBeGreaterThanOrEqual(5)
  expect(await claim()).toEqual([])
  await moveDatabaseClock(world.database.ownerUrl, 5000)
  expect(await failOnce()).toBe(1)
  await moveDatabaseClock(world.database.ownerUrl, 60_000)
  expect(await claim()).toEqual([])
})

test('after three failed deliveries an endpoint is paused for 30 s; due deliveries wait and are sent afterwards', async () => {
  const org = await world.addOrganisation()
  const webhook = await world.addWebhook(org)
  await world.addEvents(org, 3)
  await renderAll()
  for (const pauseMs of [1000, 5000, 0]) {
    expect(await failOnce()).toBe(3)
    await moveDatabaseClock(world.database.ownerUrl, pauseMs)
  }
  await world.addEvents(org, 1)
  await renderAll()
  expect(await queueOf(webhook)).toMatchObject({ waiting: 1, is_due: false, failures: 0, is_failing: true })
  await moveDatabaseClock(world.database.ownerUrl, 20_000)
  expect(await claim()).toEqual([])
  await moveDatabaseClock(world.database.ownerUrl, 10_000)
  const claimed = await claim()
  expect(claimed).toHaveLength(1)
  await endAttempts(
    world.system,
    claimed.map((each) => endOf(each, 'acknowledged')),
  )
  expect(await queueOf(webhook)).toMatchObject({ waiting: 0, under_way: 0, is_failing: false })
})

test('an acknowledged delivery ends the pause of its endpoint early', async () => {
  const org = await world.addOrganisation()
  const webhook = await world.addWebhook(org)
  await world.addEvents(org, 4)
  await renderAll()
  const [alive, ...failing] = await claim()
  await endAttempts(
    world.system,
    failing.map((each) => endOf(each, 'failed')),
  )
  for (const pauseMs of [1000, 5000]) {
    await moveDatabaseClock(world.database.ownerUrl, pauseMs)
    expect(await failOnce()).toBe(3)
  }
  await world.addEvents(org, 1)
  await renderAll()
  expect(await queueOf(webhook)).toMatchObject({ waiting: 2, under_way: 1, is_due: false })
  const [ended] = await endAttempts(world.system, alive ? [endOf(alive, 'acknowledged')] : [])
  expect(ended).toMatchObject({ hasMore: true, deliveryOutcome: { kind: 'succeeded' } })
  expect(await claim()).toHaveLength(1)
})

test('no delivery is started for an endpoint that answers 410 while it is being disabled', async () => {
  const org = await world.addOrganisation()
  await world.addWebhook(org)
  await world.addEvents(org, 12)
  await renderAll()
  const claimed = await claim()
  const ends = await endAttempts(
    world.system,
    claimed.map((each) => endOf(each, 'gone')),
  )
  expect(ends.map((end) => end?.disable)).toEqual(Array(10).fill('gone'))
  expect(await claim()).toEqual([])
})

test('a delivery that was not sent is due again with the same attempt number', async () => {
  const org = await world.addOrganisation()
  await world.addWebhook(org)
  await world.addEvents(org, 1)
  await renderAll()
  const [first] = await claim()
  await endAttempts(world.system, first ? [endOf(first, 'unsent')] : [])
  await moveDatabaseClock(world.database.ownerUrl, 1000)
  expect(await claim()).toMatchObject([{ delivery_id: first?.delivery_id, number: 1 }])
  expect(await world.query('select from delivery_attempts')).toHaveLength(0)
})

test('a disabled endpoint has missed events since its own first failure, beside endpoints that fail longer', async () => {
  const org = await world.addOrganisation()
  const ids = [await world.addWebhook(org), await world.addWebhook(org), await world.addWebhook(org)]
  for (const [n, id] of ids.entries())
    await world.query(
      'update webhook_lanes set failing_since = app_now() - make_interval(hours => $2) where webhook_id = $1',
      [id, n + 1],
    )
  for (const id of ids)
    await world.system.transaction(org, (tx) => disableWebhook(tx, org, { id, reason: 'failing', oldest: null }))
  const rows = await world.query<{ isOwn: boolean }>(
    `select w.missed_since = l.failing_since as "isOwn" from webhooks w join webhook_lanes l on l.webhook_id = w.id where w.org_id = $1`,
    [org],
  )
  expect(rows).toEqual(Array(3).fill({ isOwn: true }))
})

test('waiting deliveries of a disabled or deleted endpoint end with a message; deliveries in flight end normally', async () => {
  const org = await world.addOrganisation()
  const [disabled, deleted] = [await world.addWebhook(org), await world.addWebhook(org)]
  await world.addEvents(org, 12)
  await renderAll()
  const claimed = await claim(2)
  await world.query(`update webhooks set disabled_at = app_now(), disabled_reason = 'paused' where id = $1`, [disabled])
  await world.query('delete from webhooks where id = $1', [deleted])
  expect(await claim()).toEqual([])
  expect(await listDisabledQueues(world.system)).toEqual([disabled])
  expect(await listDeletedQueues(world.system)).toEqual([deleted])
  for (const id of [disabled, deleted]) expect(await endOrphans(world.system, id)).toBe(11)
  const [kept, ended] = await endAttempts(world.system, [
    endOf(claimed.find(({ webhook_id }) => webhook_id === disabled) as Claimed, 'failed'),
    endOf(claimed.find(({ webhook_id }) => webhook_id === deleted) as Claimed, 'acknowledged'),
  ])
  expect([kept?.deliveryOutcome, ended?.deliveryOutcome.kind]).toEqual([
    { kind: 'failed', error: expect.stringContaining('paused or disabled') },
    'succeeded',
  ])
  const rows = await world.query<{ webhook_id: string; status: string; error: string | null; count: number }>(
    'select webhook_id, status, error, count(*)::integer as count from deliveries group by 1, 2, 3 order by 4, 2',
  )
  expect(rows).toHaveLength(3)
  expect(rows).toContainEqual({ webhook_id: deleted, status: 'succeeded', error: null, count: 1 })
  expect(rows).toContainEqual({
    webhook_id: disabled,
    status: 'failed',
    error: expect.stringContaining('disabled'),
    count: 12,
  })
  expect(rows).toContainEqual({
    webhook_id: deleted,
    status: 'failed',
    error: expect.stringContaining('deleted'),
    count: 11,
  })
  expect(await queueOf(disabled)).toMatchObject({ waiting: 0, under_way: 0 })
})

test('an endpoint with wrong counters is detected and continues', async () => {
  const org = await world.addOrganisation()
  const webhook = await world.addWebhook(org)
  await world.addEvents(org, 3)
  await renderAll()
  expect(await listWrongQueues(world.system)).toEqual([])
  await world.query('update webhook_lanes set waiting = 0, under_way = 10, due_at = null where webhook_id = $1', [
    webhook,
  ])
  expect(await claim()).toEqual([])
  expect(await listWrongQueues(world.system)).toEqual([webhook])
  expect([await repairQueue(world.system, webhook), await repairQueue(world.system, webhook)]).toEqual([true, false])
  expect(await claim()).toHaveLength(3)
})

test('concurrent relay, claims, ends, pauses and deletions never deadlock and lose nothing', async () => {
  const org = await world.addOrganisation()
  const webhooks = await Promise.all(Array.from({ length: 6 }, () => world.addWebhook(org)))
  let isOver = false
  const causes = async (): Promise<void> => {
    for (let n = 0; n < 12; n++) await world.addEvents(org, 10)
    isOver = true
  }
  const relay = async (): Promise<void> => {
    while (!isOver) await relayEvents(world.system)
  }
  const send = async (): Promise<void> => {
    while (!isOver) {
      const claimed = await claim(24)
      await endAttempts(
        world.system,
        claimed.toReversed().map((each, at) => endOf(each, at % 3 === 0 ? 'failed' : 'acknowledged')),
      )
    }
  }
  const disturb = async (): Promise<void> => {
    const [disabled, deleted] = webhooks
    for (let n = 0; !isOver; n++) {
      await world.query(`update webhooks set disabled_at = app_now(), disabled_reason = 'paused' where id = $1`, [
        disabled,
      ])
      await endOrphans(world.system, disabled ?? '')
      await world.query('update webhooks set disabled_at = null, disabled_reason = null where id = $1', [disabled])
      if (n === 3) await world.query('delete from webhooks where id = $1', [deleted])
      await endOrphans(world.system, deleted ?? '')
    }
  }
  await Promise.all([causes(), relay(), relay(), send(), send(), send(), send(), disturb()])
  await renderAll()
  for (let rounds = 0; rounds < 200; rounds++) {
    const claimed = await claim()
    await endAttempts(
      world.system,
      claimed.map((each) => endOf(each, 'acknowledged')),
    )
    if (claimed.length === 0) await moveDatabaseClock(world.database.ownerUrl, 31_000)
    for (const id of await listDeletedQueues(world.system)) await endOrphans(world.system, id)
    const [left] = await world.query<{ heads: number }>('select count(*)::integer as heads from delivery_heads')
    if (left?.heads === 0) break
  }
  expect(await listWrongQueues(world.system)).toEqual([])
  const [sums] = await world.query<{ pending: number; most: number; events: number; told: number }>(
    `select (select count(*)::integer from deliveries where status = 'pending') as pending,
            (select max(number)::integer from delivery_attempts) as most,
            (select count(*)::integer from events) as events,
            (select count(*)::integer from deliveries where webhook_id = $1) as told`,
    [webhooks[2]],
  )
  expect(sums).toMatchObject({ pending: 0, events: 120, told: 120 })
  expect(sums?.most).toBeLessThanOrEqual(3)
})
