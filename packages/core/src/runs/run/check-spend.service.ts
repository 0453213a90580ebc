import type { CheckSpent } from '../../guardrails/index.ts'
import { addCosts } from '../../models/index.ts'
import { type StepRecord, tokensOf } from '../../steps/index.ts'
import type { CheckSpend } from './check-spend.ts'

/** Adds up what checks cost. The total is null if no model judged. */
export const createCheckSpend = (): { note(spent: CheckSpent): void; total(): CheckSpend | null } => {
  let total: CheckSpend | null = null
  return {
    note: ({ usage, costUsd }) => {
      if (!usage || (costUsd === 0 && usage.inputTokens + usage.outputTokens === 0)) return
      const spend = { tokens: tokensOf(usage), costUsd }
      total = total ? sumOf(total, spend) : spend
    },
    total: () => total,
  }
}

/** A step with what checks have cost while it was taken. */
export const withCheckSpend = (record: StepRecord, spend: CheckSpend): StepRecord => ({
  ...record,
  ...sumOf(record, spend),
})

const sumOf = (one: CheckSpend, other: CheckSpend): CheckSpend => ({
  tokens: {
    input: one.tokens.input + other.tokens.input,
    output: one.tokens.output + other.tokens.output,
    cached: (one.tokens.cached ?? 0) + (other.tokens.cached ?? 0),
    cacheWrite: (one.tokens.cacheWrite ?? 0) + (other.tokens.cacheWrite ?? 0),
    reasoning: (one.tokens.reasoning ?? 0) + (other.tokens.reasoning ?? 0),
  },
  costUsd: addCosts(one.costUsd, other.costUsd),
})
