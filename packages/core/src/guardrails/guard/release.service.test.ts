import { expect, test } from 'vitest'
import type { CheckOfRule, Rule } from '../rule.ts'
import { releaseOf } from './release.service.ts'

const rule = (check: CheckOfRule, action: Rule['action'] = 'block'): Rule => ({
  id: 'r',
  stages: ['output'],
  action,
  ...check,
})
const words: CheckOfRule = { check: 'keywords', params: { words: ['secret'], whole_words: true } }
const model: CheckOfRule = {
  check: 'model',
  params: { model: 'simulated/echo', instructions: 'x', time_limit_ms: 100 },
}
const anchored: CheckOfRule = { check: 'regex', params: { pattern: '^x', case_sensitive: true, max_match_chars: 9 } }
const long: CheckOfRule = { check: 'max_length', params: { chars: 9 } }

test.each([
  ['no rule', [], 'none'],
  ['a rule that flags', [rule(long, 'flag'), rule(model, 'flag')], 'none'],
  ['a word', [rule(words)], 'window'],
  ['a word and a model', [rule(words), rule(model)], 'chunk'],
  ['a pattern that is bound to the begin of the text', [rule(words), rule(anchored)], 'whole'],
  ['a length', [rule(model), rule(long)], 'whole'],
  ['a word that needs an approval', [rule(words, 'require_approval')], 'whole'],
] as const)('%s makes a stream wait: %#', (_, rules, mode) => {
  expect(releaseOf(rules).mode).toBe(mode)
})
