import type { PastStep, StepContent } from '../../steps/index.ts'

/** A stored step as the database returns it. */
export type StepRow = {
  step: number
  kind: 'model' | 'tools' | 'remote'
  output: StepContent
  messages_read: number
  input_tokens: string
  output_tokens: string
  cost_usd: string | null
  started_at: Date
  finished_at: Date
}

export const toPastStep = ({ step, kind, output, messages_read, ...rest }: StepRow): PastStep => ({
  step,
  kind,
  content: output,
  messagesRead: messages_read,
  inputTokens: Number(rest.input_tokens),
  outputTokens: Number(rest.output_tokens),
  costUsd: rest.cost_usd === null ? null : Number(rest.cost_usd),
  startedAt: rest.started_at,
  finishedAt: rest.finished_at,
})
