import type { EventType } from '@ars/contract'
import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import { fromUuid, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { openPubSub, type PubSub } from '@ars/platform/redis/pub-sub'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { testRedisUrl } from '@ars/testkit/stack'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EventRows, eventRows, newId } from '../../test/event-rows.ts'
import { type RecordingSink, recordingSink } from '../../test/recording-sink.ts'
import { createReadRuns } from '../runs/read/read-runs.service.ts'
import { createEvents, type EventService } from './event.service.ts'
import type { WatchEvents } from './event-stream.service.ts'
import { createHistoryWatch } from './history-watch.service.ts'

const log = createLog({ level: 'silent' })
let database: TestDatabase
let relay: PubSub
const gateways: Gateway[] = []

type Gateway = EventService & { app: Database; subscriptions: string[]; stop(): Promise<void> }

beforeAll(async () => {
  database = await createTestDatabase()
  relay = await openPubSub({ url: testRedisUrl(), log })
  for (let n = 0; n < 2; n++) gateways.push(await openGateway())
})
afterAll(async () => {
  for (const gateway of gateways) await gateway.stop()
  relay.close()
  await database.drop()
})

/** A separate process. `isUp: false`: without Redis. */
const openGateway = async ({
  isUp = true,
  wrap = (db: Database) => db,
  lookEveryMs = isUp ? undefined : 50,
}: {
  isUp?: boolean
  wrap?: (db: Database) => Database
  lookEveryMs?: number | undefined
} = {}): Promise<Gateway> => {
  const open = (url: string) => openDatabase({ url, name: 'events', size: 2, acquireTimeoutMs: 30_000, log })
  const [pool, feedReads] = [open(database.appUrl), open(database.feedUrl)]
  const app = wrap(pool)
  const redis = await openPubSub({ url: testRedisUrl(), log })
  const subscriptions: string[] = []
  const pubSub: PubSub = {
    ...redis,
    subscribe: (channel, listener) => {
      subscriptions.push(channel)
      return isUp ? redis.subscribe(channel, listener) : Promise.resolve()
    },
    ...(!isUp && { isUp: () => false, publish: () => undefined, unsubscribe: () => undefined }),
  }
  const history = createHistoryWatch({ feedReads, pubSub, log, lookEveryMs: 250 })
  const readRuns = createReadRuns({ app })
  const looks = lookEveryMs === undefined ? {} : { lookEveryMs }
  const service = createEvents({ app, feedReads, pubSub, history, clock: systemClock, log, readRuns, ...looks })
  const stop = async () => {
    history.close()
    service.close()
    redis.close()
    await Promise.all([pool.close(), feedReads.close()])
  }
  return { ...service, app, subscriptions, stop }
}

/** The relay's publication after its commit. */
const tell = async (rows: EventRows): Promise<void> =>
  relay.publish(`events:${rows.org}`, String(await rows.position()))

// An id without an event only marks where the stream starts.
const idsOf = (sink: RecordingSink): string[] =>
  [...sink.text.matchAll(/^id: (evt_\w+)\n(?!\n)/gm)].map(([, id]) => id ?? '')

type Listening = { lastEventId?: string; gateway?: Gateway | undefined; sink?: RecordingSink }

const listen = async (rows: EventRows, asked: WatchEvents = {}, { lastEventId, gateway, sink }: Listening = {}) => {
  const recorded = sink ?? recordingSink()
  const stream = await (gateway ?? gateways[0])!.watch({ org: rows.org, lastEventId }, asked)
  const stop = stream.attach(recorded)
  return { sink: recorded, stop, ids: () => idsOf(recorded), has: (ids: string[]) => hasIds(recorded, ids) }
}

/** Waits until the reader has received exactly these. */
const hasIds = async (sink: RecordingSink, ids: readonly string[]): Promise<boolean> => {
  await expect.poll(() => idsOf(sink), { interval: 20 }).toEqual(ids)
  return true
}

const many = async (
  rows: EventRows,
  count: number,
  type: EventType = 'agent.updated',
  bytes = 0,
): Promise<string[]> => {
  const ids = Array.from({ length: count }, () => toUuid(newId('evt')))
  await rows.query(
    `insert into events (id, org_id, type, subject_id, data)
     select id, $2, $3, id, json_build_object('text', repeat('x', $4)) from unnest($1::uuid[]) as n (id)`,
    [ids, rows.org, type, bytes],
  )
  return ids.map((id) => fromUuid('evt', id))
}

