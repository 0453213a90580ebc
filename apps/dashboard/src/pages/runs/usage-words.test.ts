import { expect, test } from 'vitest'
import { usageWords } from './usage-words.ts'

const usage = {
  input_tokens: 2_807,
  output_tokens: 173,
  cached_input_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  cost_usd: null,
}

test('tokens with a price of their own are shown where there are any', () => {
  expect(usageWords(usage)).toBe('2,807 in · 173 out')
  expect(usageWords({ ...usage, cached_input_tokens: 1_152, reasoning_tokens: 32 })).toBe(
    '2,807 in (1,152 cached) · 173 out (32 reasoning)',
  )
  expect(usageWords({ ...usage, cached_input_tokens: 1, cache_write_tokens: 2 })).toBe(
    '2,807 in (1 cached, 2 written to a cache) · 173 out',
  )
})
