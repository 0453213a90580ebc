import { systemClock } from '@ars/platform/clock'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { openTurn, workDue } from '@ars/platform/work/due-work.fixture'
import { createWorkLoop } from '@ars/platform/work/loop'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { dyingAfter } from '../../../test/dying-database.ts'
import { openTrialWorld, type PlantedRun, type TrialWorld } from '../../../test/trial-world.ts'
import { eraseRunData } from '../../runs/run/erase.store.ts'
import type { Action, Rule, Stage } from '../rule.ts'
import { findTrial, insertTrial } from './trial.store.ts'
import type { Trial } from './trial.ts'
import { trialBounds } from './trial-queue.service.ts'

const newId = createIdMaker(systemClock)
let world: TrialWorld
beforeAll(async () => {
  world = await openTrialWorld()
})
afterAll(() => world.close())
// Trials of other tests are not due.
beforeEach(() => world.sql('delete from policy_trials'))

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
    await world.makeDue()
    await world.sweep({ app: dyingAfter(world.app, most), clock: slow })
    seen.push((await look(org, ids)).result.runs)
  }
  expect(seen).toEqual(seen.toSorted((one, other) => one - other))
  expect(new Set(seen).size).toBeGreaterThan(5)
  await world.makeDue()
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
    await world.makeDue()
    await world.sweep({ checks: { checkContent } })
  }
  expect(await look(org, ids)).toMatchObject({ status: 'failed', result: { runs: 0 } })
})

test('a slow check of one organisation does not keep the trials of others, and an organisation has one place', async () => {
  const [slowOrg, org] = [await world.newOrg(), await world.newOrg()]
  await world.endRuns(slowOrg, [conversation])
  await world.endRuns(org, [conversation])
  const slowIds = [
    await tryOut(slowOrg, await world.newPolicy(slowOrg, [remote]), { maxCostUsd: 1 }),
    await tryOut(slowOrg, await world.newPolicy(slowOrg, [remote]), { maxCostUsd: 1 }),
  ]
  const ids = await tryOut(org, await world.newPolicy(org, [word('names', 'anna', 'flag', ['input'])]))
  const answer = Promise.withResolvers<void>()
  let asked = 0
  const judgeRemotely = async () => {
    asked += 1
    await answer.promise
    return { kind: 'pass' } as const
  }
  const loop = createWorkLoop(world.queue({ checks: { judgeRemotely } }), trialBounds, {
    clock: systemClock,
    log: createLog({ level: 'silent' }),
    metrics: { onTurn: () => undefined },
  })
  onTestFinished(() => loop.drain())
  loop.start()
  await expect.poll(async () => (await look(org, ids)).status).toBe('completed')
  expect(asked).toBe(1)
  expect((await Promise.all(slowIds.map((each) => look(slowOrg, each)))).map(({ ended_at }) => ended_at)).toEqual([
    null,
    null,
  ])
  answer.resolve()
  for (const each of slowIds) await expect.poll(async () => (await look(slowOrg, each)).status).toBe('completed')
})

test('the trials of a worker together rest three times as long as two of them work, and not for remote checks', async () => {
  const policyOf = async (org: string) => world.newPolicy(org, [word('names', 'anna', 'flag', ['input'])])
  const [working, waiting] = [await world.newOrg(), await world.newOrg()]
  for (const org of [working, waiting]) {
    await world.endRuns(
      org,
      Array.from({ length: 30 }, (_, n) => ({ agoSeconds: 600 - n, input: { n } })),
    )
    await tryOut(org, await policyOf(org))
  }
  const rests: number[] = []
  let nowMs = 0
  const clock = { now: () => systemClock.now(), monotonicMs: () => nowMs }
  const [areTwo, isRested] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  // One of two trials works for 100 ms at each content. The other one does not go on before that has rested ten times.
  const checkContent = async (by: string, checks: readonly unknown[]) => {
    if (by.startsWith(waiting)) {
      areTwo.resolve()
      await isRested.promise
    } else {
      await areTwo.promise
      nowMs += 100
    }
    return checks.map(() => ({ kind: 'pass' }) as const)
  }
  const pause = async (ms: number) => {
    if (ms > 0 && rests.push(ms) === 10) isRested.resolve()
  }
  await world.sweep({ clock, checks: { checkContent }, pause })
  expect(rests.slice(0, 10)).toEqual(Array(10).fill(300))
  rests.length = 0
  const alone = await world.newOrg()
  await world.endRuns(
    alone,
    Array.from({ length: 30 }, (_, n) => ({ agoSeconds: 600 - n, input: { n } })),
  )
  await tryOut(alone, await world.newPolicy(alone, [remote]), { maxCostUsd: 1 })
  const judgeRemotely = () => {
    nowMs += 1_000
    return Promise.resolve({ kind: 'pass' } as const)
  }
  await world.sweep({ clock, checks: { judgeRemotely }, pause: async (ms) => void rests.push(ms) })
  expect(rests.length).toBeGreaterThan(10)
  expect(Math.max(...rests)).toBe(0)
})

test('a turn of a trial ends after its time, and a worker that stops keeps what it has stored (guardrailsBounds.trialTurn)', async () => {
  const org = await world.newOrg()
  await world.endRuns(
    org,
    Array.from({ length: 60 }, (_, n) => ({ agoSeconds: 600 - n, input: { n } })),
  )
  const ids = await tryOut(org, await world.newPolicy(org, [word('names', 'anna', 'flag', ['input'])]))
  let nowMs = 0
  const clock = { now: () => systemClock.now(), monotonicMs: () => nowMs }
  const checkContent = (_: string, checks: readonly unknown[]) => {
    nowMs += 1_000
    return Promise.resolve(checks.map(() => ({ kind: 'pass' }) as const))
  }
  const queue = world.queue({ clock, checks: { checkContent } })
  const ask = { count: 1, heavyCount: 1, perOrg: 1, uses: [], leaseSeconds: 30 }
  const [held] = (await queue.claim(ask)).items
  if (!held) throw new Error('It is not due')
  expect(await queue.work(held, openTurn())).toEqual({ kind: 'again', progressed: true })
  const { runs } = (await look(org, ids)).result
  expect(runs).toBeGreaterThan(2)
  expect(runs).toBeLessThan(15)
  expect(await queue.work(held, openTurn({ mayGoOn: () => false }))).toEqual({ kind: 'again', progressed: true })
  expect((await look(org, ids)).result.runs).toBe(runs + 1)
})

test('an outage of the database and a lost lease do not count, and the holder of an older claim stores nothing', async () => {
  const org = await world.newOrg()
  await world.endRuns(org, [conversation])
  const ids = await tryOut(org, await world.newPolicy(org, [word('names', 'anna', 'flag', ['input'])]))
  const checkContent = () => Promise.reject(new DatabaseUnavailable('away'))
  for (let turn = 0; turn < 6; turn++) {
    await world.makeDue()
    expect(await world.sweep({ checks: { checkContent } })).toEqual(['unavailable'])
  }
  expect(await world.sql('select tries from policy_trials where id = $1', [ids.id])).toEqual([{ tries: 0 }])
  const queue = world.queue({
    checks: {
      checkContent: async (_, checks) => {
        await world.sql('update policy_trials set claim = claim + 1 where id = $1', [ids.id])
        return checks.map(() => ({ kind: 'pass' }) as const)
      },
    },
  })
  await world.makeDue()
  await workDue(queue)
  expect(await look(org, ids)).toMatchObject({ ended_at: null, result: { runs: 0 } })
  await world.makeDue()
  expect((await finish(org, ids)).result).toMatchObject({ runs: 1 })
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
