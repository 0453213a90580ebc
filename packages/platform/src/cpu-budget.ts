import { platformBounds } from './bounds.ts'
import type { Clock } from './clock.ts'

/** A token bucket of CPU time per owner. It may go below zero: the cost of a task is known only after it. */
export type CpuBudgets = {
  /** Below zero: the owner has to wait. */
  leftMs(owner: string): number
  charge(owner: string, cpuMs: number): void
  /** How long the owner has to wait until it has something left. 0: it has. */
  waitMs(owner: string): number
}

export type CpuBudgetOptions = {
  /** What an owner may use at once after a rest. */
  burstMs: number
  /** What an owner may use continuously, as a share of one core. */
  share: number
}

/** Full buckets are forgotten, so this many owners have used CPU time lately. */
const maxOwners = platformBounds.cpuBudgets.count

export const createCpuBudgets = (clock: Clock, { burstMs, share }: CpuBudgetOptions): CpuBudgets => {
  const buckets = new Map<string, { leftMs: number; atMs: number }>()

  const leftOf = (owner: string): number => {
    const bucket = buckets.get(owner)
    return bucket ? Math.min(burstMs, bucket.leftMs + (clock.monotonicMs() - bucket.atMs) * share) : burstMs
  }

  const forgetFull = (): void => {
    for (const owner of buckets.keys()) if (leftOf(owner) >= burstMs) buckets.delete(owner)
    const [oldest] = buckets.keys()
    if (buckets.size >= maxOwners && oldest !== undefined) buckets.delete(oldest)
  }

  return {
    leftMs: leftOf,
    charge: (owner, cpuMs) => {
      const leftMs = leftOf(owner) - cpuMs
      buckets.delete(owner)
      if (buckets.size >= maxOwners) forgetFull()
      buckets.set(owner, { leftMs, atMs: clock.monotonicMs() })
    },
    waitMs: (owner) => {
      const leftMs = leftOf(owner)
      return leftMs > 0 ? 0 : Math.ceil((1 - leftMs) / share)
    },
  }
}
