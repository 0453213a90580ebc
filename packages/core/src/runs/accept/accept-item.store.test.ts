import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askedRun } from '../../../test/asked-run.ts'
import { plantTenant } from '../../../test/run-gateway.ts'
import { acceptRuns, type NewRun } from './accept.store.ts'

const newId = createIdMaker(systemClock)
const settings = { relayAfterMs: 0, cellSlots: 100 }
let database: TestDatabase
let app: Database

beforeAll(async () => {
  database = await createTestDatabase()
  const log = createLog({ level: 'silent' })
  app = openDatabase({ url: database.appUrl, name: 'app', size: 4, acquireTimeoutMs: 30_000, log })
})
afterAll(async () => {
  await app.close()
  await database.drop()
})

const query = <Row>(text: string, values: unknown[]): Promise<Row[]> =>
  asClient(database.superuserUrl, async (client) => (await client.query(text, values)).rows as Row[])

const plantItems = async (items: readonly { state?: string; closed?: boolean }[]) => {
  const { org, agentId } = await plantTenant(database)
  const pipelineRunId = toUuid(newId('plr'))
  for (const [item, { state = 'waiting', closed = false }] of items.entries())
    await query(
      `insert into pipeline_items (pipeline_run_id, step, item, attempt, org_id, state, outcome, closed_at)
       values ($1, 'a', $2, 1, $3, $4, $5, $6)`,
      [pipelineRunId, item, org, state, closed ? 'cancelled' : null, closed ? systemClock.now() : null],
    )
  const offer = (item: number, change: Partial<NewRun> = {}): NewRun =>
    askedRun(toUuid(agentId), { pipelineItem: { pipelineRunId, step: 'a', item, attempt: 1 }, ...change })
  return { org, agentId: toUuid(agentId), pipelineRunId, offer }
}

const kindsOf = async (org: string, runs: readonly NewRun[]): Promise<string[]> =>
  (await acceptRuns(app, org, runs, settings)).verdicts.map(({ kind }) => kind)

const storedOf = async (org: string) => ({
  runs: await query<{ id: string; pipeline_run_id: string | null }>(
    'select id, pipeline_run_id from runs where org_id = $1 order by id',
    [org],
  ),
  waits: await query<{ run_id: string; pipeline_run_id: string }>(
    'select run_id, pipeline_run_id from pipeline_waits where org_id = $1 order by run_id',
    [org],
  ),
  items: await query<{ item: number; run_id: string | null; state: string }>(
    'select item, run_id, state from pipeline_items where org_id = $1 order by item',
    [org],
  ),
  calls: (
    await query<{ calls: string }>('select coalesce(sum(calls), 0) as calls from call_counts where org_id = $1', [org])
  )[0]?.calls,
})

test('a run of a pipeline claims its item, and its end will wake the pipeline run', async () => {
  const { org, agentId, pipelineRunId, offer } = await plantItems([{}, {}])
  const runs = [offer(0), askedRun(agentId), offer(1)]
  expect(await kindsOf(org, runs)).toEqual(['accepted', 'accepted', 'accepted'])
  const [first, alone, second] = runs.map(({ id }) => id)
  expect(await storedOf(org)).toEqual({
    runs: [
      { id: first, pipeline_run_id: pipelineRunId },
      { id: alone, pipeline_run_id: null },
      { id: second, pipeline_run_id: pipelineRunId },
    ],
    waits: [first, second].map((run_id) => ({ run_id, pipeline_run_id: pipelineRunId })),
    items: [
      { item: 0, run_id: first, state: 'started' },
      { item: 1, run_id: second, state: 'started' },
    ],
    calls: '3',
  })
})

test('an item that has a run, is closed or was refused gets none, and no call is counted', async () => {
  const { org, offer } = await plantItems([{}, { closed: true }, { state: 'refused' }])
  expect(await kindsOf(org, [offer(0)])).toEqual(['accepted'])
  expect(await kindsOf(org, [offer(0), offer(1), offer(2), offer(3)])).toEqual(Array(4).fill('item_taken'))
  const { runs, calls } = await storedOf(org)
  expect([runs.length, calls]).toEqual([1, '1'])
})

test('of many workers that accept the same items at once, each item gets one run', async () => {
  const { org, offer } = await plantItems(Array.from({ length: 10 }, () => ({})))
  const all = Array.from({ length: 10 }, (_, item) => item)
  const verdicts = await Promise.all(
    [all, all.toReversed(), all, all.toReversed()].map((items) =>
      kindsOf(
        org,
        items.map((item) => offer(item)),
      ),
    ),
  )
  expect(verdicts.flat().filter((kind) => kind === 'accepted')).toHaveLength(10)
  expect(verdicts.flat().filter((kind) => kind === 'item_taken')).toHaveLength(30)
  const { runs, waits, items, calls } = await storedOf(org)
  expect(runs.map(({ id }) => id)).toEqual(waits.map(({ run_id }) => run_id))
  expect(items.map(({ run_id }) => run_id).sort()).toEqual(runs.map(({ id }) => id))
  expect(calls).toBe('10')
})

test('one batch that names an item twice gives it one run', async () => {
  const { org, offer } = await plantItems([{}])
  expect((await kindsOf(org, [offer(0), offer(0)])).sort()).toEqual(['accepted', 'item_taken'])
  expect((await storedOf(org)).runs).toHaveLength(1)
})

test('a run that is refused for another reason leaves its item as it was', async () => {
  const { org, offer } = await plantItems([{}])
  expect(await kindsOf(org, [offer(0, { agentId: toUuid(newId('ag')) })])).toEqual(['no_agent'])
  expect((await storedOf(org)).items).toEqual([{ item: 0, run_id: null, state: 'waiting' }])
})
