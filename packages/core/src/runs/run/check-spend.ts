import type { CheckSpent } from '../../guardrails/index.ts'
import type { StepRecord } from '../../steps/index.ts'
import type { TokenCounts } from './tokens.ts'

/** What models have cost that judged for policies. It counts as if the run had called them. */
export type CheckSpend = Pick<StepRecord, 'tokens' | 'costUsd'>

/** Adds up what checks cost. The total is null if no model judged. */
export const createCheckSpend = (): { note(spent: CheckSpent): void; total(): CheckSpend | null } => {
  let total: CheckSpend | null = null
  return {
    note: ({ usage, costUsd }) => {
      if (!usage || (costUsd === 0 && usage.inputTokens + usage.outputTokens === 0)) return
      const tokens = {
        input: usage.inputTokens,
        output: usage.outputTokens,
        cached: usage.cachedTokens,
        cacheWrite: usage.cacheWriteTokens,
        reasoning: usage.reasoningTokens,
      }
      total = total ? sumOf(total, { tokens, costUsd }) : { tokens, costUsd }
    },
    total: () => total,
  }
}

/** A step with what checks have cost while it was taken. */
export const withCheckSpend = (record: StepRecord, spend: CheckSpend): StepRecord => ({
  ...record,
  ...sumOf(record, spend),
})

/** Fields of a JSON row, as the statements expect them. */
export const toSpendRow = ({ tokens, costUsd }: CheckSpend): TokenCounts & { cost_usd: number | null } => ({
  input_tokens: tokens.input,
  output_tokens: tokens.output,
  cached_tokens: tokens.cached ?? 0,
  cache_write_tokens: tokens.cacheWrite ?? 0,
  reasoning_tokens: tokens.reasoning ?? 0,
  cost_usd: costUsd,
})

const sumOf = (one: CheckSpend, other: CheckSpend): CheckSpend => ({
  tokens: {
    input: one.tokens.input + other.tokens.input,
    output: one.tokens.output + other.tokens.output,
    cached: (one.tokens.cached ?? 0) + (other.tokens.cached ?? 0),
    cacheWrite: (one.tokens.cacheWrite ?? 0) + (other.tokens.cacheWrite ?? 0),
    reasoning: (one.tokens.reasoning ?? 0) + (other.tokens.reasoning ?? 0),
  },
  // Null: one of the models has no price.
  costUsd: one.costUsd === null || other.costUsd === null ? null : one.costUsd + other.costUsd,
})
