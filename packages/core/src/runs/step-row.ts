import type { StepRecord } from '../agents/index.ts'
import type { Segment } from './segment.ts'

/** A result and the attempt that it belongs to. */
export type Held = { segment: Segment; step: number; attempt: number }

/** A step's result, with the time at which it was claimed. */
export type StoredStep = StepRecord & { startedAt: Date }

// As the statements want them: fields of a JSON row.
export const toHeldRow = ({ segment, step, attempt }: Held) => ({
  run_id: segment.run,
  epoch: segment.epoch,
  step,
  attempt,
})

export const toStepRow = (stored: StoredStep) => ({
  kind: stored.kind,
  step_output: toPayload(stored.content),
  input_tokens: stored.tokens.input,
  output_tokens: stored.tokens.output,
  cost_usd: stored.costUsd,
  messages_read: stored.messagesRead,
  started_at: stored.startedAt,
})

/**
 * A payload inside a JSON row, as the text of its own JSON. What models and tools say may hold a NUL or half a surrogate
 * pair; Postgres keeps those in a `json` column, but refuses them when it takes a row apart.
 */
export const toPayload = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))
