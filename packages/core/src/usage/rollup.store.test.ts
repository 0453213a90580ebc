import { systemClock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { asClient } from '@ars/testkit/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteOldRows } from '../../test/delete-old-rows.ts'
import { openUsageWorld, type PlantedEnd, type UsageWorld } from '../../test/usage-world.ts'
import { addCounts, indexOf } from './histogram.ts'
import { countEnds, countNotes, findAsOf, lockCursor, passCountedNotes } from './rollup.store.ts'
import { rollupSweep } from './rollup.sweep.ts'

const newId = createIdMaker(systemClock)
const uuid = () => toUuid(newId('ag'))
let world: UsageWorld
beforeAll(async () => {
  world = await openUsageWorld()
})
afterAll(() => world.close())

const countAll = async (db = world.system) => {
  await world.relay()
  while ((await countEnds(db)) ?? 0);
}
const bucketsOf = (org: string, where = 'true') =>
  world.sql<Record<string, unknown>>(
    `select width, scope, bucket, agent_id, agent_version, api_key_id, completed::integer, failed::integer, cancelled::integer,
            input_tokens::integer, output_tokens::integer, cost_usd::text, unpriced_runs::integer, errors, latency, queue
       from usage_buckets where org_id = $1 and ${where} order by width, scope, bucket, agent_id, agent_version, api_key_id`,
    [org],
  )
const ago = (ms: number) => new Date(systemClock.now().getTime() - ms)

test('an end is counted in the minute, the quarter, the hour and the day of its end', async () => {
  const [org, agent] = [await world.newOrg(), uuid()]
  const finishedAt = ago(60_000)
  await world.endRuns(org, [
    { agent, finishedAt, latencyMs: 2_000, waitingMs: 30_000, queueMs: 40, tokens: [7, 3], costUsd: 0.25 },
    { agent, finishedAt, status: 'failed', latencyMs: 500, costUsd: null, tokens: [1, 0], errorCode: 'tool_failed' },
    { agent, finishedAt, status: 'cancelled', latencyMs: 9_000, queueMs: null },
  ])
  await countAll()
  const rows = await bucketsOf(org)
  expect(rows.map(({ width, scope }) => `${width} ${scope}`)).toEqual([
    'day agent',
    'day key',
    'day total',
    'hour agent',
    'hour total',
    'minute agent',
    'minute detail',
    'minute total',
    'quarter agent',
    'quarter detail',
    'quarter total',
  ])
  for (const row of rows)
    expect(row).toMatchObject({
      completed: 1,
      failed: 1,
      cancelled: 1,
      input_tokens: 8,
      output_tokens: 3,
      cost_usd: '0.25',
      unpriced_runs: 1,
      errors: { tool_failed: 1 },
      latency: { [indexOf(2_000)]: 1, [indexOf(500)]: 1 },
      // The third run never left the queue.
      queue: { [indexOf(40)]: 1, [indexOf(5)]: 1 },
    })
  const minute = rows.find(({ width }) => width === 'minute')?.bucket as Date
  expect(minute.getTime()).toBe(Math.floor(finishedAt.getTime() / 60_000) * 60_000)
})

test('two workers that count at once, and one that dies before its commit, count each end once', async () => {
  const [org, agent] = [await world.newOrg(), uuid()]
  const dying: Database = {
    ...world.system,
    transaction: (asked, work) =>
      world.system.transaction(asked, async (tx) => {
        await work(tx)
        throw new Error('the worker died')
      }),
  }
  for (let round = 0; round < 3; round++) {
    await world.endRuns(
      org,
      Array.from({ length: 700 }, (): PlantedEnd => ({ agent, finishedAt: ago(5_000) })),
    )
    await world.relay()
    await expect(countEnds(dying)).rejects.toThrow('the worker died')
    await Promise.all([countAll(), countAll(), countAll()])
  }
  await countAll()
  const rows = await bucketsOf(org, "width = 'day' and scope = 'total'")
  expect(rows).toMatchObject([{ completed: 2_100, latency: { [indexOf(100)]: 2_100 } }])
})

test('a rotated pair of keys counts as its first key, and people as no key', async () => {
  const [org, agent] = [await world.newOrg(), uuid()]
  const first = await world.newKey(org, 'Shop')
  const second = await world.newKey(org, 'Shop', first)
  const finishedAt = ago(1_000)
  await world.endRuns(org, [
    { agent, finishedAt, key: first },
    { agent, finishedAt, key: second, version: 2 },
    { agent, finishedAt, user: uuid() },
  ])
  await countAll()
  expect(await bucketsOf(org, "scope = 'key'")).toMatchObject([
    { api_key_id: '00000000-0000-0000-0000-000000000000', completed: 1 },
    { api_key_id: first, completed: 2 },
  ])
  expect(await bucketsOf(org, "scope = 'detail' and width = 'quarter'")).toHaveLength(3)
})

test('figures are as of the earliest end that is not counted, and of now without one', async () => {
  const [org, agent, idle] = [await world.newOrg(), uuid(), await world.newOrg()]
  const finishedAt = ago(40_000)
  await world.endRuns(org, [
    { agent, finishedAt },
    { agent, finishedAt: ago(5_000) },
  ])
  expect(await findAsOf(world.app, org)).toEqual(finishedAt)
  await world.relay()
  expect(await findAsOf(world.app, org)).toEqual(finishedAt)
  expect(await findAsOf(world.system, null)).toEqual(finishedAt)
  expect((await findAsOf(world.app, idle)).getTime()).toBeGreaterThan(ago(5_000).getTime())
  await countAll()
  expect((await findAsOf(world.app, org)).getTime()).toBeGreaterThan(ago(5_000).getTime())
})

test('a note of deliveries is counted once and deleted', async () => {
  const org = await world.newOrg()
  await world.sql(
    'insert into usage_notes (org_id, deliveries_succeeded, deliveries_failed) values ($1, 3, 1), ($1, 4, 0)',
    [org],
  )
  await Promise.all([countNotes(world.system), countNotes(world.system)])
  expect(await world.sql('select from usage_notes')).toEqual([])
  const [row] = await world.sql<Record<string, string>>(
    `select deliveries_succeeded, deliveries_failed from usage_buckets where org_id = $1 and width = 'hour'`,
    [org],
  )
  expect(row).toEqual({ deliveries_succeeded: '7', deliveries_failed: '1' })
})

/** The pages that the statements about notes read. */
const pagesRead = async (org: string): Promise<number> => {
  let pages = 0
  const explained: Database = {
    ...world.system,
    once: async (asked, statement) => {
      const explain = { text: `explain (analyze, buffers, format json) ${statement.text}`, values: statement.values }
      const [row] = (await world.system.once(null, explain)) as { 'QUERY PLAN': [{ Plan: Record<string, number> }] }[]
      const plan = row?.['QUERY PLAN'][0].Plan ?? {}
      pages += (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0)
      return world.system.once(asked, statement)
    },
  }
  await countNotes(explained)
  await findAsOf(explained, null)
  await findAsOf(explained, org)
  return pages
}

test('notes that were counted are not read again while an old transaction can still see them', async () => {
  const org = await world.newOrg()
  await asClient(world.database.superuserUrl, async (reader) => {
    await reader.query('begin isolation level repeatable read')
    await reader.query('select from organisations')
    const before = await pagesRead(org)
    for (let round = 0; round < 3; round++) {
      await world.sql('insert into usage_notes (org_id, guardrail_blocks) select $1, 1 from generate_series(1, 1000)', [
        org,
      ])
      await rollupSweep({ system: world.system }).run()
    }
    expect(await world.sql('select from usage_notes')).toEqual([])
    // Without the mark the index leads to each of the 3,000. A transaction of any database of the server holds the mark until it ends.
    const pages = async () => {
      await passCountedNotes(world.system)
      return (await pagesRead(org)) - before
    }
    await expect.poll(pages).toBeLessThan(100)
    await reader.query('rollback')
  })
  expect(await bucketsOf(org, "width = 'day' and guardrail_blocks = 3000")).toHaveLength(1)
})

test('notes wait while another worker counts ends, so that the two cannot wait for each other', async () => {
  const org = await world.newOrg()
  await world.sql('insert into usage_notes (org_id, guardrail_blocks) values ($1, 1)', [org])
  await world.system.transaction(null, async (tx) => {
    expect(await lockCursor(tx)).not.toBeNull()
    expect(await countNotes(world.system)).toBe(0)
  })
  expect(await countNotes(world.system)).toBe(1)
})

test('a note whose transaction ends late is counted, and so is one below the numbers of another server', async () => {
  const org = await world.newOrg()
  const note = 'insert into usage_notes (org_id, guardrail_blocks) values ($1, 1)'
  const sweep = rollupSweep({ system: world.system })
  await asClient(world.database.superuserUrl, async (late) => {
    await late.query('begin')
    await late.query(note, [org])
    await world.sql(note, [org])
    await sweep.run()
    await sweep.run()
    await late.query('commit')
  })
  const counted = () =>
    world.sql("select from usage_buckets where org_id = $1 and width = 'day' and guardrail_blocks = 2", [org])
  expect(await counted()).toEqual([])
  await sweep.run()
  expect(await counted()).toHaveLength(1)
  await world.sql('update usage_cursor set notes_from = 1e15')
  await world.sql(note, [org])
  await sweep.run()
  expect(await world.sql('select from usage_notes')).toEqual([])
  expect(await world.sql('select from usage_cursor where notes_from = 1e15')).toEqual([])
})

test('minutes are deleted after 8 days, and the others after 13 months', async () => {
  const org = await world.newOrg()
  const plant = (width: string, age: string) =>
    world.sql(
      `insert into usage_buckets (org_id, width, scope, bucket, agent_id, agent_version, api_key_id)
       values ($1, $2, 'total', app_now() - $3::interval, $1, 0, $1)`,
      [org, width, age],
    )
  for (const [width, age] of [
    ['minute', '9 days'],
    ['minute', '7 days'],
    ['day', '14 months'],
    ['day', '12 months'],
  ] as const)
    await plant(width, age)
  await deleteOldRows(world.system)
  expect((await bucketsOf(org)).map(({ width }) => width)).toEqual(['day', 'minute'])
})

test('a batch that takes too long is tried again with fewer ends, until all are counted (usageBounds.endsTogether)', async () => {
  const [org, agent] = [await world.newOrg(), uuid()]
  await world.endRuns(
    org,
    Array.from({ length: 300 }, (): PlantedEnd => ({ agent, finishedAt: ago(5_000) })),
  )
  await world.relay()
  let failures = 3
  const slow: Database = {
    ...world.system,
    transaction: (asked, work) =>
      failures-- > 0 ? Promise.reject(new Error('statement timeout')) : world.system.transaction(asked, work),
  }
  const sweep = rollupSweep({ system: slow })
  for (let round = 0; round < 3; round++) await expect(sweep.run()).rejects.toThrow('statement timeout')
  await sweep.run()
  expect(await bucketsOf(org, "width = 'day' and scope = 'total'")).toMatchObject([{ completed: 300 }])
})

test.each([
  [0, 3],
  [3, 0],
  [5, 1],
  [5, 8],
  [40, 9],
  [9, 40],
])('counts of %i keys and of %i keys are added key by key', async (first, second) => {
  const countsFrom = (start: number, keys: number) =>
    Object.fromEntries(Array.from({ length: keys }, (_, n) => [String(start + n), n + 1]))
  const [one, other] = [countsFrom(0, first), countsFrom(2, second)]
  const [row] = await world.sql<{ sums: Record<string, number> }>('select add_counts($1, $2) as sums', [one, other])
  expect(row?.sums).toEqual(addCounts([one, other]))
})
