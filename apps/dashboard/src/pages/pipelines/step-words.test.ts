import { expect, test } from 'vitest'
import { draftSteps } from './draft-definition.ts'
import { itemWords, stepFacts } from './step-words.ts'

test('items in words', () => {
  expect(itemWords({ total: 0, completed: 0, failed: 0 })).toBe('')
  expect(itemWords({ total: 1, completed: 1, failed: 0 })).toBe('')
  expect(itemWords({ total: 5, completed: 3, failed: 0 })).toBe('3 of 5 items')
  expect(itemWords({ total: 5, completed: 3, failed: 1 })).toBe('3 of 5 items, 1 failed')
})

test('a step says only what is special about it', () => {
  const [plain, special] = draftSteps({
    steps: [
      { key: 'a' },
      {
        key: 'b',
        depends_on: ['a'],
        when: 'input.x',
        for_each: 'input.list',
        max_parallel: 2,
        on_item_error: 'continue',
        retry: { attempts: 3, on: ['model_error', 'tool_error'] },
        timeout_seconds: 90,
        on_error: 'continue',
      },
    ],
  })
  expect(plain && stepFacts(plain)).toEqual([])
  expect(special && stepFacts(special)).toEqual([
    ['After', 'a'],
    ['When', 'input.x'],
    ['For each', 'input.list'],
    ['At the same time', 'at most 2'],
    ['Failed items', 'the step goes on, their output is null'],
    ['Retry', 'up to 3 attempts after model_error, tool_error'],
    ['Timeout', '1 min 30 s'],
    ['After a failure', 'the pipeline goes on, the output is null'],
  ])
})
