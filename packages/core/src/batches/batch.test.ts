import { expect, test } from 'vitest'
import { isPassingRefusal } from '../passing-refusal.ts'
import { nextMove, roomOf, waitingOf } from './batch.ts'
import { batchesBounds } from './bounds.ts'

const counts = { items: 100, refused: 0, dropped: 0, completed: 0, failed: 0, cancelled: 0, running: 0 }
const running = { ...counts, status: 'running' as const, isExpired: false, room: 100 }

test('at most half as many runs of batches wait as the organisation may have in progress', () => {
  const room = { allowed: 50, agentAllows: null, inLine: 0, agentInLine: 0, active: 1 }
  expect(roomOf(room)).toBe(25)
  expect(roomOf({ ...room, inLine: 20 })).toBe(5)
  expect(roomOf({ ...room, inLine: 30 })).toBe(0)
  expect(roomOf({ ...room, allowed: 1 })).toBe(1)
})

test('batches of an organisation share its line, and an agent with a limit has a part of it', () => {
  const room = { allowed: 50, agentAllows: null, inLine: 0, agentInLine: 0, active: 5 }
  expect(roomOf(room)).toBe(5)
  expect(roomOf({ ...room, agentAllows: 4 })).toBe(2)
  expect(roomOf({ ...room, agentAllows: 4, inLine: 2, agentInLine: 2 })).toBe(0)
})

test('a batch starts items within its room, and ends when no item waits and no run goes on', () => {
  expect(nextMove(running)).toEqual({ kind: 'start', items: batchesBounds.startsTogether.count })
  expect(nextMove({ ...running, room: 3 })).toEqual({ kind: 'start', items: 3 })
  expect(nextMove({ ...running, room: 0 }).kind).toBe('wait')
  expect(nextMove({ ...running, items: 2_000, running: batchesBounds.openRuns.count }).kind).toBe('wait')
  expect(nextMove({ ...running, completed: 99, running: 1 }).kind).toBe('wait')
  expect(nextMove({ ...running, completed: 60, failed: 30, refused: 10 })).toEqual({ kind: 'end', status: 'completed' })
})

test('a cancelled batch drops the items that wait and ends after its last run', () => {
  const cancelling = { ...running, status: 'cancelling' as const }
  expect(nextMove(cancelling)).toEqual({ kind: 'drop' })
  expect(nextMove({ ...cancelling, dropped: 98, running: 2 }).kind).toBe('wait')
  expect(nextMove({ ...cancelling, dropped: 98, cancelled: 2 })).toEqual({ kind: 'end', status: 'cancelled' })
})

test('items that could not start in time are refused', () => {
  expect(nextMove({ ...running, isExpired: true })).toEqual({ kind: 'expire' })
  expect(nextMove({ ...running, isExpired: true, completed: 100 })).toEqual({ kind: 'end', status: 'completed' })
})

test('every item is counted in one place', () => {
  expect(waitingOf({ ...counts, refused: 1, dropped: 2, completed: 3, failed: 4, cancelled: 5, running: 6 })).toBe(79)
})

test('only refusals that pass are tried again', () => {
  expect(['concurrency_exceeded', 'unavailable', 'rate_limited'].every(isPassingRefusal)).toBe(true)
  expect(['quota_exceeded', 'budget_exhausted', 'forbidden', 'input_invalid'].some(isPassingRefusal)).toBe(false)
})
