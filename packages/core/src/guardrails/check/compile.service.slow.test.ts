import { expect, test } from 'vitest'
import { guardrailsBounds } from '../bounds.ts'
import type { CheckOfRule } from '../rule.ts'
import { compileSpanCheck } from './compile.service.ts'

const regex = (pattern: string, max = 256, caseSensitive = false): CheckOfRule => ({
  check: 'regex',
  params: { pattern, case_sensitive: caseSensitive, max_match_chars: max },
})

test('the time of a pattern grows with the text and not faster, however long its matches are', () => {
  const check = compileSpanCheck(regex('conf\\w+'))
  const timeOf = (chars: number): number => {
    const text = 'conf'.repeat(chars / 4)
    const began = process.cpuUsage().user
    expect(check.find(text).length).toBe(Math.min(guardrailsBounds.spansOfCheck.count, Math.ceil(chars / 256)))
    return process.cpuUsage().user - began
  }
  timeOf(16_384)
  // A search of the whole rest after each match would be 64 times as long.
  expect(timeOf(131_072)).toBeLessThan(30 * Math.max(timeOf(16_384), 2_000))
})
