import { expect, test } from 'vitest'
import { passwordProblem } from './password-rules.ts'

test('a new password is long enough and typed twice the same', () => {
  expect(passwordProblem('short', 'short')).toContain('12')
  expect(passwordProblem('x'.repeat(1_001), 'x'.repeat(1_001))).toContain('1000')
  expect(passwordProblem('correct horse battery', 'correct horse batterz')).toContain('differ')
  expect(passwordProblem('correct horse battery', 'correct horse battery')).toBeUndefined()
})
