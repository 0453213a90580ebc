import { expect, test } from 'vitest'
import { runsBounds } from '../bounds.ts'

import { type Progress, stepStateOf } from './step-state.ts'

const segment = { org: 'org', run: 'run', epoch: 1, segment: 2, step: 3 }
const running: Progress = { step: 2, segment: 2, claims: 1, status: 'running', attempt: 4, claim_id: null, messages: 5 }

test.for([
  [null, 'superseded'],
  [{ segment: 3 }, 'superseded'],
  [{ segment: 3, status: 'cancelling' }, 'cancelling'],
  [{ status: 'cancelling' }, 'cancelling'],
  [{ status: 'requires_action' }, 'parked'],
  [{ step: 3 }, 'stored'],
  [{ step: 7 }, 'stored'],
  [{ step: 1 }, 'superseded'],
] as const)('the head %o means that the step is %s', ([change, kind]) => {
  expect(stepStateOf(change && { ...running, ...change }, segment, 3)).toMatchObject({ kind })
})

test('a step that is not stored tells its newest attempt, and whether it must run alone', () => {
  const open = { kind: 'open', attempt: 4, claimId: null, messages: 5 }
  expect(stepStateOf(running, segment, 3)).toEqual({ ...open, isSuspected: false })
  const interrupted = { ...running, claims: runsBounds.claimsUnsuspected.count }
  expect(stepStateOf(interrupted, segment, 3)).toEqual({ ...open, isSuspected: true })
})
