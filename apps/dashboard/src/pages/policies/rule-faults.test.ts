import { expect, test } from 'vitest'
import { ruleFaults } from './rule-faults.ts'

test('a refused field is named by its rule and its path', () => {
  const rules = [{ id: 'cards' }, {}]
  const refusals = [
    { param: 'rules.0.params.pattern', message: 'no' },
    { param: 'rules[1].stages[0]', message: 'no' },
    { param: 'rules', message: 'too many' },
    { param: 'rules.7', message: 'no' },
    { param: 'name', message: 'elsewhere' },
  ]
  expect(ruleFaults(refusals, rules).map(({ place }) => place)).toEqual([
    'Rule 1 (cards), params.pattern',
    'Rule 2, stages.0',
    'Rules',
    'Rule 8',
  ])
})
