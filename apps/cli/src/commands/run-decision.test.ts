import { expect, test } from 'vitest'
import { namedQuestion } from './run-decision.ts'

test('a decision without --action names the only question, and that question is printed', () => {
  const told: string[][] = []
  const tell = (questions: readonly { id: string }[]) => told.push(questions.map(({ id }) => id))
  expect(namedQuestion([{ id: 'act_1' }], tell)).toBe('act_1')
  expect(namedQuestion([], tell)).toBeUndefined()
  expect(() => namedQuestion([{ id: 'act_1' }, { id: 'act_2' }], tell)).toThrow('2 questions are open')
  expect(told).toEqual([['act_1'], [], ['act_1', 'act_2']])
})
