import { systemClock } from '@ars/platform/clock'
import type { Database, Tx } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTrialWorld, type PlantedRun, type TrialWorld } from '../../../test/trial-world.ts'
import { eraseRunData } from '../../runs/run/erase.store.ts'
import type { Action, Rule, Stage } from '../rule.ts'
import { findTrial, insertTrial } from './trial.store.ts'
import type { Trial } from './trial.ts'

const newId = createIdMaker(systemClock)
let world: TrialWorld
beforeAll(async () => {
  world = await openTrialWorld()
})
afterAll(() => world.close())

const word = (id: string, of: string, action: Action, stages: readonly Stage[]): Rule => ({
  id,
  stages,
  action,
  check: 'keywords',
  params: { words: [of], whole_words: true },
})
const remote: Rule = {
  id: 'remote',
  stages: ['input'],
  action: 'block',
  check: 'http',
  params: { url: 'https://guard.example.com', time_limit_ms: 1_000 },
}
const everywhere: readonly Stage[] = ['input', 'action_payload', 'tool_call', 'tool_result', 'output']

type Over = Partial<{ agentId: string; sample: number; maxCostUsd: number }>

const tryOut = async (org: string, policyId: string, over: Over = {}) => {
  const id = toUuid(newId('ptr'))
  const now = systemClock.now().getTime()
  const trial = {
    id, policyId, policyVersion: 1, since: new Date(now - 7_200_000), until: new Date(now), agentId: over.agentId ?? null,
    sample: over.sample ?? 10_000, maxCostUsd: over.maxCostUsd ?? null, by: policyId, byType: 'key' as const,
  } // biome-ignore format: one row
  await world.app.transaction(org, (tx) => insertTrial(tx, org, trial, { maxKept: 100 }))
  return { policyId, id }
}
const look = async (org: string, ids: { policyId: string; id: string }): Promise<Trial> => {
  const trial = await findTrial(world.app, org, ids)
  if (!trial) throw new Error('The trial is missing')
  return trial
}
const finish = async (
  org: string,
  ids: { policyId: string; id: string },
  over?: Parameters<TrialWorld['sweep']>[0],
) => {
  for (let round = 0; (await look(org, ids)).ended_at === null && round < 200; round++) await world.sweep(over)
  return look(org, ids)
}

const conversation: PlantedRun = {
  input: { prompt: 'please call anna' },
  output: { result: 'anna was called' },
  steps: [
    {
      kind: 'model',
      content: { text: '', toolCalls: [{ id: 'a', name: 'call', arguments: { who: 'anna' } }] },
      costUsd: 0.1,
    },
    { kind: 'tools', content: { results: [{ callId: 'a', name: 'call', result: 'ok, anna', isError: false }] } },
    { kind: 'model', content: { text: 'anna was called' } },
  ],
}

test('a trial judges inputs, tool calls, tool results and outputs of past runs, and says what each rule would have done', async () => {
  const org = await world.newOrg()
  const [first = ''] = await world.endRuns(org, [
    conversation,
    { input: { prompt: 'nothing' }, output: { result: 'here' } },
  ])
  const before = await world.hashOfRuns()
  const policy = await world.newPolicy(org, [
    word('names', 'anna', 'redact', everywhere),
    word('calls', 'call', 'require_approval', ['tool_call']),
    word('nobody', 'nobody', 'block', everywhere),
  ])
  const ids = await tryOut(org, policy)
  const trial = await finish(org, ids)
  expect(trial).toMatchObject({ status: 'completed', total: 2, expired: 0 })
  expect(trial.result).toMatchObject({
    runs: 2,
    erased: 0,
    redacted: 0,
    contents: 6,
    costUsd: 0,
    rules: {
      names: { contents: 6, redacted: 4, blocked: 0, runs: 1, skipped: 0 },
      calls: { contents: 1, asked: 1, runs: 1 },
      nobody: { contents: 6, blocked: 0, runs: 0 },
    },
  })
  expect(trial.samples).toHaveLength(2)
  expect(trial.samples[0]).toMatchObject({ run: first, rule: 'names', stage: 'input', action: 'redact' })
  expect(trial.samples[0]?.excerpt).toBe('please call [KEYWORD]')
  expect(JSON.stringify(trial.samples)).not.toContain('anna')
  expect(await world.hashOfRuns()).toBe(before)
})

test('a worker that dies at any statement counts no run twice and leaves none out', async () => {
  const org = await world.newOrg()
  const runs = Array.from({ length: 320 }, (_, n) => ({
    agoSeconds: 3_600 - n,
    input: { prompt: n % 4 === 0 ? 'anna' : 'other' },
    output: { n },
  }))
  await world.endRuns(org, runs)
  const before = await world.hashOfRuns()
  const policy = await world.newPolicy(org, [word('names', 'anna', 'block', ['input'])])
  const ids = await tryOut(org, policy)
  const seen: number[] = []
  for (let most = 1; most <= 30 && (await look(org, ids)).ended_at === null; most++) {
    await world.sql('update policy_trials set due_at = app_now(), tries = 0 where id = $1 and ended_at is null', [
      ids.id,
    ])
    await world.sweep({ app: dyingAfter(world.app, most), clock: slow })
    seen.push((await look(org, ids)).result.runs)
  }
  expect(seen).toEqual(seen.toSorted((one, other) => one - other))
  expect(new Set(seen).size).toBeGreaterThan(5)
  await world.sql('update policy_trials set due_at = app_now(), tries = 0 where id = $1 and ended_at is null', [ids.id])
  const trial = await finish(org, ids)
  expect(trial.result).toMatchObject({ runs: 320, rules: { names: { contents: 320, blocked: 80, runs: 80 } } })
  expect(trial.samples).toHaveLength(50)
  expect(await world.hashOfRuns()).toBe(before)
})

