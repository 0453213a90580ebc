import { expect, test } from 'vitest'
import { createInFlight } from './in-flight.ts'

const never = new AbortController().signal

test('when a run is restarted in the same process, only the stale execution is stopped', () => {
  const inFlight = createInFlight()
  const late = inFlight.start({ runId: 'r', epoch: 1 }, never)
  const present = inFlight.start({ runId: 'r', epoch: 2 }, never)
  for (const { epoch, stop } of inFlight.list()) if (epoch !== 2) stop()
  expect([late.signal.aborted, present.signal.aborted]).toEqual([true, false])
})

test('an execution ends with its parent signal, and is listed until it ends', () => {
  const inFlight = createInFlight()
  const outer = new AbortController()
  const run = inFlight.start({ runId: 'r', epoch: 1 }, outer.signal)
  outer.abort()
  expect(run.signal.aborted).toBe(true)
  expect(inFlight.list()).toHaveLength(1)
  run.end()
  expect(inFlight.list()).toEqual([])
})