describe('the stream of events', () => {
  test('sends each event as it is published, complete and in order, and no test events', async () => {
    const rows = eventRows(database)
    await rows.tell()
    const { sink, has, stop } = await listen(rows)
    const id = await rows.add({ data: { text: 'a \u2028 b\nc' } })
    await rows.add({ type: 'test', webhook: toUuid(newId('wh')) })
    await tell(rows)
    const eventId = fromUuid('evt', id)
    expect(await has([eventId])).toBe(true)
    const envelope = await gateways[0]?.get(rows, eventId)
    const [, data = ''] = /^data: (.*)$/m.exec(sink.text) ?? []
    expect(sink.text.replace(/^id: evt_\w+\n\n/, '')).toBe(`id: ${eventId}\nevent: agent.updated\ndata: ${data}\n\n`)
    expect(JSON.parse(data)).toEqual(envelope)
    expect(data).not.toContain('\u2028')
    stop()
  })

  test('does not send an event without a position, and sends it once it has one', async () => {
    const rows = eventRows(database)
    const { ids, has, stop } = await listen(rows)
    const early = await rows.add()
    relay.publish(`events:${rows.org}`, '0')
    expect(ids()).toEqual([])
    await tell(rows)
    expect(await has([fromUuid('evt', early)])).toBe(true)
    stop()
  })

  test('sends an event with an older id that is committed after a newer one', async () => {
    const rows = eventRows(database)
    const { has, stop } = await listen(rows)
    const older = toUuid(newId('evt'))
    const newer = toUuid(newId('evt'))
    const insert = `insert into events (id, org_id, type, subject_id, data) values ($1, $2, 'agent.updated', $1, '{}')`
    await asClient(database.superuserUrl, async (client) => {
      await client.query('begin')
      await client.query(insert, [older, rows.org])
      await rows.query(insert, [newer, rows.org])
      await tell(rows)
      expect(await has([fromUuid('evt', newer)])).toBe(true)
      await client.query('commit')
    })
    await tell(rows)
    expect(await has([fromUuid('evt', newer), fromUuid('evt', older)])).toBe(true)
    // A reader that left after the newer event also receives the older one.
    const resumed = await listen(rows, {}, { lastEventId: fromUuid('evt', newer), gateway: gateways[1] })
    expect(await resumed.has([fromUuid('evt', older)])).toBe(true)
    resumed.stop()
    stop()
  })

  test('resumes after every event with exactly the events that follow, at every gateway', async () => {
    const rows = eventRows(database)
    const all = await many(rows, 30)
    await rows.position()
    for (const at of [0, 7, 28, 29]) {
      const resumed = await listen(rows, {}, { lastEventId: all[at] ?? '', gateway: gateways[at % 2] })
      const named = await listen(rows, { after: all[at] as `evt_${string}` })
      expect(await resumed.has(all.slice(at + 1))).toBe(true)
      expect(await named.has(all.slice(at + 1))).toBe(true)
      resumed.stop()
      named.stop()
    }
  })

  test('resumed after an event without a position starts behind it', async () => {
    const rows = eventRows(database)
    await rows.tell()
    const waiting = fromUuid('evt', await rows.add())
    const { has, stop } = await listen(rows, { after: waiting })
    const next = fromUuid('evt', await rows.add())
    await tell(rows)
    expect(await has([next])).toBe(true)
    stop()
  })

  test('with a start time sends the events from then on, and new ones', async () => {
    const rows = eventRows(database)
    const now = Date.now()
    const at = (minutes: number) => new Date(now - minutes * 60_000)
    const ids: string[] = []
    for (const minutes of [10, 5, 1]) {
      // As a gateway would have built it then.
      const id = `${(now - minutes * 60_000).toString(16).padStart(12, '0')}7abc8000${newId('evt').slice(-12)}`
      const uuid = toUuidText(id)
      ids.push(fromUuid('evt', await rows.tell({ id: uuid, createdAt: at(minutes) })))
    }
    const { has, stop } = await listen(rows, { since: at(5).toISOString() })
    expect(await has(ids.slice(1))).toBe(true)
    const next = fromUuid('evt', await rows.add())
    await tell(rows)
    expect(await has([...ids.slice(1), next])).toBe(true)
    const none = await listen(rows, { since: new Date(now + 3_600_000).toISOString() })
    expect(none.ids()).toEqual([])
    none.stop()
    stop()
  })

  test('sends only the requested types', async () => {
    const rows = eventRows(database)
    const first = fromUuid('evt', await rows.add({ type: 'deployment.created' }))
    await many(rows, 450)
    const last = fromUuid('evt', await rows.add({ type: 'deployment.rollback' }))
    await rows.position()
    const { has, stop } = await listen(rows, {
      type: ['deployment.created', 'deployment.rollback'],
      since: '2020-01-01T00:00:00Z',
    })
    expect(await has([first, last])).toBe(true)
    const next = fromUuid('evt', await rows.add({ type: 'deployment.created' }))
    await many(rows, 3)
    await tell(rows)
    expect(await has([first, last, next])).toBe(true)
    stop()
  })

  test('cannot be resumed after an unknown event or an invalid id', async () => {
    const rows = eventRows(database)
    const strange = fromUuid('evt', await eventRows(database).tell())
    await expect(listen(rows, {}, { lastEventId: strange })).rejects.toMatchObject({ code: 'not_found' })
    await expect(listen(rows, { after: newId('evt') })).rejects.toMatchObject({ code: 'not_found' })
    const malformed = { code: 'invalid_request', param: 'Last-Event-ID' }
    await expect(listen(rows, {}, { lastEventId: '17' })).rejects.toMatchObject(malformed)
  })
})

