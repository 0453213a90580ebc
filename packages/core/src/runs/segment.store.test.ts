import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccess } from '../access/index.ts'
import { createAgents } from '../agents/index.ts'
import { acceptRun, findRun } from './run.store.ts'
import { claimStep, finishRun, handOver, storeStep } from './segment.store.ts'
import type { Segment } from './segment.ts'
import { listStalled, resubmit, takeDueOrders } from './sweep.store.ts'

const log = createLog({ level: 'silent' })
const newId = createIdMaker(systemClock)
let database: TestDatabase
let app: Database
let system: Database
let org: string
let agentId: string

beforeAll(async () => {
  database = await createTestDatabase()
  app = openDatabase({ url: database.appUrl, name: 'app', size: 3, log })
  system = openDatabase({ url: database.systemUrl, name: 'system', size: 3, log })
  org = (await createAccess({ app, auth: app, clock: systemClock, newId }).createOrganisation('Test')).org
  const [echo] = await createAgents({ app, newId }).seedTestFamily(org)
  agentId = toUuid(echo?.id ?? '')
})
afterAll(async () => {
  await Promise.all([app.close(), system.close()])
  await database.drop()
})

const completed = { status: 'completed', output: { result: 'done' }, error: null } as const
const step = { output: { n: 1 }, inputTokens: 3, outputTokens: 4, startedAt: new Date() }
const finish = (segment: Segment, attempt: number, at = 1) =>
  finishRun(
    app,
    org,
    { segment, step: at, attempt, eventId: toUuid(newId('evt')) },
    { stored: step, outcome: completed },
  )

const accept = async (): Promise<Segment> => {
  const run = toUuid(newId('run'))
  await acceptRun(app, org, {
    id: run,
    agentId,
    input: {},
    metadata: {},
    timeoutSeconds: null,
    timeoutDefaultSeconds: 600,
    idempotency: undefined,
    slot: 0,
    relayAfterMs: 0,
  })
  return { org, run, epoch: 1, segment: 1, step: 1 }
}

const snapshot = (run: string) =>
  asClient(database.superuserUrl, async (client) => {
    const tables = {
      runs: 'id',
      run_heads: 'run_id',
      run_results: 'run_id',
      run_steps: 'run_id',
      run_events: 'run_id',
      events: 'subject_id',
    }
    const rows = await Promise.all(
      Object.entries(tables).map(async ([table, column]) => [
        table,
        (await client.query(`select to_json(t) as row from ${table} t where ${column} = $1 order by 1::text`, [run]))
          .rows,
      ]),
    )
    return Object.fromEntries(rows)
  })

test('a run ends once: of many who finish it at the same moment, one does', async () => {
  const segment = await accept()
  const claim = await claimStep(app, org, segment, 1)
  const finishes = await Promise.all(
    Array.from({ length: 8 }, () => finish(segment, claim?.attempt ?? 0).catch(() => null)),
  )
  expect(finishes.filter((finished) => finished !== null)).toHaveLength(1)
  const rows = await snapshot(segment.run)
  expect(rows.run_heads).toEqual([])
  expect(rows.run_results).toHaveLength(1)
  expect(rows.events).toHaveLength(1)
})

test('a worker whose step was claimed by another cannot store, finish or hand over', async () => {
  const segment = await accept()
  const old = await claimStep(app, org, segment, 1)
  const young = await claimStep(app, org, segment, 1)
  expect(young?.attempt).toBe((old?.attempt ?? 0) + 1)
  const before = await snapshot(segment.run)
  const at = { segment, step: 1, attempt: old?.attempt ?? 0 }
  expect(await storeStep(app, org, at, step)).toBeNull()
  expect(await finish(segment, at.attempt)).toBeNull()
  expect(await handOver(app, org, { ...at, step: 0 })).toBeNull()
  expect(await snapshot(segment.run)).toEqual(before)
  expect(await finish(segment, young?.attempt ?? 0)).not.toBeNull()
})

test('nothing that comes after the end changes the run', async () => {
  const segment = await accept()
  const claim = await claimStep(app, org, segment, 1)
  await finish(segment, claim?.attempt ?? 0)
  const ended = await snapshot(segment.run)
  const at = { segment, step: 1, attempt: claim?.attempt ?? 0 }
  expect(await claimStep(app, org, segment, 1)).toBeNull()
  expect(await storeStep(app, org, at, step)).toBeNull()
  expect(await finish(segment, at.attempt)).toBeNull()
  expect(await resubmit(system, segment)).toBeNull()
  expect(await snapshot(segment.run)).toEqual(ended)
})

test('a step that is stored is not claimed again, and its tokens are counted once', async () => {
  const segment = await accept()
  const first = await claimStep(app, org, segment, 1)
  const at = { segment, step: 1, attempt: first?.attempt ?? 0 }
  expect(await storeStep(app, org, at, step)).not.toBeNull()
  expect(await storeStep(app, org, at, step)).toBeNull()
  expect(await claimStep(app, org, segment, 1)).toBeNull()
  const second = await claimStep(app, org, segment, 2)
  await finish(segment, second?.attempt ?? 0, 2)
  expect(await findRun(app, org, segment.run)).toMatchObject({ status: 'completed', input_tokens: 6, output_tokens: 8 })
})

test('the first claim takes the order out of the outbox, and a run without claim stays in it', async () => {
  const claimed = await accept()
  const waiting = await accept()
  await claimStep(app, org, claimed, 1)
  const due = await takeDueOrders(system, { limit: 1_000, againAfterMs: 60_000 })
  expect(due.map(({ run }) => run)).toContain(waiting.run)
  expect(due.map(({ run }) => run)).not.toContain(claimed.run)
  const again = await takeDueOrders(system, { limit: 1_000, againAfterMs: 60_000 })
  expect(again.map(({ run }) => run)).not.toContain(waiting.run)
})

test('a run that is submitted again goes on where its stored steps end, under an epoch that shuts the old one out', async () => {
  const segment = await accept()
  const first = await claimStep(app, org, segment, 1)
  await storeStep(app, org, { segment, step: 1, attempt: first?.attempt ?? 0 }, step)
  const second = await claimStep(app, org, segment, 2)
  const stalled = (await listStalled(system, { limit: 1_000, quietMs: 0 })).find(({ run }) => run === segment.run)
  expect(stalled).toEqual({ ...segment, step: 2 })
  const again = await resubmit(system, stalled as Segment)
  expect(again).toEqual({ ...segment, epoch: 2, step: 2 })
  expect(await resubmit(system, stalled as Segment)).toBeNull()
  expect(await finish(segment, second?.attempt ?? 0, 2)).toBeNull()
  const third = await claimStep(app, org, again as Segment, 2)
  expect(await finish(again as Segment, third?.attempt ?? 0, 2)).not.toBeNull()
})
