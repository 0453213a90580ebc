import type { RunGuardrailFrame } from '@agent-run-service/sdk'
import { policyActions, policyStages } from '@agent-run-service/sdk'
import { expect, test } from 'vitest'
import { blockOf, findingOf, findingWords, isOfPolicy } from './finding-words.ts'

test('a finding says what happened, and in shadow mode what would have happened', () => {
  expect(findingWords({ action: 'block', stage: 'output', enforced: true })).toBe('Blocked the output')
  expect(findingWords({ action: 'redact', stage: 'tool_result', enforced: false })).toBe(
    'Would have redacted a result of a tool',
  )
  for (const action of policyActions)
    for (const stage of policyStages)
      expect(findingWords({ action, stage, enforced: true })).toMatch(/^[A-Z](?!.*[{}]).* (the|an?) \w+/)
  expect(findingWords({ action: 'sing', stage: 'input', enforced: true })).toBe('sing: the input')
})

test('a run that a policy stopped names the policy and the rule', () => {
  const error = { code: 'guardrail_blocked', message: '', retryable: false } as const
  expect(blockOf({ ...error, details: { policy: 'pol_x', check: 'pii', rule: 'cards', reason: 'No' } })).toEqual({
    policyId: 'pol_x',
    rule: 'cards',
    check: 'Personal data',
  })
  expect(blockOf({ ...error, details: null })).toBeNull()
  expect(blockOf({ ...error, code: 'agent_error', details: { policy: 'pol_x' } })).toBeNull()
})

test('a question of a policy finds its finding', () => {
  const finding = (rule: string, more: object): RunGuardrailFrame =>
    ({ rule, action: 'require_approval', enforced: true, reason: 'It contains a word', ...more }) as RunGuardrailFrame
  const findings = [
    finding('old', {}),
    finding('new', {}),
    finding('shadow', { enforced: false }),
    finding('block', { action: 'block' }),
    finding('other', { reason: 'It is too long' }),
  ]
  const asked = { message: 'A policy asks for an approval: It contains a word' }
  expect(findingOf(findings, asked)?.rule).toBe('new')
  expect(findingOf(findings, { message: 'Refund 39 EUR?' })).toBeUndefined()
  expect(isOfPolicy({ type: 'approval', ...asked })).toBe(true)
  expect(isOfPolicy({ type: 'approval', message: 'Refund 39 EUR?' })).toBe(false)
})
