import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccess } from '../access/index.ts'
import { testAgents } from '../agents/agents.fixture.ts'
import { readHistory } from './history.store.ts'
import { acceptRuns, findRun } from './run.store.ts'
import { claimSteps, finishRuns, handOver, storeSteps } from './segment.store.ts'
import type { Segment } from './segment.ts'
import { ensureCellSlots } from './slot.store.ts'
import type { StoredStep } from './step-row.ts'
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
  app = openDatabase({ url: database.appUrl, name: 'app', size: 3, acquireTimeoutMs: 30_000, log })
  system = openDatabase({ url: database.systemUrl, name: 'system', size: 3, acquireTimeoutMs: 30_000, log })
  org = (await createAccess({ app, auth: app, clock: systemClock, newId }).createOrganisation('Test')).org
  const [echo] = await testAgents({ app, newId }).seedTestFamily(org)
  agentId = toUuid(echo?.id ?? '')
  await ensureCellSlots(system, 100)
})
afterAll(async () => {
  await Promise.all([app.close(), system.close()])
  await database.drop()
})

const completed = { status: 'completed', output: { result: 'done' }, error: null } as const
const step: StoredStep = {
  kind: 'model',
  content: { text: 'one' },
  tokens: { input: 3, output: 4 },
  costUsd: 0.5,
  messagesRead: 0,
  startedAt: new Date(),
}
const settings = { relayAfterMs: 0, cellSlots: 100 }
const claimStep = async (segment: Segment, at: number) =>
  (await claimSteps(app, org, [{ segment, step: at, alone: false }]))[0] ?? null
const storeStep = async (at: Parameters<typeof handOver>[2], stored: StoredStep) =>
  (await storeSteps(app, org, [{ ...at, stored, reset: false }]))[0] ?? null
const finish = async (segment: Segment, attempt: number, at = 1) => {
  const end = { segment, step: at, attempt, eventId: toUuid(newId('evt')), stored: step, rest: '', outcome: completed }
  return (await finishRuns(app, org, [end]))[0] ?? null
}

const accept = async (): Promise<Segment> => {
  const run = toUuid(newId('run'))
  const asked = {
    id: run,
    agentId,
    input: {},
    metadata: {},
    timeoutSeconds: null,
    bucket: 0,
    checkedVersion: null,
    idempotency: undefined,
  }
  await acceptRuns(app, org, [asked], settings)
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
  const claim = await claimStep(segment, 1)
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
  const old = await claimStep(segment, 1)
  const young = await claimStep(segment, 1)
  expect(young?.attempt).toBe((old?.attempt ?? 0) + 1)
  const before = await snapshot(segment.run)
  const at = { segment, step: 1, attempt: old?.attempt ?? 0 }
  expect(await storeStep(at, step)).toBeNull()
  expect(await finish(segment, at.attempt)).toBeNull()
  expect(await handOver(app, org, { ...at, step: 0 })).toBeNull()
  expect(await snapshot(segment.run)).toEqual(before)
  expect(await finish(segment, young?.attempt ?? 0)).not.toBeNull()
})

test('nothing that comes after the end changes the run', async () => {
  const segment = await accept()
  const claim = await claimStep(segment, 1)
  await finish(segment, claim?.attempt ?? 0)
  const ended = await snapshot(segment.run)
  const at = { segment, step: 1, attempt: claim?.attempt ?? 0 }
  expect(await claimStep(segment, 1)).toBeNull()
  expect(await storeStep(at, step)).toBeNull()
  expect(await finish(segment, at.attempt)).toBeNull()
  expect(await resubmit(system, segment)).toBeNull()
  expect(await snapshot(segment.run)).toEqual(ended)
})

test('a step that is stored is not claimed again, and its tokens are counted once', async () => {
  const segment = await accept()
  const first = await claimStep(segment, 1)
  const at = { segment, step: 1, attempt: first?.attempt ?? 0 }
  expect(await storeStep(at, step)).not.toBeNull()
  expect(await storeStep(at, step)).toBeNull()
  expect(await claimStep(segment, 1)).toBeNull()
  const second = await claimStep(segment, 2)
  await finish(segment, second?.attempt ?? 0, 2)
  expect(await findRun(app, org, segment.run)).toMatchObject({
    status: 'completed',
    input_tokens: 6,
    output_tokens: 8,
    cost_usd: 1,
  })
})

test('the first claim takes the order out of the outbox, and a run without claim stays in it', async () => {
  const claimed = await accept()
  const waiting = await accept()
  await claimStep(claimed, 1)
  const due = await takeDueOrders(system, { limit: 1_000, againAfterMs: 60_000 })
  expect(due.map(({ run }) => run)).toContain(waiting.run)
  expect(due.map(({ run }) => run)).not.toContain(claimed.run)
  const again = await takeDueOrders(system, { limit: 1_000, againAfterMs: 60_000 })
  expect(again.map(({ run }) => run)).not.toContain(waiting.run)
})

