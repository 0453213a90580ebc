import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import { fromUuid } from '@ars/platform/id'
import { floorOf } from '@ars/platform/id-range'
import type { Log } from '@ars/platform/log/log'
import type { Sweep } from '@ars/platform/periodic'
import type { PastPage, PastRange, PastRun } from './past-run.ts'
import { addSamples, addTallies, samplesPerRule } from './tally.ts'
import { deleteOldTrials } from './trial.store.ts'
import { type HeldTrial, maxTries, seenOf } from './trial.ts'
import { addTried, createTrialJudge, nothingTried, type TrialChecks } from './trial-judge.service.ts'
import {
  failTrial,
  holdSeconds,
  keepTrial,
  lockTally,
  releaseTrial,
  startTrial,
  storeSlice,
  takeTrial,
} from './trial-work.store.ts'

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
  clock: Clock
  log: Log
  /** Waits; for tests. */
  pause?: ((ms: number) => Promise<unknown>) | undefined
}

/** After so much work, the sweep waits at least as long: it uses half a core at most. */
const sliceMs = 100
/** A worker that stops waits for the end of a round, and other trials have their turn. */
const slicesPerRound = 10
const page = { maxRuns: 100, maxBytes: 2_097_152 } as const
const dayMs = 86_400_000

/**
 * Continues trials. A slice is some runs: its counts, samples and the cursor are stored in one transaction, so a worker that dies
 * loses a slice at most, and nothing is counted twice. No connection is held while runs are judged.
 */
export const trialSweep = (deps: TrialDeps): Sweep => ({
  name: 'policy-trials',
  everyMs: 500,
  run: async () => {
    const trial = await takeTrial(deps.system)
    if (!trial) return
    const { org_id: org } = trial
    try {
      if (trial.tries > maxTries) return await failTrial(deps.app, org, trial)
      await carryOn(deps, trial)
    } catch (error) {
      if (error instanceof Lost) return
      deps.log.error('a trial of a policy could not be carried on', { trial_id: fromUuid('ptr', trial.id), error })
    }
  },
})

/** Deletes trials after their time, and their samples with the runs that they quote. */
export const oldTrialSweep = (deps: { system: Database; days: number }): Sweep => ({
  name: 'old-policy-trials',
  everyMs: 600_000,
  run: () => deleteOldTrials(deps.system, { days: deps.days }),
})

/** The trial was cancelled, data of a run was erased, or another worker has taken it. */
class Lost extends Error {}

const carryOn = async (deps: TrialDeps, trial: HeldTrial): Promise<void> => {
  const { org_id: org } = trial
  const pace = createPace(deps, trial)
  const total = trial.total ?? (await begin(deps, trial))
  const { rules } = trial
  const policy = { id: trial.policy_id, version: trial.policy_version, rules }
  const leftUsd = trial.max_cost_usd === null ? null : trial.max_cost_usd - trial.result.costUsd
  const judge = createTrialJudge(deps.checks, { org, policy, leftUsd, rest: pace.restIfDue })
  const sample = total > trial.sample ? { of: total, take: trial.sample } : null
  let seen = seenOf(trial.result)
  let cursor = trial.cursor
  let waiting: { runs: readonly PastRun[]; next: string | null } | null = null

  for (let slices = 0; slices < slicesPerRound; slices++) {
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
    await deps.app.transaction(org, async (tx) => {
      const was = await lockTally(tx, org, trial)
      if (!was) throw new Lost()
      const result = addTallies(was.result, slice.tried.tally)
      const samples = addSamples(was.samples, slice.tried.samples, samplesPerRule(rules))
      await storeSlice(tx, org, trial, { result, samples, cursor: slice.cursor, isLast: slice.isLast })
    })
    if (isLast) return
    await pace.next()
  }
  await releaseTrial(deps.app, org, trial)
}

const rangeOf = ({ since, until, agent_id: agentId }: HeldTrial, cursor: string | null): PastRange => ({
  after: cursor ?? floorOf(since.getTime()),
  before: floorOf(until.getTime()),
  agentId,
})

/** Counts the runs, day by day: a statement over a month could take too long. Answers how many are stored. */
const begin = async (
  { app, pastRuns, countEnded, retentionDays, clock }: TrialDeps,
  trial: HeldTrial,
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

/** Measures work, and waits as long as it took. It keeps the trial while one run takes long. */
const createPace = ({ app, clock, pause = sleep }: TrialDeps, trial: HeldTrial) => {
  let beganMs = clock.monotonicMs()
  let keptMs = beganMs
  let sliceWorkMs = 0
  const workMs = () => clock.monotonicMs() - beganMs
  const rest = async (): Promise<void> => {
    const worked = workMs()
    await pause(worked)
    sliceWorkMs += worked
    beganMs = clock.monotonicMs()
  }
  return {
    /** Whether the slice is large enough to be stored. */
    isDue: () => sliceWorkMs + workMs() >= sliceMs,
    /** After a slice was stored, which also keeps the trial. */
    next: async (): Promise<void> => {
      keptMs = clock.monotonicMs()
      await rest()
      sliceWorkMs = 0
    },
    restIfDue: async (): Promise<void> => {
      if (workMs() < sliceMs) return
      await rest()
      if (clock.monotonicMs() - keptMs < (holdSeconds * 1_000) / 4) return
      if (!(await keepTrial(app, trial.org_id, trial))) throw new Lost()
      keptMs = clock.monotonicMs()
    },
  }
}
