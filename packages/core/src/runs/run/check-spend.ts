import type { StepRecord } from '../../steps/index.ts'
import type { TokenCounts } from './tokens.ts'

/** What models have cost that judged for policies. It counts as if the run had called them. */
export type CheckSpend = Pick<StepRecord, 'tokens' | 'costUsd'>

/** Fields of a JSON row, as the statements expect them. */
export const toSpendRow = ({ tokens, costUsd }: CheckSpend): TokenCounts & { cost_usd: number | null } => ({
  input_tokens: tokens.input,
  output_tokens: tokens.output,
  cached_tokens: tokens.cached ?? 0,
  cache_write_tokens: tokens.cacheWrite ?? 0,
  reasoning_tokens: tokens.reasoning ?? 0,
  cost_usd: costUsd,
})