test('a run that is submitted again goes on where its stored steps end, under an epoch that shuts the old one out', async () => {
  const segment = await accept()
  const first = await claimStep(segment, 1)
  await storeStep({ segment, step: 1, attempt: first?.attempt ?? 0 }, step)
  const second = await claimStep(segment, 2)
  const stalled = (await listStalled(system, { limit: 1_000, quietMs: 0, after: null })).find(
    ({ run }) => run === segment.run,
  )
  expect(stalled).toEqual({ ...segment, step: 2 })
  const again = await resubmit(system, stalled as Segment)
  expect(again).toEqual({ ...segment, epoch: 2, step: 2 })
  expect(await resubmit(system, stalled as Segment)).toBeNull()
  expect(await finish(segment, second?.attempt ?? 0, 2)).toBeNull()
  const third = await claimStep(again as Segment, 2)
  expect(await finish(again as Segment, third?.attempt ?? 0, 2)).not.toBeNull()
})

test('runs that are accepted, claimed and ended together end each with its own result', async () => {
  const asked = Array.from({ length: 10 }, (_, n) => ({
    id: toUuid(newId('run')),
    agentId: n === 4 ? toUuid(newId('ag')) : agentId,
    input: { n },
    metadata: { n: String(n) },
    timeoutSeconds: 60 + n,
    bucket: 0,
    checkedVersion: null,
    idempotency: n % 2 === 0 ? { key: `together-${n}`, fingerprint: Buffer.alloc(32, n) } : undefined,
  }))
  const accepted = await acceptRuns(app, org, asked, settings)
  expect(accepted.map((run) => run !== null)).toEqual(asked.map((_, n) => n !== 4))
  const taken = await acceptRuns(app, org, [{ ...asked[2], id: toUuid(newId('run')) } as (typeof asked)[0]], {
    ...settings,
  })
  expect(taken).toEqual([null])

  const segments = asked.map(({ id }) => ({ org, run: id, epoch: 1, segment: 1, step: 1 }))
  const claims = await claimSteps(
    app,
    org,
    segments.map((segment) => ({ segment, step: 1, alone: false })),
  )
  expect(claims.map((claim) => claim?.input.n)).toEqual(asked.map((_, n) => (n === 4 ? undefined : n)))
  const ends = segments.map((segment, n) => ({
    segment,
    step: 1,
    attempt: n === 7 ? 99 : 1,
    eventId: toUuid(newId('evt')),
    stored: { ...step, tokens: { input: n, output: 0 } },
    rest: '',
    outcome: { ...completed, output: { n } },
  }))
  const finished = await finishRuns(app, org, ends)
  expect(finished.map((end) => end?.input_tokens)).toEqual(asked.map((_, n) => (n === 4 || n === 7 ? undefined : n)))
  expect(await findRun(app, org, asked[9]?.id ?? '')).toMatchObject({
    status: 'completed',
    output: { n: 9 },
    metadata: { n: '9' },
  })
  expect(await findRun(app, org, asked[7]?.id ?? '')).toMatchObject({ status: 'running', output: null })
})

test('a step that was interrupted twice is claimed only by a worker that takes it alone', async () => {
  const segment = await accept()
  expect((await claimStep(segment, 1))?.claims).toBe(1)
  expect((await claimStep(segment, 1))?.claims).toBe(2)
  expect(await claimStep(segment, 1)).toBeNull()
  const [alone] = await claimSteps(app, org, [{ segment, step: 1, alone: true }])
  expect(alone?.claims).toBe(3)
  expect(await finish(segment, alone?.attempt ?? 0)).not.toBeNull()
})

test('whatever a model says is kept as it was said: NUL, half a surrogate pair, quotes and all', async () => {
  const segment = await accept()
  const claim = await claimStep(segment, 1)
  const said = 'a\u0000b \ud800 "quoted" \\u0000 \u2028 🙂'
  const at = { segment, step: 1, attempt: claim?.attempt ?? 0 }
  expect(await storeStep(at, { ...step, content: { text: said } })).not.toBeNull()
  const second = await claimStep(segment, 2)
  const outcome = { status: 'completed', output: { result: said }, error: null } as const
  const end = { ...at, step: 2, attempt: second?.attempt ?? 0, eventId: toUuid(newId('evt')), stored: step, rest: said }
  expect((await finishRuns(app, org, [{ ...end, outcome }]))[0]).not.toBeNull()
  expect((await findRun(app, org, segment.run))?.output).toEqual({ result: said })
  expect((await readHistory(app, org, segment.run)).steps[0]?.content).toEqual({ text: said })
})
