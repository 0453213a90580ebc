import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '@ars/platform/clock'
import type { Database, Tx } from '@ars/platform/db/database'
import { floorOf } from '@ars/platform/id-range'
import { type ClaimedItem, type Turn, usualBounds, type WorkQueue } from '@ars/platform/work/queue'
import { holdRows } from '../../work-rows.service.ts'
import { guardrailsBounds } from '../bounds.ts'
import type { PastPage, PastRange, PastRun } from './past-run.ts'
import { addSamples, addTallies, samplesPerRule } from './tally.ts'
import { type ClaimedTrial, seenOf } from './trial.ts'
import { addTried, createTrialJudge, nothingTried, type TrialChecks } from './trial-judge.service.ts'
import { failTrial, lockTally, readClaimedTrial, startTrial, storeSlice, trialWork } from './trial-work.store.ts'

/** Reads stored runs. */
export type PastRuns = {
  /** Oldest first. `next`: the last run of the page; null: there are no more. Runs that have not ended are left out. */
  read(org: string, page: PastPage): Promise<{ runs: readonly PastRun[]; next: string | null }>
  count(org: string, range: PastRange): Promise<number>
}

export type TrialDeps = {
  system: Database
  app: Database
  checks: TrialChecks
  pastRuns: PastRuns
  /** Runs that ended on the days of a period, by the figures, which are kept longer than runs. */
  countEnded(org: string, period: { from: Date; to: Date; agentId: string | null }): Promise<number>
  retentionDays: number
  /** What models cost that judge counts for the organisation and for the key that has started the trial. */
  budgets: TrialBudgets
  clock: Clock
  /** Waits; for tests. */
  pause?: ((ms: number) => Promise<unknown>) | undefined
}

export type TrialBudgets = {
  charge(tx: Tx, org: string, spent: { subjectIds: readonly string[]; costUsd: number }): Promise<void>
  /** One of them refuses to cost more this month. */
  isUsedUp(org: string, subjectIds: readonly string[]): Promise<boolean>
}

/**
 * One run may ask remote checks for long, and is judged in one turn: it is aborted after three times this time. Between runs, a turn ends
 * after the usual time.
 */
export const trialBounds = {
  ...usualBounds,
  turnMs: guardrailsBounds.trialTurn.ms,
  places: guardrailsBounds.trialTurns.count,
  keptPlaces: guardrailsBounds.trialTurnsKept.count,
  perOrg: guardrailsBounds.trialTurnsOfOrganisation.count,
  idleMs: 2_000,
} as const

/** After so much work a trial waits at least as long: all trials of a worker use half a core at most. */
const sliceMs = 100
const page = { maxRuns: guardrailsBounds.trialPage.count, maxBytes: guardrailsBounds.trialPage.bytes } as const
const dayMs = 86_400_000

/**
 * The trials that are due. A slice is some runs: its counts, samples and the cursor are stored in one transaction, so a worker that dies
 * loses a slice at most, and nothing is counted twice. No connection is held while runs are judged.
 */
export const createTrialQueue = (deps: TrialDeps): WorkQueue<ClaimedItem> => {
  let underWay = 0
  return {
    name: 'policy-trials',
    ...holdRows(trialWork, deps),
    work: async (held, turn) => {
      const trial = await readClaimedTrial(deps.app, held.org, held)
      if (!trial) return { kind: 'done' }
      underWay += 1
      try {
        const pace = createPace(deps, { turn, share: () => underWay })
        return (await carryOn(deps, { trial, pace })) ? { kind: 'done' } : { kind: 'again', progressed: true }
      } catch (error) {
        if (error instanceof Lost) return { kind: 'done' }
        throw error
      } finally {
        underWay -= 1
      }
    },
    bury: (held) => failTrial(deps.app, held.org, held),
  }
}

/** The trial was cancelled, data of a run was erased, or another worker has taken it. */
class Lost extends Error {}

