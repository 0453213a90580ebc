import type { LedgerLine } from '../ledger.ts'
import type { Records } from '../records.ts'

export type StepCounts = {
  /** Steps that began, each begin counted. */
  begun: number
  stored: number
  /** Steps that began more than once, because their first worker did not live to store a result. */
  ranTwice: number
}

/**
 * A step whose result was stored never runs again: the ledger knows no attempt at it that is newer than the attempt that
 * stored it. And every stored step stands in the ledger, or the ledger proves nothing.
 */
export const checkStoredStepsStay = (ledger: readonly LedgerLine[], records: Pick<Records, 'steps'>): string[] => {
  const storedBy = new Map(records.steps.map(({ run_id, step, attempt }) => [`${run_id} step ${step}`, attempt]))
  const lines = Map.groupBy(ledger, ({ run_id, step }) => `${run_id} step ${step}`)
  const repeated = [...lines].flatMap(([name, begins]) => {
    const stored = storedBy.get(name)
    return begins
      .filter(({ attempt }) => stored !== undefined && attempt > stored)
      .map(({ attempt }) => `run ${name} was stored by attempt ${stored} and ran again as attempt ${attempt}`)
  })
  const unrecorded = [...storedBy].filter(
    ([name, stored]) => !lines.get(name)?.some(({ attempt }) => attempt === stored),
  )
  return [...repeated, ...unrecorded.map(([name]) => `run ${name} was stored and is not in the ledger`)]
}

export const countSteps = (ledger: readonly LedgerLine[], records: Records): StepCounts => {
  const lines = Map.groupBy(ledger, ({ run_id, step }) => `${run_id} ${step}`)
  return {
    begun: ledger.length,
    stored: records.steps.length,
    ranTwice: [...lines.values()].filter((begins) => begins.length > 1).length,
  }
}
