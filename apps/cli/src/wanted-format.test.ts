import { expect, test } from 'vitest'
import { wantsJson } from './wanted-format.ts'

test.each([
  ['--json runs get x', true],
  ['runs get x --json', true],
  ['--output json runs get x', true],
  ['runs get x --output json', true],
  ['runs get x --output=jsonl', true],
  ['runs get x --output yaml', true],
  ['runs get x', false],
  ['runs get x --output table', false],
  ['runs get x --output nonsense', false],
  ['runs get x --output', false],
])('errors of `%s` are JSON: %s', (words, expected) => {
  expect(wantsJson(words.split(' '))).toBe(expected)
})
