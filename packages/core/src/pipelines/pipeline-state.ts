/** The row of a pipeline run that has not ended. */
export type PipelineRunState = {
  /** `cancelling`: a caller has cancelled it. */
  status: 'running' | 'cancelling'
  deadlineAt: Date
  /** Runs that were accepted for it, each attempt of each item. */
  runs: number
  /** Why it will fail. Set once: what fails while the other steps are cancelled does not change the reason. */
  failure: PipelineFailure | null
}

/** `step` is null if no step is the reason. */
export type PipelineFailure = { step: string | null; code: string }

export type PipelineStepOutcome = 'completed' | 'failed' | 'skipped' | 'cancelled'

/** The row of a step that has been opened, or settled without. Other steps have none. */
export type OpenedStep = {
  key: string
  /** Null: it is not settled. */
  outcome: PipelineStepOutcome | null
  /** What its `when` and its `for_each` said. A step without `for_each` has one item. */
  verdict: StepVerdict
  /** The items from this one on have no row yet. */
  nextItem: number
  /** No further item starts, and the step will not complete. `cancelled`, or the code with which it fails. */
  halt: string | null
}

export type StepVerdict = { kind: 'run'; items: number } | { kind: 'skip' } | { kind: 'fault'; code: string }

/**
 * The last attempt of an item that is not closed. A closed item counts for nothing any more, so a call reads at most `max_parallel`
 * items of a step, however many it has.
 */
export type OpenItem = {
  step: string
  item: number
  attempt: number
  /**
   * `waiting`: it has a row and was not accepted yet. `refused`: it was not accepted, with `code`. `cancelling`: its run was asked to
   * stop. The others are the states of its run, or of its question: an approval that was rejected has `failed`.
   */
  state: 'waiting' | 'refused' | 'started' | 'cancelling' | 'completed' | 'failed' | 'cancelled'
  code: string | null
  /** When a refused or failed one may be tried again, and when the question of an approval expires. Null: at once, or never. */
  dueAt: Date | null
}

/** Each is applied by one transaction with the others of the same call, in their order. Each depends on those before it only. */
export type PipelineDecision =
  /** Evaluate `when`, then `for_each`, and store the verdict. */
  | { kind: 'open'; step: string }
  /** Accept the run of this attempt, which replaces the attempt before it. If it is refused, call again when that is stored. */
  | { kind: 'start'; step: string; item: number; attempt: number }
  /** Put the question of an approval step. */
  | { kind: 'ask'; step: string }
  /** The item is over. A question that is still open is withdrawn. */
  | { kind: 'close'; step: string; item: number; outcome: 'completed' | 'failed' | 'cancelled'; code: string | null }
  | { kind: 'halt'; step: string; code: string }
  | { kind: 'settle'; step: string; outcome: PipelineStepOutcome; code: string | null }
  /** Store the reason for which the pipeline run will fail. */
  | { kind: 'fail'; step: string | null; code: string }
  /** Ask the run of this item to stop. */
  | { kind: 'cancel'; step: string; item: number; attempt: number }

export type PipelineNext =
  /** Apply the decisions and call again. */
  | { kind: 'again' }
  /** Nothing happens before this time unless a run or a question ends. Null: unless one ends. */
  | { kind: 'wait'; until: Date | null }
  /** Steps without a row are stored as `cancelled`. */
  | { kind: 'end'; status: 'completed' }
  | { kind: 'end'; status: 'cancelled' }
  | ({ kind: 'end'; status: 'failed' } & PipelineFailure)
