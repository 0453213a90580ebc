import type { StepAttempt, StepRecord } from '../../steps/index.ts'
import { type CheckSpend, toSpendRow } from '../run/check-spend.ts'
import type { Segment } from '../run/segment.ts'

/**
 * A result and its attempt. The number of an attempt may be given twice, when a fail-over loses the claim that had it. Its
 * random claim id is not. `budgetIds`: what the cost of the step counts against; undefined: no budget.
 */
export type ClaimedStep = {
  segment: Segment
  step: number
  attempt: number
  claimId: string
  budgetIds?: readonly string[] | undefined
  /** What checks have cost, if no step is stored that would include it. */
  checkSpend?: CheckSpend | undefined
}

/** A step's result, with the time at which it was claimed. */
export type StoredStep = StepRecord & { startedAt: Date }

/** The traces of a step are part of its content, so a step without them is stored as before. */
export const toStored = (
  record: StepRecord,
  { startedAt, attempts, failed = false }: { startedAt: Date; attempts: readonly StepAttempt[]; failed?: boolean },
): StoredStep => {
  const traces = { ...(failed && { failed }), ...(attempts.length > 0 && { attempts }) }
  return { ...record, content: hasFields(traces) ? { ...record.content, ...traces } : record.content, startedAt }
}

const hasFields = (value: object): boolean => Object.keys(value).length > 0

// Fields of a JSON row, as the statements expect them.
export const toClaimRow = ({ segment, step, attempt, claimId }: ClaimedStep) => ({
  run_id: segment.run,
  epoch: segment.epoch,
  step,
  attempt,
  claim_id: claimId,
})

export const toStepRow = (stored: StoredStep) => ({
  kind: stored.kind,
  ...toSpendRow(stored),
  messages_read: stored.messagesRead,
  started_at: stored.startedAt,
  model: stored.content?.model ?? null,
  // What the next step does is known now, and shown when it begins. Null: what the agent begins with.
  next_type: (stored.content?.toolCalls?.length ?? 0) > 0 ? 'tools' : null,
})

/**
 * A payload as text. Output of models and tools may contain NUL or half a surrogate pair; Postgres stores those in a `json`
 * column but rejects them when it splits a JSON row. Large payloads are parameters of their own (`textArray`), because inside
 * a row all their quotes would be escaped again.
 */
export const toPayload = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))
