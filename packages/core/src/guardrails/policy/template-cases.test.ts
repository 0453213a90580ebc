import { systemClock } from '@ars/platform/clock'
import { expect, test } from 'vitest'
import { compileExpression } from '../../expressions/index.ts'
import { createValidator } from '../../schemas/index.ts'
import { templateCorpora } from '../check/template-corpus.fixture.ts'
import { ruleExpression } from '../expression/expression-facts.ts'
import { createGuardMaker } from '../guard/guards.service.ts'
import type { Rule } from '../rule.ts'
import { templates } from './template.ts'
import { type TemplateCase, templateCases } from './template-cases.fixture.ts'
import { getTemplate, rulesOfTemplate } from './template-params.ts'

const org = '01890a5d-ac96-774b-bcce-b302099a8057'
const validator = createValidator()

// What a process does in threads, done here: the compiled code is the same.
const open = createGuardMaker({
  clock: systemClock,
  schemas: { check: async (_, schema, value) => validator.faultsOf(schema, value).map(({ message }) => message) },
  findSpans: () => Promise.reject(new Error('no rule of these templates finds pieces')),
  evaluate: async (_, expression, facts) => {
    const compiled = compileExpression(ruleExpression(expression))
    if (compiled.kind === 'problems') throw new Error(JSON.stringify(compiled.problems))
    const outcome = compiled.run(facts)
    if (outcome.kind === 'error') return outcome
    return outcome.value ? { kind: 'violation', reason: '' } : { kind: 'pass' }
  },
  judgeRemotely: () => Promise.reject(new Error('no rule of these templates asks another program')),
})

const guardOf = (key: string, params: Record<string, unknown>) => {
  const { rules } = rulesOfTemplate(getTemplate(key), params)
  const inForce = { policyId: org, policyVersion: 1, enforced: true, shadowUntil: null }
  return open(
    {
      org,
      agent: { id: org, version: 1 },
      key: null,
      tokens: { tokensFor: () => Promise.resolve([]) },
      note: () => undefined,
    },
    rules.map((rule) => ({ ...(rule as Rule), ...inForce })),
  )
}

test('each of the ten templates has a corpus', () => {
  expect([...Object.keys(templateCorpora), ...Object.keys(templateCases)].toSorted()).toEqual(
    templates.map(({ key }) => key).toSorted(),
  )
})

for (const [key, { params, verdict, forbidden, allowed }] of Object.entries(templateCases)) {
  const guard = guardOf(key, params)
  const kindOf = async ({ stage, content, tool, spentUsd }: TemplateCase) =>
    (await guard.check(stage, content, { tool, spentUsd })).kind

  test.for(forbidden)(`the template ${key} stops $says`, async (each) => {
    expect(await kindOf(each)).toBe(verdict)
  })

  test.for(allowed)(`the template ${key} lets pass $says`, async (each) => {
    expect(await kindOf(each)).toBe('pass')
  })
}
