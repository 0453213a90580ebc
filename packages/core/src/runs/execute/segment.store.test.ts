import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addOrganisation } from '../../../test/add-organisation.ts'
import { askedRun } from '../../../test/asked-run.ts'
import { testAgents } from '../../agents/agents.fixture.ts'
import { acceptRuns } from '../accept/accept.store.ts'
import { listStalled, resubmit, takeDueOrders } from '../dispatch/dispatch.store.ts'
import { readHistory } from '../run/history.store.ts'
import { findRun } from '../run/run.store.ts'
import { failure } from '../run/run.ts'
import type { Segment } from '../run/segment.ts'
import { claimSteps, finishRuns, handOver, storeSteps } from './segment.store.ts'
import type { StoredStep } from './step-row.ts'

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
  org = await addOrganisation(database)
  const [echo] = await testAgents({ app, newId }).seedTestFamily(org)
  agentId = toUuid(echo?.id ?? '')
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
const newClaimId = () => toUuid(newId('claim'))
type Claimed = { attempt: number; claimId: string } | null
const claimStep = async (segment: Segment, at: number, { alone = false, claimId = newClaimId() } = {}) => {
  const [verdict] = await claimSteps(app, org, [{ segment, step: at, claimId, alone }])
  return verdict?.kind === 'claimed' ? { ...verdict.claim, claimId } : null
}
const heldBy = (claim: Claimed, segment: Segment, at = 1) => {
  return { segment, step: at, attempt: claim?.attempt ?? 0, claimId: claim?.claimId ?? newClaimId() }
}
const storeStep = async (at: Parameters<typeof handOver>[2], stored: StoredStep) => {
  const [verdict] = await storeSteps(app, org, [{ ...at, stored, reset: false }])
  return verdict?.kind === 'stored' ? verdict : null
}
const finish = async (segment: Segment, claim: Claimed, at = 1) => {
  const end = {
    ...heldBy(claim, segment, at),
    eventId: toUuid(newId('evt')),
    stored: step,
    rest: '',
    outcome: completed,
  }
  const [verdict] = await finishRuns(app, org, [end])
  return verdict?.kind === 'finished' ? verdict.run : null
}

