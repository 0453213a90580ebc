import { limits } from '@ars/contract'
import { Fault } from '../../fault.ts'
import type { SetEntry } from '../guard/policy-set.ts'

export type InForceWeight = { policies: number; rules: number; bytes: number }

/** Everything in force is read, compiled and kept by each process, so it is bounded. */
export const requireWeight = ({ policies, rules, bytes }: InForceWeight): void => {
  const refuse = (what: string): never => {
    throw new Fault('limit_reached', `An organisation has at most ${what} in force`)
  }
  if (policies > limits.policiesInForce) refuse(`${limits.policiesInForce} policies`)
  if (rules > limits.rulesInForce) refuse(`${limits.rulesInForce} rules`)
  if (bytes > limits.rulesInForceBytes) refuse(`${limits.rulesInForceBytes} bytes of rules`)
}

export const isSameSet = (one: readonly SetEntry[], other: readonly SetEntry[]): boolean =>
  JSON.stringify(one) === JSON.stringify(other)
