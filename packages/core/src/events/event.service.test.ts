import { systemClock } from '@ars/platform/clock'
import { randomBytes } from '@ars/platform/crypto'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { fromUuid, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { openPubSub, type PubSub } from '@ars/platform/redis/pub-sub'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { testRedisUrl } from '@ars/testkit/stack'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventRows, newId } from '../../test/event-rows.ts'
import { runRows } from '../../test/run-rows.ts'
import { createReadRuns } from '../runs/read/read-runs.service.ts'
import { eraseRunData } from '../runs/run/erase.store.ts'
import type { RunLookup } from './envelope.service.ts'
import { createEvents, type EventService, type ListEvents } from './event.service.ts'

const log = createLog({ level: 'silent' })
let database: TestDatabase
let pubSub: PubSub
const pools: Database[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  pubSub = await openPubSub({ url: testRedisUrl(), log })
})
afterAll(async () => {
  pubSub.close()
  for (const pool of pools) await pool.close()
  await database.drop()
})

/** The service of another process, with separate connections. */
const openService = (wrap: (readRuns: RunLookup) => RunLookup = (readRuns) => readRuns): EventService => {
  const open = (url: string) => openDatabase({ url, name: 'events', size: 2, acquireTimeoutMs: 30_000, log })
  const [app, feedReads] = [open(database.appUrl), open(database.feedUrl)]
  pools.push(app, feedReads)
  return createEvents({ app, feedReads, pubSub, clock: systemClock, log, readRuns: wrap(createReadRuns({ app })) })
}

/** A run that has ended, and its event. */
const endedRun = async (output: unknown = { result: 'done' }, org = toUuid(newId('org'))) => {
  const runs = runRows(database, org)
  const rows = eventRows(database, org)
  const run = await runs.start()
  await runs.finish(run, output)
  const id = await rows.add({ type: 'run.completed', subject: run })
  await rows.query('update events set data = null where id = $1', [id])
  return { org, run, id, eventId: fromUuid('evt', id), rows }
}

const allPages = async (service: EventService, org: string, asked: ListEvents) => {
  const pages: string[][] = []
  let after: ListEvents['after']
  for (;;) {
    const page = await service.list({ org }, { ...asked, ...(after ? { after } : {}) })
    pages.push(page.data.map(({ id }) => id))
    if (!page.has_more) return pages
    after = page.data.at(-1)?.id
  }
}

describe('the list of events', () => {
  test('is newest first, pages both ways, and shows neither test events nor events of other organisations', async () => {
    const service = openService()
    const rows = eventRows(database)
    await eventRows(database).add()
    const ids: string[] = []
    for (let n = 0; n < 7; n++) ids.unshift(fromUuid('evt', await rows.add({ data: { n } })))
    await rows.add({ type: 'test', webhook: toUuid(newId('wh')) })
    expect(await allPages(service, rows.org, { limit: 3 })).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)])
    const before = await service.list({ org: rows.org }, { limit: 3, before: ids[5] as ListEvents['before'] })
    expect(before.data.map(({ id }) => id)).toEqual(ids.slice(2, 5))
    expect([before.has_more, before.first_id, before.last_id]).toEqual([true, ids[2], ids[4]])
    expect(before.data[0]?.data).toEqual({ n: 4 })
  })

  test('is filtered by one or several types and by creation time', async () => {
    const service = openService()
    const rows = eventRows(database)
    const made = new Map<string, string>()
    for (const type of ['agent.updated', 'deployment.created', 'deployment.rollback', 'agent.updated'] as const) {
      made.set(fromUuid('evt', await rows.add({ type })), type)
    }
    const newest = [...made.keys()].toReversed()
    const list = async (asked: ListEvents) => (await service.list({ org: rows.org }, asked)).data.map(({ id }) => id)
    expect(await list({ type: ['agent.updated'] })).toEqual([newest[0], newest[3]])
    expect(await list({ type: ['deployment.created', 'deployment.rollback'] })).toEqual([newest[1], newest[2]])
    expect(await list({ type: ['run.completed'] })).toEqual([])
    const [second] = (await service.list({ org: rows.org }, { limit: 1, after: newest[0] as never })).data
    expect(await list({ created_after: second?.created_at, created_before: '2999-01-01T00:00:00Z' })).toEqual([
      newest[0],
    ])
    expect(await list({ created_before: second?.created_at })).toEqual([newest[2], newest[3]])
  })

  test.each([
    ['random', (bytes: number) => randomBytes(bytes / 2).toString('hex')],
    ['compressible', (bytes: number) => 'x'.repeat(bytes)],
  ])(
    'ends a page of large %s results early, reports that there is more, and loses none (eventsBounds.page)',
    async (_, textOf) => {
      const service = openService()
      const org = toUuid(newId('org'))
      const ids: string[] = []
      for (let n = 0; n < 5; n++) ids.unshift((await endedRun({ result: textOf(3_000_000) }, org)).eventId)
      const pages = await allPages(service, org, { limit: 100 })
      expect(pages).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)])
    },
  )

  test('also ends a page of large stored data early (eventsBounds.storedPage)', async () => {
    const service = openService()
    const rows = eventRows(database)
    const ids: string[] = []
    for (let n = 0; n < 5; n++) {
      ids.unshift(fromUuid('evt', await rows.add({ data: { new: randomBytes(500_000).toString('hex') } })))
    }
    const pages = await allPages(service, rows.org, { limit: 100 })
    expect(pages.length).toBeGreaterThan(1)
    expect(pages.flat()).toEqual(ids)
  })

  test('omits an event whose run has been deleted by retention, and does not find it by id', async () => {
    const service = openService()
    const kept = await endedRun()
    const gone = await endedRun({}, kept.org)
    await kept.rows.query('delete from runs where id = $1', [gone.run])
    expect((await service.list({ org: kept.org }, {})).data.map(({ id }) => id)).toEqual([kept.eventId])
    await expect(service.get({ org: kept.org }, gone.eventId)).rejects.toMatchObject({ code: 'not_found' })
    expect(await service.bodyOf(kept.org, gone.id)).toBeNull()
  })
})

