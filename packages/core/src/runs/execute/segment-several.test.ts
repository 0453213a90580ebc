import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askedRun } from '../../../test/asked-run.ts'
import { plantTenant } from '../../../test/run-gateway.ts'
import { acceptRuns } from '../accept/accept.store.ts'
import type { Segment } from '../run/segment.ts'
import {
  type AskedStep,
  claimSteps,
  claimStepsOfSeveral,
  type EndedRow,
  finishRuns,
  finishRunsOfSeveral,
  type StepResultRow,
  storeSteps,
  storeStepsOfSeveral,
} from './segment.store.ts'
import type { ClaimedStep, StoredStep } from './step-row.ts'

const log = createLog({ level: 'silent' })
const newId = createIdMaker(systemClock)
const settings = { relayAfterMs: 60_000, cellSlots: 100_000 }
let database: TestDatabase
let app: Database

beforeAll(async () => {
  database = await createTestDatabase()
  app = openDatabase({ url: database.appUrl, name: 'app', size: 4, acquireTimeoutMs: 30_000, log })
})
afterAll(async () => {
  await app.close()
  await database.drop()
})

const newUuid = (): string => toUuid(newId('claim'))
const query = async <Row>(sql: string, values: unknown[] = []) =>
  asClient(database.superuserUrl, async (client) => (await client.query(sql, values)).rows as Row[])

/** An organisation with runs that wait for their first claim. */
const tenant = async (runs: number): Promise<Segment[]> => {
  const { org, agentId } = await plantTenant(database)
  const asked = Array.from({ length: runs }, (_, n) => askedRun(toUuid(agentId), { input: { n } }))
  await acceptRuns(app, org, asked, settings)
  return asked.map(({ id }) => ({ org, run: id, epoch: 1, segment: 1, step: 1 }))
}

const claimOf = (segment: Segment): AskedStep => ({ segment, step: 1, claimId: newUuid(), alone: false })
/** A worker of `segment`'s organisation names a run of another one. */
const naming = (segment: Segment, { run }: Segment): Segment => ({ ...segment, run })
/** A worker names the run, the attempt and the claim that another organisation holds. */
const stolenBy = (thief: ClaimedStep, owner: ClaimedStep): ClaimedStep => ({
  ...owner,
  segment: naming(thief.segment, owner.segment),
})
const kinds = (verdicts: readonly { kind: string }[]): string[] => verdicts.map(({ kind }) => kind)

const held = async (segment: Segment): Promise<ClaimedStep> => {
  const asked = claimOf(segment)
  const [verdict] = await claimSteps(app, segment.org, [asked])
  if (verdict?.kind !== 'claimed') throw new Error('the run was not claimed')
  return { segment, step: 1, attempt: verdict.claim.attempt, claimId: asked.claimId }
}

const step = (text: string): StoredStep => ({
  kind: 'model',
  content: { text },
  tokens: { input: 3, output: 4 },
  costUsd: 0.5,
  messagesRead: 0,
  startedAt: new Date('2026-01-01'),
})
const resultOf = (at: ClaimedStep, text: string): StepResultRow => ({ ...at, stored: step(text), reset: false })
const endOf = (at: ClaimedStep, text: string): EndedRow => ({
  ...at,
  eventId: toUuid(newId('evt')),
  stored: step(text),
  rest: text,
  outcome: { status: 'completed', output: { result: text }, error: null },
})

/** The stored rows of an organisation, without ids and times. */
const storedOf = async (org: string) => {
  const [row] = await query<{ stored: unknown }>(
    `select json_build_object(
       'heads', (select json_agg(json_build_array(status, step, attempt, claims, seq, messages, input_tokens, cost_usd, stored_bytes) order by run_id) from run_heads where org_id = $1),
       'steps', (select json_agg(json_build_array(step, kind, output, attempt, cost_usd) order by run_id, step) from run_steps where org_id = $1),
       'results', (select json_agg(json_build_array(status, output, cost_usd, last_seq) order by run_id) from run_results where org_id = $1),
       'deltas', (select json_agg(json_build_array(seq, data) order by run_id, seq) from run_deltas where org_id = $1),
       'frames', (select json_agg(json_build_array(type, seq, data::jsonb - 'duration_ms') order by run_id, seq) from run_events where org_id = $1),
       'events', (select json_agg(json_build_array(type) order by subject_id) from events where org_id = $1),
       'orders', (select count(*) from outbox where org_id = $1)) as stored`,
    [org],
  )
  return row?.stored
}