/** True: the trial has ended. Each slice that was stored is progress. */
const carryOn = async (deps: TrialDeps, { trial, pace }: { trial: ClaimedTrial; pace: Pace }): Promise<boolean> => {
  const { org_id: org } = trial
  const total = trial.total ?? (await begin(deps, trial))
  const { rules } = trial
  const policy = { id: trial.policy_id, version: trial.policy_version, rules }
  const leftUsd = trial.max_cost_usd === null ? null : trial.max_cost_usd - trial.result.costUsd
  const subjectIds = [org, trial.budget_key_id].filter((id) => id !== null)
  let isRefused = leftUsd !== null && (await deps.budgets.isUsedUp(org, subjectIds))
  const { restIfDue: rest, outside } = pace
  const mayPay = () => !isRefused
  const judge = createTrialJudge(deps.checks, { org, policy, leftUsd, mayPay, rest, outside })
  const sample = total > trial.sample ? { of: total, take: trial.sample } : null
  let seen = seenOf(trial.result)
  let cursor = trial.cursor
  let waiting: { runs: readonly PastRun[]; next: string | null } | null = null

  do {
    let tried = nothingTried
    let isLast = false
    do {
      const range = rangeOf(trial, cursor)
      waiting ??= await deps.pastRuns.read(org, { ...range, sample, ...page })
      const [run, ...others] = waiting.runs
      if (run) {
        tried = addTried(tried, await judge.judgeRun(run))
        seen += 1
        waiting = { ...waiting, runs: others }
      }
      isLast = seen >= trial.sample || (waiting.runs.length === 0 && waiting.next === null)
      cursor = waiting.runs.length === 0 ? (waiting.next ?? run?.id ?? cursor) : (run?.id ?? cursor)
      if (waiting.runs.length === 0) waiting = null
    } while (!isLast && !pace.isDue())
    const slice = { tried, cursor, isLast }
    const { costUsd } = slice.tried.tally
    const isStored = await deps.app.transaction(org, async (tx) => {
      // Paid is paid, also for a trial that was cancelled meanwhile.
      await deps.budgets.charge(tx, org, { subjectIds, costUsd })
      const was = await lockTally(tx, org, trial)
      if (!was) return false
      const result = addTallies(was.result, slice.tried.tally)
      const samples = addSamples(was.samples, slice.tried.samples, samplesPerRule(rules))
      await storeSlice(tx, org, trial, { result, samples, cursor: slice.cursor, isLast: slice.isLast })
      return true
    })
    if (!isStored) throw new Lost()
    if (costUsd > 0) isRefused = await deps.budgets.isUsedUp(org, subjectIds)
    if (isLast) return true
    await pace.next()
  } while (pace.mayGoOn())
  return false
}

const rangeOf = ({ since, until, agent_id: agentId }: ClaimedTrial, cursor: string | null): PastRange => ({
  after: cursor ?? floorOf(since.getTime()),
  before: floorOf(until.getTime()),
  agentId,
})

/** Counts the runs, day by day: a statement over a month could take too long. Answers how many are stored. */
const begin = async (
  { app, pastRuns, countEnded, retentionDays, clock }: TrialDeps,
  trial: ClaimedTrial,
): Promise<number> => {
  const { org_id: org, since, until, agent_id: agentId } = trial
  const keptFromMs = Math.floor((clock.now().getTime() - retentionDays * dayMs) / dayMs) * dayMs
  let total = 0
  let old = 0
  for (let fromMs = since.getTime(); fromMs < until.getTime(); ) {
    const toMs = Math.min(until.getTime(), (Math.floor(fromMs / dayMs) + 1) * dayMs)
    const runs = await pastRuns.count(org, { after: floorOf(fromMs), before: floorOf(toMs), agentId })
    total += runs
    if (toMs <= keptFromMs) old += runs
    fromMs = toMs
  }
  const to = new Date(Math.min(until.getTime(), keptFromMs))
  const ended = since < to ? await countEnded(org, { from: since, to, agentId }) : 0
  if (!(await startTrial(app, org, trial, { total, expired: Math.max(0, ended - old) }))) throw new Lost()
  return total
}

/** Measures work, and waits as long as it took, for each trial that this worker has. Time of remote checks is no work of the worker. */
const createPace = ({ clock, pause = sleep }: TrialDeps, { turn, share }: { turn: Turn; share(): number }) => {
  const startedMs = clock.monotonicMs()
  let beganMs = startedMs
  let outsideMs = 0
  let sliceWorkMs = 0
  const workMs = () => clock.monotonicMs() - beganMs
  const rest = async (): Promise<void> => {
    const worked = workMs()
    await pause(Math.max(0, worked - outsideMs) * (2 * share() - 1))
    if (turn.signal.aborted) throw turn.signal.reason
    sliceWorkMs += worked
    outsideMs = 0
    beganMs = clock.monotonicMs()
  }
  return {
    mayGoOn: () => turn.mayGoOn() && clock.monotonicMs() - startedMs < usualBounds.turnMs,
    /** Whether the slice is large enough to be stored. */
    isDue: () => sliceWorkMs + workMs() >= sliceMs,
    /** After a slice was stored. */
    next: async (): Promise<void> => {
      await rest()
      sliceWorkMs = 0
    },
    restIfDue: async (): Promise<void> => {
      if (workMs() >= sliceMs) await rest()
    },
    outside: async <Result>(work: () => Promise<Result>): Promise<Result> => {
      const fromMs = clock.monotonicMs()
      try {
        return await work()
      } finally {
        outsideMs += clock.monotonicMs() - fromMs
      }
    },
  }
}

type Pace = ReturnType<typeof createPace>
