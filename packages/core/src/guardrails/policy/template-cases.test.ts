import { systemClock } from '@ars/platform/clock'
import { expect, test } from 'vitest'
import { checksWithoutThreads } from '../../../test/content-checks.ts'
import { templateCorpora } from '../check/template-corpus.fixture.ts'
import { createGuardMaker } from '../guard/guards.service.ts'
import type { Rule } from '../rule.ts'
import { templates } from './template.ts'
import { type TemplateCase, templateCases } from './template-cases.fixture.ts'
import { getTemplate, rulesOfTemplate } from './template-params.ts'

const org = '01890a5d-ac96-774b-bcce-b302099a8057'
const open = createGuardMaker({
  clock: systemClock,
  checkContent: checksWithoutThreads,
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