/** Two pairs of organisations: one is served together, the other one each alone. */
const twoPairs = async (runs: number) => ({
  together: [await tenant(runs), await tenant(runs)] as const,
  alone: [await tenant(runs), await tenant(runs)] as const,
})

const expectEqualStores = async (one: readonly Segment[][], other: readonly Segment[][]): Promise<void> => {
  for (const [at, segments] of one.entries()) {
    expect(await storedOf(segments[0]?.org ?? '')).toEqual(await storedOf(other[at]?.[0]?.org ?? ''))
  }
}

test('claims: two organisations in one batch that name each other’s runs each get what they would get alone', async () => {
  const { together, alone } = await twoPairs(3)
  const rowsOf = ([own, , late]: readonly Segment[], [foreign]: readonly Segment[]): AskedStep[] => [
    claimOf(own as Segment),
    claimOf(naming(own as Segment, foreign as Segment)),
    // Of a later epoch.
    claimOf({ ...(late as Segment), epoch: 2 }),
  ]
  const [a, b] = together
  const mixed = [rowsOf(a, b), rowsOf(b, a)]
  const verdicts = await claimStepsOfSeveral(
    app,
    [0, 1, 2].flatMap((at) => mixed.map((rows) => rows[at] as AskedStep)),
  )
  const expected: string[][] = []
  for (const [own, foreign] of [alone, alone.toReversed()] as [Segment[], Segment[]][]) {
    expected.push(kinds(await claimSteps(app, own[0]?.org ?? '', rowsOf(own, foreign))))
  }
  expect(expected).toEqual([
    ['claimed', 'not_claimed', 'not_claimed'],
    ['claimed', 'not_claimed', 'not_claimed'],
  ])
  expect(kinds(verdicts).filter((_, at) => at % 2 === 0)).toEqual(expected[0])
  expect(kinds(verdicts).filter((_, at) => at % 2 === 1)).toEqual(expected[1])
  for (const [at, verdict] of verdicts.slice(0, 2).entries()) {
    const own = await query('select agent_id, input from runs where id = $1', [mixed[at]?.[0]?.segment.run])
    expect(verdict).toMatchObject({ claim: own[0] })
    expect(verdict).not.toHaveProperty('claim.org_id')
  }
  await expectEqualStores(together, alone)
})

test('results: two organisations in one batch that name each other’s runs each store what they would store alone', async () => {
  const { together, alone } = await twoPairs(2)
  const play = async ([a, b]: readonly [Segment[], Segment[]]): Promise<[StepResultRow[], StepResultRow[]]> => {
    const [ofA, oldA] = [await held(a[0] as Segment), await held(a[1] as Segment)]
    const [ofB, oldB] = [await held(b[0] as Segment), await held(b[1] as Segment)]
    const superseded = (at: ClaimedStep) => ({ ...at, claimId: newUuid() })
    return [
      [resultOf(ofA, 'own'), resultOf(stolenBy(ofA, ofB), 'stolen'), resultOf(superseded(oldA), 'old')],
      [resultOf(ofB, 'own'), resultOf(stolenBy(ofB, ofA), 'stolen'), resultOf(superseded(oldB), 'old')],
    ]
  }
  const [ofA, ofB] = await play(together)
  const verdicts = await storeStepsOfSeveral(
    app,
    [0, 1, 2].flatMap((at) => [ofB[at], ofA[at]] as StepResultRow[]),
  )
  const expected: string[][] = []
  for (const rows of await play(alone)) expected.push(kinds(await storeSteps(app, rows[0]?.segment.org ?? '', rows)))
  expect(expected).toEqual([
    ['stored', 'lost', 'lost'],
    ['stored', 'lost', 'lost'],
  ])
  expect(kinds(verdicts).filter((_, at) => at % 2 === 1)).toEqual(expected[0])
  expect(kinds(verdicts).filter((_, at) => at % 2 === 0)).toEqual(expected[1])
  await expectEqualStores(together, alone)
})

