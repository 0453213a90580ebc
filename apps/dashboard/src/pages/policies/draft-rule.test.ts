import { policyChecks } from '@agent-run-service/sdk'
import { expect, test } from 'vitest'
import { draftRule, simpleParams } from './draft-rule.ts'
import { exampleRules } from './example-rule.ts'

test.each(policyChecks)('the example of %s has controls for its parameters', (check) => {
  const draft = draftRule(exampleRules[check])
  expect(draft).toMatchObject(exampleRules[check])
  for (const { name } of simpleParams[check]) expect(Object.keys(draft?.params ?? {})).toContain(name)
})

test.each([
  [null],
  ['text'],
  [{}],
  [{ check: 'smell', stages: ['input'], action: 'block' }],
  [{ check: 'pii', stages: 'input', action: 'block' }],
  [{ check: 'pii', stages: ['input'], action: 'sing' }],
  [{ check: 'pii', stages: ['input'], action: 'block', params: [] }],
])('%o has no controls', (rule) => {
  expect(draftRule(rule)).toBeNull()
})

test('fields that the controls do not know are kept', () => {
  const rule = { id: 'x', check: 'pii', stages: ['input'], action: 'block', later: 1 }
  expect(draftRule(rule)).toEqual({ ...rule, params: {} })
})