describe('readers of one organisation', () => {
  test('share one subscription, which is closed with the last of them', async () => {
    const rows = eventRows(database)
    const gateway = await openGateway()
    const readers = await Promise.all(Array.from({ length: 20 }, () => listen(rows, {}, { gateway })))
    const id = fromUuid('evt', await rows.add())
    await tell(rows)
    for (const reader of readers) expect(await reader.has([id])).toBe(true)
    expect(gateway.subscriptions).toEqual(['organisations:closed', `events:${rows.org}`])
    for (const { stop } of readers) stop()
    expect(await (await listen(rows, {}, { gateway })).has([])).toBe(true)
    expect(gateway.subscriptions).toHaveLength(3)
    await gateway.stop()
  })

  test('receive 1,000 past events without delaying new ones (eventsBounds.streamPage)', async () => {
    const rows = eventRows(database)
    const past = await many(rows, 1_000)
    await rows.position()
    const live = await listen(rows)
    const behind = await listen(rows, { since: '2020-01-01T00:00:00Z' })
    const id = fromUuid('evt', await rows.add())
    await tell(rows)
    expect(await live.has([id])).toBe(true)
    expect(await behind.has([...past, id])).toBe(true)
    live.stop()
    behind.stop()
  })

  test('that are slow get a new page only after they consumed the last one, and lose nothing', async () => {
    const rows = eventRows(database)
    const all = await many(rows, 600, 'agent.updated', 1_000)
    await rows.position()
    const sink = recordingSink()
    sink.isSlow = true
    const { has, ids, stop } = await listen(rows, { since: '2020-01-01T00:00:00Z' }, { sink })
    await expect.poll(() => ids().length).toBeGreaterThan(0)
    const held = sink.text.length
    expect(held).toBeLessThan(200_000)
    const other = await listen(rows)
    const id = fromUuid('evt', await rows.add())
    await tell(rows)
    expect(await other.has([id])).toBe(true)
    expect(sink.text).toHaveLength(held)
    for (let n = 0; n < 20; n++) {
      sink.resume()
      await gateways[0]?.get(rows, id as `evt_${string}`)
    }
    sink.isSlow = false
    sink.resume()
    expect(await has([...all, id])).toBe(true)
    other.stop()
    stop()
  })

  test('receive pages of a bounded size; an event larger than the bound is a page alone (eventsBounds.streamPage)', async () => {
    const rows = eventRows(database)
    const small = await many(rows, 40, 'agent.updated', 10_000)
    const [large = ''] = await many(rows, 1, 'agent.updated', 2_000_000)
    const end = await many(rows, 2)
    await rows.position()
    const sizes: number[] = []
    const sink = recordingSink()
    const { write } = sink
    sink.write = (frames, count) => {
      sizes.push(frames.length)
      return write(frames, count)
    }
    const { has, stop } = await listen(rows, { since: '2020-01-01T00:00:00Z' }, { sink })
    expect(await has([...small, large, ...end])).toBe(true)
    const [largest = 0, ...others] = sizes.toSorted((a, b) => b - a)
    expect(largest).toBeLessThan(2_200_000)
    for (const size of others) expect(size).toBeLessThan(150_000)
    stop()
  })
})

