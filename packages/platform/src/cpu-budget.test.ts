import { expect, test } from 'vitest'
import { systemClock } from './clock.ts'
import { createCpuBudgets } from './cpu-budget.ts'

const open = () => {
  const clock = { ...systemClock, nowMs: 0, monotonicMs: () => clock.nowMs }
  return { clock, budgets: createCpuBudgets(clock, { burstMs: 1_000, share: 0.25 }) }
}

test('an owner may use its burst, then its share of the time', () => {
  const { clock, budgets } = open()
  budgets.charge('a', 999)
  expect(budgets.leftMs('a')).toBeGreaterThan(0)
  budgets.charge('a', 101)
  expect(budgets.leftMs('a')).toBeLessThanOrEqual(0)
  expect(budgets.waitMs('a')).toBe(404)
  clock.nowMs += 404
  expect(budgets.leftMs('a')).toBeGreaterThan(0)
  expect(budgets.waitMs('a')).toBe(0)
})

test('a rest does not save up more than the burst', () => {
  const { clock, budgets } = open()
  budgets.charge('a', 500)
  clock.nowMs += 3_600_000
  budgets.charge('a', 1_000)
  expect(budgets.leftMs('a')).toBeLessThanOrEqual(0)
})

test('the use of one owner takes nothing from another', () => {
  const { budgets } = open()
  budgets.charge('a', 60_000)
  expect(budgets.leftMs('b')).toBeGreaterThan(0)
})