test('erased runs are counted as such, and erasing a run erases its samples, also under a worker that has just read it', async () => {
  const org = await world.newOrg()
  const input = { prompt: 'anna' }
  const [erased = '', shown = '', caught = ''] = await world.endRuns(org, [
    { input, agoSeconds: 300 },
    { input, agoSeconds: 200 },
    { input, agoSeconds: 100 },
  ])
  await eraseRunData(world.app, org, erased)
  const policy = await world.newPolicy(org, [word('names', 'anna', 'flag', ['input'])])
  const ids = await tryOut(org, policy)
  let hasErased = false
  // The third run is erased after it was read and before its slice is stored.
  const evaluateLate = async (_: string, checks: readonly unknown[], { text }: { text: string }) => {
    if (!hasErased) {
      hasErased = true
      await eraseRunData(world.app, org, caught)
    }
    return checks.map(() => (text.includes('anna') ? found : ({ kind: 'pass' } as const)))
  }
  const trial = await finish(org, ids, { checks: { checkContent: evaluateLate } })
  expect(trial.result).toMatchObject({ runs: 1, erased: 2, rules: { names: { contents: 1, flagged: 1 } } })
  expect(trial.samples.map(({ run }) => run)).toEqual([shown])
  await eraseRunData(world.app, org, shown)
  expect((await look(org, ids)).samples).toEqual([])
})

test('remote checks are made only if they are paid for, and stop at the limit', async () => {
  const org = await world.newOrg()
  await world.endRuns(
    org,
    Array.from({ length: 20 }, (_, n) => ({ agoSeconds: 600 - n, input: { n } })),
  )
  const policy = await world.newPolicy(org, [remote])
  let calls = 0
  const judgeRemotely = () => {
    calls += 1
    return Promise.resolve({ kind: 'pass', spent: { costUsd: 0.5 } } as const)
  }
  const free = await finish(org, await tryOut(org, policy), { checks: { judgeRemotely } })
  expect([calls, free.result.rules.remote, free.result.costUsd]).toEqual([
    0,
    expect.objectContaining({ skipped: 20 }),
    0,
  ])
  const paid = await finish(org, await tryOut(org, policy, { maxCostUsd: 2 }), { checks: { judgeRemotely } })
  expect(calls).toBe(4)
  expect(paid.result).toMatchObject({ runs: 20, costUsd: 2, rules: { remote: { contents: 20, skipped: 16 } } })
})

test('a sample chooses runs evenly, the same ones every time, and a trial can be restricted to one agent', async () => {
  const org = await world.newOrg()
  const agent = toUuid(newId('ag'))
  await world.endRuns(
    org,
    Array.from({ length: 400 }, (_, n) => ({ agoSeconds: 4_000 - n, input: { n } })),
  )
  await world.endRuns(org, [{ agent, agoSeconds: 50, input: { n: 0 } }])
  const policy = await world.newPolicy(org, [word('all', '@', 'flag', ['input'])])
  const some = await finish(org, await tryOut(org, policy, { sample: 100 }))
  const again = await finish(org, await tryOut(org, policy, { sample: 100 }))
  expect(some.total).toBe(401)
  expect(some.result.runs).toBeGreaterThan(60)
  expect(some.result.runs).toBeLessThanOrEqual(100)
  expect(again.result.runs).toBe(some.result.runs)
  const one = await finish(org, await tryOut(org, policy, { agentId: agent }))
  expect([one.total, one.result.runs]).toEqual([1, 1])
})

test('a trial that fails again and again ends as failed', async () => {
  const org = await world.newOrg()
  await world.endRuns(org, [conversation])
  const policy = await world.newPolicy(org, [word('names', 'anna', 'flag', ['input'])])
  const ids = await tryOut(org, policy)
  const checkContent = () => Promise.reject(new Error('broken'))
  for (let round = 0; round < 10 && (await look(org, ids)).ended_at === null; round++) {
    await world.sql('update policy_trials set due_at = app_now() where id = $1 and ended_at is null', [ids.id])
    await world.sweep({ checks: { checkContent } })
  }
  expect(await look(org, ids)).toMatchObject({ status: 'failed', result: { runs: 0 } })
})

const found = { kind: 'violation', reason: 'It contains a word', spans: [{ start: 0, end: 4, kind: 'WORD' }] } as const

// A clock that is 5 ms later each time it is read makes slices small.
let ticks = 0
const slow = {
  now: () => systemClock.now(),
  monotonicMs: () => {
    ticks += 5
    return ticks
  },
}

/** The same database, which fails for good after some statements. */
const dyingAfter = (db: Database, most: number): Database => {
  let left = most
  const spend = <Result>(work: () => Promise<Result>): Promise<Result> => {
    left -= 1
    return left < 0 ? Promise.reject(new Error('The worker has died')) : work()
  }
  return {
    ...db,
    once: (org, statement) => spend(() => db.once(org, statement)),
    batch: (org, statements) => spend(() => db.batch(org, statements)),
    transaction: (org, work) =>
      db.transaction(org, (tx: Tx) => work({ query: (statement) => spend(() => tx.query(statement)) })),
  }
}
