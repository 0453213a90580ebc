import { modelsBounds } from './bounds.ts'

/**
 * The tokens of model calls, the same for every provider. Input tokens include those read from and written to a cache;
 * output tokens include reasoning tokens. Without these: the provider reported none.
 */
export type Usage = {
  inputTokens: number
  outputTokens: number
  cachedTokens?: number | undefined
  cacheWriteTokens?: number | undefined
  reasoningTokens?: number | undefined
}

/** US dollars per million tokens. */
export type Price = {
  inputPerMillion: number
  outputPerMillion: number
  cachedInputPerMillion: number
  cacheWritePerMillion: number
  reasoningPerMillion: number
}

/** A kind of token that the operator gives no price costs what the tokens cost that it is part of. */
export const priceOf = (given: {
  input: number
  output: number
  cached_input?: number | undefined
  cache_write?: number | undefined
  reasoning?: number | undefined
}): Price => ({
  inputPerMillion: given.input,
  outputPerMillion: given.output,
  cachedInputPerMillion: given.cached_input ?? given.input,
  cacheWritePerMillion: given.cache_write ?? given.input,
  reasoningPerMillion: given.reasoning ?? given.output,
})

export const free: Price = priceOf({ input: 0, output: 0 })

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0 }

export const addUsage = (one: Usage, other: Usage): Usage => ({
  inputTokens: one.inputTokens + other.inputTokens,
  outputTokens: one.outputTokens + other.outputTokens,
  cachedTokens: (one.cachedTokens ?? 0) + (other.cachedTokens ?? 0),
  cacheWriteTokens: (one.cacheWriteTokens ?? 0) + (other.cacheWriteTokens ?? 0),
  reasoningTokens: (one.reasoningTokens ?? 0) + (other.reasoningTokens ?? 0),
})

// Far beyond any context window.
const maxTokens = modelsBounds.tokensReported.count

/** A number of tokens as a provider reports it. One that nobody can have used must not lower a budget or fail the step that stores it. */
export const tokenCount = (reported = 0): number => Math.min(Math.max(0, Math.ceil(reported)), maxTokens) || 0

/** Some providers report kinds of tokens that exceed their whole. The whole is what they charge. */
export const plausible = (given: Usage): Usage => {
  const cachedTokens = Math.min(given.cachedTokens ?? 0, given.inputTokens)
  return {
    inputTokens: given.inputTokens,
    outputTokens: given.outputTokens,
    cachedTokens,
    cacheWriteTokens: Math.min(given.cacheWriteTokens ?? 0, given.inputTokens - cachedTokens),
    reasoningTokens: Math.min(given.reasoningTokens ?? 0, given.outputTokens),
  }
}

/** Null without a price. */
export const costOf = (usage: Usage, price: Price | null): number | null => {
  if (!price) return null
  const { inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = plausible(usage)
  return dollars(
    (inputTokens - cachedTokens - cacheWriteTokens) * units(price.inputPerMillion) +
      cachedTokens * units(price.cachedInputPerMillion) +
      cacheWriteTokens * units(price.cacheWritePerMillion) +
      (outputTokens - reasoningTokens) * units(price.outputPerMillion) +
      reasoningTokens * units(price.reasoningPerMillion),
  )
}

/** Null: one of them is not known. */
export const addCosts = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : dollars(Math.round(one * unitsPerDollar) + Math.round(other * unitsPerDollar))

// Costs are whole numbers of 10⁻¹² dollars, so sums are exact: a price has up to 6 decimals, and is for a million tokens.
// The quotient is the number that prints as the exact amount, and the database stores what it prints.
const unitsPerDollar = 1e12
const units = (perMillion: number): number => Math.round(perMillion * 1e6)
const dollars = (sum: number): number => sum / unitsPerDollar
