import { systemClock } from '@ars/platform/clock'
import { expect, test } from 'vitest'
import { guardrailsBounds } from '../bounds.ts'
import type { Action, CheckResult, Finding } from '../rule.ts'
import { createGuardMaker } from './guards.service.ts'

const id = '01890a5d-ac96-774b-bcce-b302099a8057'
const ruleOf = (at: number, action: Action) => ({
  id: `rule_${at}`,
  stages: ['input' as const],
  action,
  check: 'secrets' as const,
  params: {},
  policyId: id,
  policyVersion: 1,
  enforced: true,
  shadowUntil: null,
})
const found: CheckResult = { kind: 'violation', reason: 'It has a key', spans: [{ start: 0, end: 1, kind: 'SECRET' }] }

test('the findings of one content that are stored are bounded, and those that act are among them', async () => {
  const noted: Finding[] = []
  const open = createGuardMaker({
    clock: systemClock,
    checkContent: async (_, checks) => checks.map(() => found),
    judgeRemotely: () => Promise.reject(new Error('no rule asks another program')),
  })
  const subject = {
    ...{ org: 'o', agent: { id, version: 1 }, key: null },
    tokens: { tokensFor: () => Promise.resolve([]) },
    note: (findings: readonly Finding[]) => void noted.push(...findings),
  }
  const rules = [...Array.from({ length: 300 }, (_, at) => ruleOf(at, 'flag')), ruleOf(300, 'block')]
  const verdict = await open(subject, rules).check('input', 'a')
  expect(verdict).toMatchObject({ kind: 'block', finding: { rule: 'rule_300' } })
  expect(noted).toHaveLength(guardrailsBounds.findingsNoted.count)
  expect(noted[0]).toMatchObject({ rule: 'rule_300', action: 'block' })
})
