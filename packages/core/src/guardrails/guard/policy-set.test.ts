import { expect, test } from 'vitest'
import type { Rule } from '../rule.ts'
import { type PolicySet, policyKey, rulesOf, type SetEntry } from './policy-set.ts'

const scope = { agentId: 'agent', keyId: 'key' }
const rule = (id: string, action: Rule['action']): Rule => ({
  id,
  action,
  stages: ['output'],
  check: 'max_length',
  params: { chars: 1 },
})
const entry = (policy_id: string, more: Partial<SetEntry> = {}): SetEntry => ({
  policy_id,
  version: 1,
  mode: 'enforce',
  shadow_until: null,
  subject_type: 'organisation',
  subject_id: 'org',
  new_runs_only: false,
  ...more,
})
const setOf = (id: string, ...policies: [SetEntry, Rule[]][]): PolicySet => ({
  id,
  entries: policies.map(([each]) => each),
  policies: new Map(policies.map(([each, rules]) => [policyKey(each), rules])),
})
const namesOf = (pinned: PolicySet | null, current: PolicySet | null) =>
  rulesOf({ pinned, current }, scope).map(({ policyId, policyVersion, id }) => `${policyId}/${policyVersion}/${id}`)

test('the rules of the organisation, the agent and the key count, and no others', () => {
  const set = setOf(
    's',
    [entry('a'), [rule('r', 'flag')]],
    [entry('b', { subject_type: 'agent', subject_id: 'agent' }), [rule('r', 'flag')]],
    [entry('c', { subject_type: 'agent', subject_id: 'other' }), [rule('r', 'flag')]],
    [entry('d', { subject_type: 'api_key', subject_id: 'key' }), [rule('r', 'flag')]],
    [entry('e', { subject_type: 'api_key', subject_id: 'other' }), [rule('r', 'flag')]],
  )
  expect(namesOf(set, set)).toEqual(['a/1/r', 'b/1/r', 'd/1/r'])
})

test('a run under way keeps its rules, and gets new ones that forbid or ask', () => {
  const pinned = setOf('old', [entry('a'), [rule('hide', 'redact'), rule('old', 'block')]])
  const rules = [rule('hide', 'redact'), rule('new', 'block'), rule('ask', 'require_approval'), rule('mark', 'flag')]
  const current = setOf('new', [entry('a', { version: 2 }), rules])
  expect(namesOf(pinned, current)).toEqual(['a/1/hide', 'a/1/old', 'a/2/new', 'a/2/ask'])
})

test('a policy for new runs only does not reach a run under way', () => {
  const current = setOf('new', [entry('a', { new_runs_only: true }), [rule('new', 'block')]])
  expect(namesOf(null, current)).toEqual([])
  expect(namesOf(current, current)).toEqual(['a/1/new'])
})

test('a rule that is attached twice counts once, and is enforced if it is so anywhere', () => {
  const shadow = entry('a', { mode: 'shadow', subject_type: 'agent', subject_id: 'agent' })
  const set = setOf('s', [shadow, [rule('r', 'block')]], [entry('a'), [rule('r', 'block')]])
  expect(rulesOf({ pinned: set, current: set }, scope)).toMatchObject([{ id: 'r', enforced: true }])
})
