import { limits, type Plan, type PlanLimits } from '@ars/contract'
import { Fault } from '../fault.ts'

/** The limits of every plan. */
export type Plans = Readonly<Record<Plan, PlanLimits>>

/** The numbers of the plan, with the operator's own for this organisation. */
export const limitsOf = (plans: Plans, plan: Plan, own: Partial<PlanLimits>): PlanLimits => {
  for (const [name, value] of Object.entries(own) as [keyof PlanLimits, number][]) requireInRange(name, value)
  return { ...plans[plan], ...own }
}

/** Own limits with these changes. Null: the number of the plan holds again. */
export const changedLimits = (
  own: Partial<PlanLimits>,
  changes: Partial<Record<keyof PlanLimits, number | null | undefined>>,
): Partial<PlanLimits> => {
  const merged = { ...own, ...Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null))
}

/** The names of the limits in the API, in the audit log and in files. */
export const wireNames = {
  requestsPerMinute: 'requests_per_minute',
  burst: 'burst',
  callsPerMonth: 'calls_per_month',
  concurrentRuns: 'concurrent_runs',
  runTimeoutMaxSeconds: 'run_timeout_max_seconds',
} as const satisfies Record<keyof PlanLimits, string>

export const limitNames = Object.keys(wireNames) as (keyof PlanLimits)[]

/** In wire names. */
export const wireLimits = (given: Partial<PlanLimits>): Record<string, number> =>
  Object.fromEntries(
    limitNames.flatMap((name) => {
      const value = given[name]
      return value === undefined ? [] : [[wireNames[name], value] as const]
    }),
  )

/** The bounds of the database's own constraints, so that an operator's mistake gets a clear message. */
export const limitRanges: Readonly<Record<keyof PlanLimits, readonly [number, number]>> = {
  requestsPerMinute: [1, 10_000_000],
  burst: [1, 10_000_000],
  callsPerMonth: [0, Number.MAX_SAFE_INTEGER],
  concurrentRuns: [1, 10_000],
  runTimeoutMaxSeconds: [1, limits.runTimeoutMaxSeconds],
}

const requireInRange = (name: keyof PlanLimits, value: number): void => {
  const [least, most] = limitRanges[name]
  if (Number.isSafeInteger(value) && value >= least && value <= most) return
  throw new Fault('input_invalid', `${name} must be a whole number from ${least} to ${most}`, { param: name })
}
