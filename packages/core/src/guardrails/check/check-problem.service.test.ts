import { expect, test } from 'vitest'
import { guardrailsBounds } from '../bounds.ts'
import type { CheckOfRule } from '../rule.ts'
import { problemsOfCheck } from './check-problem.service.ts'

const keywords = (words: string[]) =>
  problemsOfCheck({
    check: 'keywords',
    params: { words, case_sensitive: false, whole_words: false },
  } as unknown as CheckOfRule)
const regex = (pattern: string) =>
  problemsOfCheck({ check: 'regex', params: { pattern, case_sensitive: true } } as unknown as CheckOfRule)

test('the words of a list and the program of a pattern have the bounds of their rows', () => {
  const half = guardrailsBounds.keywords.chars / 2
  expect(keywords(['a'.repeat(half), 'b'.repeat(half)])).toEqual([])
  expect(keywords(['a'.repeat(half), 'b'.repeat(half + 1)])).toEqual([
    { path: 'params.words', message: expect.stringContaining(`the maximum is ${guardrailsBounds.keywords.chars}`) },
  ])
  expect(regex('a{100}')).toEqual([])
  expect(regex('a{1000}')).toEqual([
    {
      path: 'params.pattern',
      message: expect.stringContaining(`the maximum is ${guardrailsBounds.patternProgram.count}`),
    },
  ])
})
