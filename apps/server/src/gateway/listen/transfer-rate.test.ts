import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createTransferRates, type TransferRates } from './transfer-rate.ts'

let nowMs = 0
let rates: TransferRates

beforeEach(() => {
  vi.useFakeTimers()
  nowMs = 0
  const clock = { now: () => new Date(nowMs), monotonicMs: () => nowMs }
  rates = createTransferRates({ graceMs: 1_000, bytesPerSecond: 1_000, checkEveryMs: 100, clock })
})
afterEach(() => {
  rates.close()
  vi.useRealTimers()
})

const pass = (ms: number): void => {
  for (let left = ms; left > 0; left -= 100) {
    nowMs += 100
    vi.advanceTimersByTime(100)
  }
}

test('a transfer that does not begin is slow after the grace time, and reported once', () => {
  const onSlow = vi.fn()
  rates.watch(onSlow)
  pass(900)
  expect(onSlow).not.toHaveBeenCalled()
  pass(2_000)
  expect(onSlow).toHaveBeenCalledTimes(1)
})

test('a transfer at the minimum rate is never slow', () => {
  const onSlow = vi.fn()
  const transfer = rates.watch(onSlow)
  for (let at = 0; at < 50; at++) {
    pass(100)
    transfer.moved(100)
  }
  expect(onSlow).not.toHaveBeenCalled()
})

test('a transfer that sent much at first and then stops is slow after twice the grace time', () => {
  const onSlow = vi.fn()
  rates.watch(onSlow).moved(1_000_000)
  pass(1_900)
  expect(onSlow).not.toHaveBeenCalled()
  pass(200)
  expect(onSlow).toHaveBeenCalledTimes(1)
})

test('an ended transfer is not slow', () => {
  const onSlow = vi.fn()
  rates.watch(onSlow).end()
  pass(5_000)
  expect(onSlow).not.toHaveBeenCalled()
})
