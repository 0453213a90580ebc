import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '../../../lab/condition.ts'
import { type BegunStep, countSteps, type StepCounts } from './step-log.ts'

export type RunStatus = 'running' | 'completed' | 'failed' | 'unknown'

/** What the experiment needs of a product. */
export type RecoverySide = {
  /** Which process is killed, in words. */
  readonly killed: string
  /** Makes the product note the steps that begin. Called once, before the first run. */
  prepare(): Promise<void>
  /** Starts a run whose two steps last `delayMs` each, without waiting for its end. */
  begin(key: string, delayMs: number): Promise<void>
  statusOf(key: string): Promise<RunStatus>
  begunSteps(): BegunStep[]
  /** SIGKILL to the process that executes the steps. */
  kill(): Promise<void>
  /** Starts it again, on the same data. */
  restart(): Promise<void>
}

export type Recovery = {
  runs: number
  completed: number
  failed: number
  /** The product does not know them any more, or they did not end in time. */
  lost: number
  /** From the kill to the end of the last run that completed. */
  seconds: number | undefined
  /** Until the killed process answered again, the pause before its start included. */
  restartSeconds: number
  steps: StepCounts
}

/** Each step lasts this long, so that the kill meets all runs in their second step. */
const stepMs = 4000
/** A supervisor such as systemd starts a process again after a pause like this. */
const pauseMs = 1000
export const recoveryDeadlineMs = 180_000

/** Kills the process that executes steps while all runs are in their second step. */
export const measureRecovery = async (side: RecoverySide, runs: number): Promise<Recovery> => {
  await side.prepare()
  const prefix = `r${Date.now().toString(36)}`
  const keys = Array.from({ length: runs }, (_, index) => `${prefix}-${index}`)
  await Promise.all(keys.map((key) => side.begin(key, stepMs)))
  const inSecond = () => new Set(side.begunSteps().flatMap(({ key, step }) => (step === 2 ? [key] : [])))
  await waitFor('the second step of every run', () => inSecond().size >= runs, { timeoutMs: 60_000, everyMs: 50 })
  const killedAt = performance.now()
  await side.kill()
  await sleep(pauseMs)
  await side.restart()
  const restartSeconds = (performance.now() - killedAt) / 1000
  const ends = await waitForEnds(side, keys, killedAt)
  const of = (status: RunStatus): number => keys.filter((key) => ends.get(key)?.status === status).length
  const completed = [...ends.values()].filter(({ status }) => status === 'completed').map(({ seconds }) => seconds)
  return {
    runs,
    completed: of('completed'),
    failed: of('failed'),
    lost: runs - of('completed') - of('failed'),
    seconds: completed.length > 0 ? Math.max(...completed) : undefined,
    restartSeconds,
    steps: countSteps(side.begunSteps()),
  }
}

type Ends = Map<string, { status: RunStatus; seconds: number }>

const waitForEnds = async (side: RecoverySide, keys: readonly string[], from: number): Promise<Ends> => {
  const ends: Ends = new Map()
  const deadline = performance.now() + recoveryDeadlineMs
  while (ends.size < keys.length && performance.now() < deadline) {
    for (const key of keys) {
      if (ends.has(key)) continue
      // The process that answers may be the one that was killed.
      const status = await side.statusOf(key).catch(() => 'running' as const)
      if (status !== 'running') ends.set(key, { status, seconds: (performance.now() - from) / 1000 })
    }
    await sleep(100)
  }
  return ends
}