describe('when a dependency is unavailable', () => {
  test('events arrive without Redis, because the gateway polls', async () => {
    const rows = eventRows(database)
    const gateway = await openGateway({ isUp: false })
    const { has, stop } = await listen(rows, {}, { gateway })
    const id = fromUuid('evt', await rows.tell())
    expect(await has([id])).toBe(true)
    stop()
    await gateway.stop()
  })

  test('polling compensates for a lost notification', async () => {
    const rows = eventRows(database)
    const gateway = await openGateway({ lookEveryMs: 50 })
    const { has, stop } = await listen(rows, {}, { gateway })
    const id = fromUuid('evt', await rows.tell())
    expect(await has([id])).toBe(true)
    stop()
    await gateway.stop()
  })

  test('streams are interrupted when the database cannot be read, and resume where they stopped', async () => {
    const rows = eventRows(database)
    let isAway = false
    const wrap = (db: Database): Database => ({
      ...db,
      batch: (org, all) => (isAway ? Promise.reject(new DatabaseUnavailable('away')) : db.batch(org, all)),
    })
    const gateway = await openGateway({ wrap })
    const { sink, has } = await listen(rows, {}, { gateway })
    const first = fromUuid('evt', await rows.add())
    await tell(rows)
    expect(await has([first])).toBe(true)
    isAway = true
    const second = fromUuid('evt', await rows.add())
    await tell(rows)
    await expect.poll(() => sink.outcome).toBe('interrupted')
    isAway = false
    const resumed = await listen(rows, {}, { gateway, lastEventId: first })
    expect(await resumed.has([second])).toBe(true)
    resumed.stop()
    await gateway.stop()
  })
})

// Last, because all gateways close their streams.
describe('when the history of the database went back', () => {
  /** The events after this position are lost, as in a restore. They were the last ones of the installation. */
  const lose = async (rows: EventRows, after: number): Promise<void> => {
    await rows.query('delete from events where position > $1', [after])
    await rows.query('update event_clock set position = $1', [after])
  }

  test('streams of an undisturbed history stay open', async () => {
    const rows = eventRows(database)
    const { sink, has, stop } = await listen(rows)
    const all: string[] = []
    for (let n = 0; n < 5; n++) {
      all.push(...(await many(rows, 2)))
      await tell(rows)
      expect(await has(all)).toBe(true)
    }
    expect(sink.outcome).toBe('open')
    stop()
  })

  test('streams are closed after a new epoch, even if new events have passed the old position since', async () => {
    const rows = eventRows(database)
    const kept = fromUuid('evt', await rows.tell())
    const { sink, has } = await listen(rows, { after: kept as `evt_${string}` })
    const before = await rows.position()
    const lost = await many(rows, 7)
    await tell(rows)
    expect(await has(lost)).toBe(true)

    await lose(rows, before)
    const next = await many(rows, 8)
    await rows.query('update event_clock set epoch = gen_random_uuid()', [])
    await tell(rows)
    await expect.poll(() => sink.outcome).toBe('interrupted')

    const unknown = listen(rows, {}, { lastEventId: lost.at(-1) ?? '' })
    await expect(unknown).rejects.toMatchObject({ code: 'not_found' })
    const again = await listen(rows, {}, { lastEventId: kept })
    expect(await again.has(next)).toBe(true)
    again.stop()
  })

  test('streams are closed as soon as a position is lower than one that they had, also without a new epoch', async () => {
    const rows = eventRows(database)
    const gateway = await openGateway({ isUp: false })
    const kept = fromUuid('evt', await rows.tell())
    const { sink, has } = await listen(rows, { after: kept as `evt_${string}` }, { gateway })
    const before = await rows.position()
    const lost = await many(rows, 3)
    await rows.position()
    expect(await has(lost)).toBe(true)
    await lose(rows, before)
    await expect.poll(() => sink.outcome).toBe('interrupted')
    const [next = ''] = await many(rows, 1)
    await rows.position()
    const again = await listen(rows, {}, { gateway, lastEventId: kept })
    expect(await again.has([next])).toBe(true)
    again.stop()
    await gateway.stop()
  })
})

const toUuidText = (hex: string): string => {
  const digits = hex.replaceAll(/[^0-9a-f]/g, '0')
  return [0, 8, 12, 16, 20].map((at, n, all) => digits.slice(at, all[n + 1] ?? 32)).join('-')
}
