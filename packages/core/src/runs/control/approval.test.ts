import { expect, test } from 'vitest'
import { type ApprovalCase, approvalRefusal } from './approval.ts'

const ada = { type: 'user', id: 'ada' } as const
const grace = { type: 'user', id: 'grace' } as const
const approval = (change: Partial<ApprovalCase>): ApprovalCase => ({
  rule: null,
  actorType: 'user',
  approver: ada,
  starter: ada,
  ...change,
})

test('without a rule anyone approves, also the starter with a key', () => {
  expect(approvalRefusal(approval({ actorType: 'key' }))).toBeNull()
  expect(approvalRefusal(approval({ rule: { by: 'anyone', not_starter: false } }))).toBeNull()
})

test('a person is required where the rule says so, regardless of the creator of the key', () => {
  const rule = { by: 'person' } as const
  expect(approvalRefusal(approval({ rule, actorType: 'key' }))).toContain('people only')
  expect(approvalRefusal(approval({ rule }))).toBeNull()
})

test('four eyes: another principal than the starter is required', () => {
  const rule = { not_starter: true }
  expect(approvalRefusal(approval({ rule }))).toContain('second person')
  expect(approvalRefusal(approval({ rule, approver: grace }))).toBeNull()
  expect(approvalRefusal(approval({ rule, approver: { type: 'key', id: 'ada' } }))).toBeNull()
})
