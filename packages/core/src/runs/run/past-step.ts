import type { PastStep, StepContent } from '../../steps/index.ts'
import type { TokenCounts } from './tokens.ts'

/** A stored step as the database returns it. */
export type StepRow = TokenCounts<string> & {
  step: number
  kind: 'model' | 'tools' | 'remote'
  output: StepContent
  messages_read: number
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
  cachedTokens: Number(rest.cached_tokens),
  cacheWriteTokens: Number(rest.cache_write_tokens),
  reasoningTokens: Number(rest.reasoning_tokens),
  costUsd: rest.cost_usd === null ? null : Number(rest.cost_usd),
  startedAt: rest.started_at,
  finishedAt: rest.finished_at,
})