describe('one event', () => {
  test('is not found by another organisation, and a test event is found by its id', async () => {
    const service = openService()
    const { id, eventId, rows } = await endedRun()
    await expect(service.get({ org: toUuid(newId('org')) }, eventId)).rejects.toMatchObject({ code: 'not_found' })
    expect(await service.bodyOf(toUuid(newId('org')), id)).toBeNull()
    const sample = await rows.add({ type: 'run.failed', data: { id: 'run_0' }, webhook: toUuid(newId('wh')) })
    expect(await service.get(rows, fromUuid('evt', sample))).toMatchObject({
      type: 'run.failed',
      data: { id: 'run_0' },
    })
  })

  test('of a run that waited shows the run as it was then, whatever its present state', async () => {
    const service = openService()
    const { org, run, rows } = await endedRun()
    const then = {
      status: 'requires_action',
      output: null,
      latency_ms: null,
      finished_at: null,
      required_actions: [{ id: 'act_0' }],
      timing: { execution_ms: null, waiting_ms: 0 },
    }
    const id = await rows.add({ type: 'run.requires_action', subject: run, data: then })
    const { data } = await service.get({ org }, fromUuid('evt', id))
    expect(data).toMatchObject({
      ...then,
      id: fromUuid('run', run),
      timing: { waiting_ms: 0, queue_ms: expect.any(Number) },
    })
  })

  test('can be read together with others by UUID', async () => {
    const service = openService()
    const one = await endedRun({ result: 'one' })
    const two = await endedRun({ result: 'two' }, one.org)
    const found = await service.envelopesOf(one.org, [two.id, toUuid(newId('evt')), one.id])
    expect([...found].map(([id, { data }]) => [id, data.output])).toEqual([
      [two.id, { result: 'two' }],
      [one.id, { result: 'one' }],
    ])
  })
})

describe('the bytes of an event', () => {
  test('are those of the envelope, and identical in two concurrent processes and after a restart', async () => {
    const services = [openService(), openService()]
    const { org, run, id, eventId, rows } = await endedRun({ result: 'é \u2028 🙂' })
    const [first, second] = await Promise.all(services.map((service) => service.bodyOf(org, id)))
    expect(first).toBe(JSON.stringify(await services[0]?.get({ org }, eventId)))
    expect(second).toBe(first)
    // A later release may render a run differently; stored bytes stay.
    await rows.query(`update run_results set output = '{"result":"other"}' where run_id = $1`, [run])
    expect(await openService().bodyOf(org, id)).toBe(first)
  })

  const eraseIn = async (org: string, run: string): Promise<void> => {
    const [pool] = pools
    if (pool) await eraseRunData(pool, org, run)
  }

  test('are stored once under concurrent reads', async () => {
    const services = Array.from({ length: 3 }, () => openService())
    const { org, id, rows } = await endedRun()
    const bodies = await Promise.all(services.flatMap((service) => [1, 2, 3].map(() => service.bodyOf(org, id))))
    expect(new Set(bodies).size).toBe(1)
    expect(await rows.query('select body from event_bodies where event_id = $1', [id])).toEqual([{ body: bodies[0] }])
  })

  test('are rebuilt from the remaining data after the run’s data was erased, and contain none of it', async () => {
    const service = openService()
    const { org, run, id, rows } = await endedRun({ result: 'a secret thing' })
    expect(await service.bodyOf(org, id)).toContain('a secret thing')
    await eraseIn(org, run)
    await rows.query('delete from event_bodies where event_id = $1', [id])
    const left = await service.bodyOf(org, id)
    expect(left).not.toContain('a secret thing')
    expect(JSON.parse(left ?? '')).toMatchObject({ data: { status: 'completed', output: null } })
    expect(await openService().bodyOf(org, id)).toBe(left)
  })

  test('contain nothing that is erased while they are being built', async () => {
    const { org, run, id, rows } = await endedRun({ result: 'a secret thing' })
    let isErased = false
    const service = openService((readRuns) => async (...asked) => {
      const found = await readRuns(...asked)
      if (!isErased) await eraseIn(org, run)
      isErased = true
      return found
    })
    expect(await service.bodyOf(org, id)).not.toContain('a secret thing')
    expect(await rows.query('select from event_bodies where event_id = $1', [id])).toEqual([])
  })
})
