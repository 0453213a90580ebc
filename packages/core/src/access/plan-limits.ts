import { limits, type Plan, type PlanLimits, plans } from '@ars/contract'
import { Fault } from '../fault.ts'

/** The numbers of the plan, with the operator's overrides. */
export const limitsOf = (plan: Plan, overrides: Partial<PlanLimits> = {}): PlanLimits => {
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined) as [keyof PlanLimits, number][]
  for (const [name, value] of given) requireInRange(name, value)
  return { ...plans[plan], ...Object.fromEntries(given) }
}

// The bounds of the database's own constraints, so that an operator's mistake gets a clear message.
const ranges: Readonly<Record<keyof PlanLimits, readonly [number, number]>> = {
  requestsPerMinute: [1, 10_000_000],
  burst: [1, 10_000_000],
  callsPerMonth: [0, Number.MAX_SAFE_INTEGER],
  concurrentRuns: [1, 10_000],
  runTimeoutMaxSeconds: [1, limits.runTimeoutMaxSeconds],
}

const requireInRange = (name: keyof PlanLimits, value: number): void => {
  const [least, most] = ranges[name]
  if (Number.isSafeInteger(value) && value >= least && value <= most) return
  throw new Fault('input_invalid', `${name} must be a whole number from ${least} to ${most}`, { param: name })
}
