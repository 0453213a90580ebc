import { expect, test } from 'vitest'
import { createExecuting } from './executing.ts'

const never = new AbortController().signal

test('of a run that was started again only the late execution is stopped, where both are in one process', () => {
  const executing = createExecuting()
  const late = executing.start({ runId: 'r', epoch: 1 }, never)
  const present = executing.start({ runId: 'r', epoch: 2 }, never)
  for (const { epoch, stop } of executing.list()) if (epoch !== 2) stop()
  expect([late.signal.aborted, present.signal.aborted]).toEqual([true, false])
})

test('a run that is stopped by name stops in all its executions, and no other run does', () => {
  const executing = createExecuting()
  const runs = ['r', 'r', 'other'].map((runId, epoch) => executing.start({ runId, epoch }, never))
  executing.stop('r')
  expect(runs.map(({ signal }) => signal.aborted)).toEqual([true, true, false])
})

test('an execution ends with what it hangs on, and is listed until it ends', () => {
  const executing = createExecuting()
  const outer = new AbortController()
  const run = executing.start({ runId: 'r', epoch: 1 }, outer.signal)
  outer.abort()
  expect(run.signal.aborted).toBe(true)
  expect(executing.list()).toHaveLength(1)
  run.end()
  expect(executing.list()).toEqual([])
})