test('ends: two organisations in one batch that name each other’s runs and messages each end what they would end alone', async () => {
  const { together, alone } = await twoPairs(2)
  const play = async ([a, b]: readonly [Segment[], Segment[]]): Promise<[EndedRow[], EndedRow[]]> => {
    const [ofA, unreadA] = [await held(a[0] as Segment), await held(a[1] as Segment)]
    const [ofB, unreadB] = [await held(b[0] as Segment), await held(b[1] as Segment)]
    // The second run of each has a message that nobody has read, so it does not complete.
    for (const { segment } of [unreadA, unreadB]) {
      await query('update run_heads set messages = 1 where run_id = $1', [segment.run])
    }
    return [
      [endOf(ofA, 'own'), endOf(stolenBy(ofA, ofB), 'stolen'), endOf(unreadA, 'unread')],
      [endOf(ofB, 'own'), endOf(stolenBy(ofB, ofA), 'stolen'), endOf(unreadB, 'unread')],
    ]
  }
  const [ofA, ofB] = await play(together)
  const verdicts = await finishRunsOfSeveral(
    app,
    [0, 1, 2].flatMap((at) => [ofB[at], ofA[at]] as EndedRow[]),
  )
  const expected: string[][] = []
  for (const rows of await play(alone)) expected.push(kinds(await finishRuns(app, rows[0]?.segment.org ?? '', rows)))
  expect(expected).toEqual([
    ['finished', 'not_finished', 'not_finished'],
    ['finished', 'not_finished', 'not_finished'],
  ])
  expect(kinds(verdicts).filter((_, at) => at % 2 === 1)).toEqual(expected[0])
  expect(kinds(verdicts).filter((_, at) => at % 2 === 0)).toEqual(expected[1])
  await expectEqualStores(together, alone)
})

test('a run that another transaction holds leaves the batch, and the others do not wait for it', async () => {
  const [[a], [b]] = [await tenant(1), await tenant(1)] as [[Segment], [Segment]]
  const verdicts = await asClient(database.superuserUrl, async (client) => {
    await client.query('begin')
    await client.query('select from run_heads where run_id = $1 for update', [a.run])
    return claimStepsOfSeveral(app, [claimOf(a), claimOf(b)])
  })
  expect(kinds(verdicts)).toEqual(['not_claimed', 'claimed'])
  // Alone it gets its claim.
  expect(kinds(await claimSteps(app, a.org, [claimOf(a)]))).toEqual(['claimed'])
})

test('batches of many organisations that want the same runs never deadlock, and each run is ended once', async () => {
  const tenants = await Promise.all(Array.from({ length: 8 }, () => tenant(4)))
  const all = await Promise.all(tenants.flat().map(held))
  const shuffled = (n: number) => all.toSorted((one, other) => order(n, one) - order(n, other))
  const order = (n: number, { segment }: ClaimedStep): number =>
    (Number.parseInt(segment.run.slice(-4), 16) * (2 * n + 1)) % 97
  const batches = await Promise.all(
    Array.from({ length: 6 }, (_, n) =>
      finishRunsOfSeveral(
        app,
        shuffled(n).map((at) => endOf(at, 'end')),
      ),
    ),
  )
  const finished = kinds(batches.flat()).filter((kind) => kind === 'finished')
  const repeated = await Promise.all(all.map((at) => finishRuns(app, at.segment.org, [endOf(at, 'end')])))
  expect(finished.length + kinds(repeated.flat()).filter((kind) => kind === 'finished').length).toBe(all.length)
  await query('select pg_stat_force_next_flush()')
  expect(await query('select deadlocks::integer from pg_stat_database where datname = $1', [database.name])).toEqual([
    { deadlocks: 0 },
  ])
})
