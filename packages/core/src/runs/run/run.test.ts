import { type RunStatus, runStatuses } from '@ars/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canMove, failure, isEnded, type Run, toWireRun } from './run.ts'
import { noTokenCounts } from './tokens.ts'

const ends: RunStatus[] = ['completed', 'failed', 'cancelled']

test('an end state is final, and every other state can reach one', () => {
  expect(runStatuses.filter(isEnded)).toEqual(ends)
  for (const from of ends) for (const to of runStatuses) expect(canMove(from, to)).toBe(false)
  for (const from of runStatuses.filter((status) => !isEnded(status))) {
    expect(reachable(from).some(isEnded)).toBe(true)
  }
})

test('any path through the state table has at most one end', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...runStatuses), { maxLength: 30 }), (wishes) => {
      let status: RunStatus = 'queued'
      let endings = 0
      for (const wish of wishes) {
        if (!canMove(status, wish)) continue
        status = wish
        if (isEnded(status)) endings++
      }
      expect(endings).toBeLessThanOrEqual(1)
    }),
  )
})

test('a run that is cancelled while running is first cancelling and then cancelled', () => {
  expect(canMove('running', 'cancelled')).toBe(false)
  expect(canMove('running', 'cancelling') && canMove('cancelling', 'cancelled')).toBe(true)
})

test('durations of a run are never negative, regardless of clock changes', () => {
  fc.assert(
    fc.property(
      fc.date({ noInvalidDate: true }),
      fc.date({ noInvalidDate: true }),
      fc.date({ noInvalidDate: true }),
      (created, started, finished) => {
        const wire = toWireRun({ ...someRun, created_at: created, started_at: started, finished_at: finished })
        expect(wire.latency_ms).toBeGreaterThanOrEqual(0)
        expect(wire.timing.queue_ms).toBeGreaterThanOrEqual(0)
        expect(wire.timing.execution_ms).toBeGreaterThanOrEqual(0)
      },
    ),
  )
})

const reachable = (from: RunStatus): RunStatus[] => {
  const seen = new Set<RunStatus>([from])
  for (const at of seen) for (const to of runStatuses) if (canMove(at, to)) seen.add(to)
  return [...seen]
}

const someRun: Run = {
  erased_at: null,
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  agent_id: '01890a5d-ac96-774b-bcce-b302099a8057',
  agent_version: 1,
  input: {},
  metadata: {},
  created_at: new Date(0),
  status: 'completed',
  output: {},
  error: null,
  ...noTokenCounts,
  cost_usd: null,
  waiting_ms: 0,
  deployment_id: null,
  parent_run_id: null,
  pipeline_run_id: null,
  created_by: '01890a5d-ac96-774b-bcce-b302099a8059',
  created_by_type: 'key',
  actions: [],
  started_at: null,
  finished_at: null,
}

test('the words of a failure are text that every statement can store', () => {
  const said = 'a\0b \ud800 🙂'
  const kept = 'a\uFFFDb \uFFFD 🙂'
  expect(failure('model_error', said, { details: { problems: [said], status: 400 } })).toEqual({
    code: 'model_error',
    message: kept,
    retryable: false,
    details: { problems: [kept], status: 400 },
  })
})
