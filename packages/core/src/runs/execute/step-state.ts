import { maxClaimsUnsuspected } from '../run/run.ts'
import type { Segment } from '../run/segment.ts'

/** The head of a run under one epoch. */
export type Progress = {
  step: number
  segment: number
  claims: number
  status: string
  attempt: number
  /** Null: nobody has claimed it. */
  claim_id: string | null
  messages: number
}

/** Why a worker could not claim a step, or could not write its result. */
export type StepState =
  /** The run has ended, or another epoch, segment or worker has the step. */
  | { kind: 'superseded' }
  | { kind: 'cancelling' }
  /** The run waits for a person. */
  | { kind: 'parked' }
  /** The result of the step is stored; `step` is the last one that is. */
  | { kind: 'stored'; step: number }
  /** The step is not stored. `attempt` and `claimId` are of the newest claim of it. */
  | { kind: 'open'; attempt: number; claimId: string | null; messages: number; isSuspected: boolean }

/** `progress` null: the epoch is over. `isSuspected`: the step was interrupted so often that it must run alone. */
export const stepStateOf = (progress: Progress | null, segment: Segment, step: number): StepState => {
  if (progress?.status === 'cancelling') return { kind: 'cancelling' }
  if (!progress || progress.segment !== segment.segment) return { kind: 'superseded' }
  if (progress.status === 'requires_action') return { kind: 'parked' }
  if (progress.step >= step) return { kind: 'stored', step: progress.step }
  if (progress.step < step - 1) return { kind: 'superseded' }
  const { attempt, claim_id: claimId, messages, claims } = progress
  return { kind: 'open', attempt, claimId, messages, isSuspected: claims >= maxClaimsUnsuspected }
}
