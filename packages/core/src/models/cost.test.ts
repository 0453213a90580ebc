import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addCosts, addUsage, costOf, plausible, priceOf, tokenCount } from './cost.ts'

const price = priceOf({ input: 3, output: 15, cached_input: 0.3, cache_write: 3.75, reasoning: 20 })

test('each kind of token has its price, and none is charged twice', () => {
  const usage = { inputTokens: 1000, outputTokens: 100, cachedTokens: 600, cacheWriteTokens: 300, reasoningTokens: 40 }
  // 100 · 3 + 600 · 0.3 + 300 · 3.75 + 60 · 15 + 40 · 20, per million
  expect(costOf(usage, price)).toBe(0.003305)
})

test('a kind of token without a price costs what the tokens cost that it is part of', () => {
  const plain = priceOf({ input: 3, output: 15 })
  const usage = { inputTokens: 1000, outputTokens: 100 }
  const detailed = { ...usage, cachedTokens: 600, cacheWriteTokens: 300, reasoningTokens: 40 }
  expect(costOf(detailed, plain)).toBe(costOf(usage, plain))
  expect(costOf(usage, plain)).toBe(0.0045)
})

test('a model without a price has no cost, and neither has a sum with it', () => {
  expect(costOf({ inputTokens: 1, outputTokens: 1 }, null)).toBeNull()
  expect([addCosts(null, 1), addCosts(1, null), addCosts(0.1, 0.2)]).toEqual([null, null, 0.3])
})

test('kinds of tokens that exceed their whole are cut to it', () => {
  expect(
    plausible({ inputTokens: 10, outputTokens: 5, cachedTokens: 8, cacheWriteTokens: 8, reasoningTokens: 9 }),
  ).toEqual({ inputTokens: 10, outputTokens: 5, cachedTokens: 8, cacheWriteTokens: 2, reasoningTokens: 5 })
})

test('a number of tokens that nobody can have used is a whole number within bounds (modelsBounds.tokensReported)', () => {
  expect(
    [-5, Number.NaN, Number.NEGATIVE_INFINITY, undefined, 1.2, 1e300, Number.POSITIVE_INFINITY].map(tokenCount),
  ).toEqual([0, 0, 0, 0, 2, 1_000_000_000, 1_000_000_000])
})

const tokens = fc.nat({ max: 1_000_000 })
const anyUsage = fc.record({
  inputTokens: tokens,
  outputTokens: tokens,
  cachedTokens: tokens,
  cacheWriteTokens: tokens,
  reasoningTokens: tokens,
})
// Up to 100 dollars with 6 decimals, as a person writes it.
const millionths = fc.nat({ max: 100_000_000 })
const inDollars = (amount: number): number =>
  Number(`${Math.floor(amount / 1e6)}.${String(amount % 1e6).padStart(6, '0')}`)

test('a cost is the exact decimal number, for all prices with up to 6 decimals', () => {
  fc.assert(
    fc.property(anyUsage, fc.tuple(millionths, millionths, millionths, millionths, millionths), (given, amounts) => {
      const [input, output, cached, write, reasoning] = amounts
      const cost = costOf(given, {
        inputPerMillion: inDollars(input),
        outputPerMillion: inDollars(output),
        cachedInputPerMillion: inDollars(cached),
        cacheWritePerMillion: inDollars(write),
        reasoningPerMillion: inDollars(reasoning),
      })
      const {
        inputTokens,
        outputTokens,
        cachedTokens = 0,
        cacheWriteTokens = 0,
        reasoningTokens = 0,
      } = plausible(given)
      const exact =
        BigInt(inputTokens - cachedTokens - cacheWriteTokens) * BigInt(input) +
        BigInt(cachedTokens) * BigInt(cached) +
        BigInt(cacheWriteTokens) * BigInt(write) +
        BigInt(outputTokens - reasoningTokens) * BigInt(output) +
        BigInt(reasoningTokens) * BigInt(reasoning)
      expect(cost).toBe(Number(`${exact / 10n ** 12n}.${String(exact % 10n ** 12n).padStart(12, '0')}`))
    }),
  )
})

test('the cost of two calls is the cost of their tokens together', () => {
  fc.assert(
    fc.property(anyUsage, anyUsage, (one, other) => {
      const sum = addUsage(plausible(one), plausible(other))
      expect(addCosts(costOf(one, price), costOf(other, price))).toBe(costOf(sum, price))
    }),
  )
})