const accept = async (): Promise<Segment> => {
  const run = toUuid(newId('run'))
  const asked = askedRun(agentId, { id: run })
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

test('a run ends once, also when many workers finish it concurrently', async () => {
  const segment = await accept()
  const claim = await claimStep(segment, 1)
  const finishes = await Promise.all(Array.from({ length: 8 }, () => finish(segment, claim).catch(() => null)))
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
  const at = heldBy(old, segment)
  expect(await storeStep(at, step)).toBeNull()
  expect(await finish(segment, at)).toBeNull()
  expect(await handOver(app, org, { ...at, step: 0 })).toBeNull()
  expect(await snapshot(segment.run)).toEqual(before)
  expect(await finish(segment, young)).not.toBeNull()
})

test('no operation changes a run after its end', async () => {
  const segment = await accept()
  const claim = await claimStep(segment, 1)
  await finish(segment, claim)
  const ended = await snapshot(segment.run)
  const at = heldBy(claim, segment)
  expect(await claimStep(segment, 1)).toBeNull()
  expect(await storeStep(at, step)).toBeNull()
  expect(await finish(segment, at)).toBeNull()
  expect(await resubmit(system, segment)).toBeNull()
  expect(await snapshot(segment.run)).toEqual(ended)
})

test('a stored step is not claimed again, and its tokens are counted once', async () => {
  const segment = await accept()
  const first = await claimStep(segment, 1)
  const at = heldBy(first, segment)
  expect(await storeStep(at, step)).not.toBeNull()
  expect(await storeStep(at, step)).toBeNull()
  expect(await claimStep(segment, 1)).toBeNull()
  const second = await claimStep(segment, 2)
  await finish(segment, second, 2)
  expect(await findRun(app, org, segment.run)).toMatchObject({
    status: 'completed',
    input_tokens: 6,
    output_tokens: 8,
    cost_usd: 1,
  })
})

test('tokens with a price of their own are added up from step to step, and shown with each', async () => {
  const segment = await accept()
  const tokens = { input: 30, output: 20, cached: 11, cacheWrite: 7, reasoning: 5 }
  const stored = { ...step, content: { text: 'one', model: 'other/model' }, tokens, costUsd: 0.1 }
  const first = await claimStep(segment, 1)
  await storeStep(heldBy(first, segment), stored)
  const sums = { input_tokens: 30, output_tokens: 20, cached_tokens: 11, cache_write_tokens: 7, reasoning_tokens: 5 }
  expect(await findRun(app, org, segment.run)).toMatchObject({ ...sums, cost_usd: 0.1 })
  const { steps } = await readHistory(app, org, segment.run)
  expect(steps[0]).toMatchObject({ cachedTokens: 11, cacheWriteTokens: 7, reasoningTokens: 5 })

  const second = await claimStep(segment, 2)
  const end = { ...heldBy(second, segment, 2), eventId: toUuid(newId('evt')) }
  const [verdict] = await finishRuns(app, org, [
    { ...end, stored: { ...stored, costUsd: 0.2 }, rest: '', outcome: completed },
  ])
  const twice = Object.fromEntries(Object.entries(sums).map(([name, count]) => [name, 2 * count]))
  expect(verdict).toMatchObject({ kind: 'finished', run: { ...twice, cost_usd: 0.3 } })
  expect(await findRun(app, org, segment.run)).toMatchObject({ ...twice, cost_usd: 0.3 })
  const usage = {
    input_tokens: 30,
    output_tokens: 20,
    cached_input_tokens: 11,
    cache_write_tokens: 7,
    reasoning_tokens: 5,
  }
  const frames = await asClient(database.superuserUrl, async (client) => {
    const found = await client.query(
      "select data from run_events where run_id = $1 and type = 'run.step.completed' order by seq",
      [segment.run],
    )
    return found.rows as { data: unknown }[]
  })
  expect(frames).toMatchObject([
    { data: { model: 'other/model', usage: { ...usage, cost_usd: 0.1 } } },
    { data: { model: 'other/model', usage: { ...usage, cost_usd: 0.2 } } },
  ])
})

test('a run has no cost as soon as one of its steps has none', async () => {
  const segment = await accept()
  const first = await claimStep(segment, 1)
  await storeStep(heldBy(first, segment), { ...step, costUsd: null })
  const second = await claimStep(segment, 2)
  await finish(segment, second, 2)
  expect(await findRun(app, org, segment.run)).toMatchObject({ input_tokens: 6, cost_usd: null })
})

test('the first claim removes the order from the outbox, and an unclaimed run stays in it', async () => {
  const claimed = await accept()
  const waiting = await accept()
  await claimStep(claimed, 1)
  const due = await takeDueOrders(system, { limit: 1_000, againAfterMs: 60_000 })
  expect(due.map(({ run }) => run)).toContain(waiting.run)
  expect(due.map(({ run }) => run)).not.toContain(claimed.run)
  const again = await takeDueOrders(system, { limit: 1_000, againAfterMs: 60_000 })
  expect(again.map(({ run }) => run)).not.toContain(waiting.run)
})

test('a resubmitted run resumes after its stored steps, under a new epoch that fences off the old one', async () => {
  const segment = await accept()
  const first = await claimStep(segment, 1)
  await storeStep(heldBy(first, segment), step)
  const second = await claimStep(segment, 2)
  const stalled = (await listStalled(system, { limit: 1_000, quietMs: 0, after: null })).find(
    ({ run }) => run === segment.run,
  )
  expect(stalled).toEqual({ ...segment, step: 2 })
  const again = await resubmit(system, stalled as Segment)
  expect(again).toEqual({ ...segment, epoch: 2, step: 2 })
  expect(await resubmit(system, stalled as Segment)).toBeNull()
  expect(await finish(segment, second, 2)).toBeNull()
  const third = await claimStep(again as Segment, 2)
  expect(await finish(again as Segment, third, 2)).not.toBeNull()
})

test('runs that are accepted, claimed and ended in one batch each end with their own result', async () => {
  const asked = Array.from({ length: 10 }, (_, n) =>
    askedRun(n === 4 ? toUuid(newId('ag')) : agentId, {
      input: { n },
      metadata: { n: String(n) },
      timeoutSeconds: 60 + n,
      idempotency: n % 2 === 0 ? { key: `together-${n}`, fingerprint: Buffer.alloc(32, n) } : undefined,
    }),
  )
  const { verdicts: accepted } = await acceptRuns(app, org, asked, settings)
  expect(accepted.map(({ kind }) => kind)).toEqual(asked.map((_, n) => (n === 4 ? 'no_agent' : 'accepted')))
  const { verdicts: taken } = await acceptRuns(
    app,
    org,
    [{ ...asked[2], id: toUuid(newId('run')) } as (typeof asked)[0]],
    {
      ...settings,
    },
  )
  expect(taken).toEqual([{ kind: 'key_taken' }])

  const segments = asked.map(({ id }) => ({ org, run: id, epoch: 1, segment: 1, step: 1 }))
  const claimIds = segments.map(newClaimId)
  const claims = await claimSteps(
    app,
    org,
    segments.map((segment, n) => ({ segment, step: 1, claimId: claimIds[n] ?? '', alone: false })),
  )
  expect(claims.map((each) => (each.kind === 'claimed' ? each.claim.input.n : undefined))).toEqual(
    asked.map((_, n) => (n === 4 ? undefined : n)),
  )
  const ends = segments.map((segment, n) => ({
    segment,
    step: 1,
    attempt: n === 7 ? 99 : 1,
    claimId: claimIds[n] ?? '',
    eventId: toUuid(newId('evt')),
    stored: { ...step, tokens: { input: n, output: 0 } },
    rest: '',
    outcome: { ...completed, output: { n } },
  }))
  const finished = await finishRuns(app, org, ends)
  expect(finished.map((end) => (end.kind === 'finished' ? end.run.input_tokens : undefined))).toEqual(
    asked.map((_, n) => (n === 4 || n === 7 ? undefined : n)),
  )
  expect(await findRun(app, org, asked[9]?.id ?? '')).toMatchObject({
    status: 'completed',
    output: { n: 9 },
    metadata: { n: '9' },
  })
  expect(await findRun(app, org, asked[7]?.id ?? '')).toMatchObject({ status: 'running', output: null })
})

test('a step that was interrupted twice is claimed only by a worker that isolates it', async () => {
  const segment = await accept()
  expect((await claimStep(segment, 1))?.claims).toBe(1)
  expect((await claimStep(segment, 1))?.claims).toBe(2)
  expect(await claimStep(segment, 1)).toBeNull()
  const alone = await claimStep(segment, 1, { alone: true })
  expect(alone?.claims).toBe(3)
  expect(await finish(segment, alone)).not.toBeNull()
})

test('a run that failed with the words of a provider is stored, whatever characters they hold', async () => {
  const segment = await accept()
  const claim = await claimStep(segment, 1)
  const said = 'a\u0000b \ud800 "quoted"'
  const error = failure('model_error', said, { details: { problems: [said] } })
  const end = { ...heldBy(claim, segment), eventId: toUuid(newId('evt')), stored: step, rest: '' }
  const outcome = { status: 'failed', output: null, error } as const
  expect(await finishRuns(app, org, [{ ...end, outcome }])).toMatchObject([{ kind: 'finished' }])
  expect((await findRun(app, org, segment.run))?.error).toEqual(error)
})

test('model output is stored unchanged, including NUL, lone surrogates and quotes', async () => {
  const segment = await accept()
  const claim = await claimStep(segment, 1)
  const said = 'a\u0000b \ud800 "quoted" \\u0000 \u2028 🙂'
  const at = heldBy(claim, segment)
  expect(await storeStep(at, { ...step, content: { text: said } })).not.toBeNull()
  const second = await claimStep(segment, 2)
  const outcome = { status: 'completed', output: { result: said }, error: null } as const
  const end = { ...heldBy(second, segment, 2), eventId: toUuid(newId('evt')), stored: step, rest: said }
  expect(await finishRuns(app, org, [{ ...end, outcome }])).toMatchObject([{ kind: 'finished' }])
  expect((await findRun(app, org, segment.run))?.output).toEqual({ result: said })
  expect((await readHistory(app, org, segment.run)).steps[0]?.content).toEqual({ text: said })
})
