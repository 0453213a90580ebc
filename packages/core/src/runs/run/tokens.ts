import type { Run as WireRun } from '@ars/contract'

/**
 * The tokens of a step, or of all steps of a run. Cached and cache-write tokens are part of the input tokens, reasoning
 * tokens are part of the output tokens.
 */
export type TokenCounts<Count = number> = Record<TokenColumn, Count>

/** The columns of `run_steps`, `run_heads` and `run_results`. */
const columns = ['input_tokens', 'output_tokens', 'cached_tokens', 'cache_write_tokens', 'reasoning_tokens'] as const

type TokenColumn = (typeof columns)[number]

/** The names in a list of SQL, each as `write` writes it. */
export const tokenColumns = (write: (column: TokenColumn) => string = (column) => column): string =>
  columns.map(write).join(', ')

/** bigint arrives as text. */
export const tokenNumbers = (row: TokenCounts<string>): TokenCounts => ({
  input_tokens: Number(row.input_tokens),
  output_tokens: Number(row.output_tokens),
  cached_tokens: Number(row.cached_tokens),
  cache_write_tokens: Number(row.cache_write_tokens),
  reasoning_tokens: Number(row.reasoning_tokens),
})

export const noTokenCounts: TokenCounts = tokenNumbers({
  input_tokens: '0',
  output_tokens: '0',
  cached_tokens: '0',
  cache_write_tokens: '0',
  reasoning_tokens: '0',
})

/** A null cost: a step used a model without a price. */
export const toUsage = (counts: TokenCounts & { cost_usd: number | null }): WireRun['usage'] => ({
  input_tokens: counts.input_tokens,
  output_tokens: counts.output_tokens,
  cached_input_tokens: counts.cached_tokens,
  cache_write_tokens: counts.cache_write_tokens,
  reasoning_tokens: counts.reasoning_tokens,
  cost_usd: counts.cost_usd,
})

/** `toUsage` in SQL, of the columns of `from`. */
export const usageOf = (from: string): string =>
  `json_build_object('input_tokens', ${from}.input_tokens, 'output_tokens', ${from}.output_tokens, 'cached_input_tokens',
             ${from}.cached_tokens, 'cache_write_tokens', ${from}.cache_write_tokens, 'reasoning_tokens', ${from}.reasoning_tokens,
             'cost_usd', ${from}.cost_usd)`
