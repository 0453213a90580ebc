import { expect, test } from 'vitest'
import { getTemplate, rulesOfTemplate } from '../policy/template-params.ts'
import type { CheckOfRule } from '../rule.ts'
import { problemsOfCheck } from './check-problem.service.ts'
import { compileSpanCheck } from './compile.service.ts'
import { templateCorpora } from './template-corpus.fixture.ts'

const spanChecks = ['pii', 'secrets', 'keywords', 'url_allow']

for (const [key, { params, forbidden, allowed }] of Object.entries(templateCorpora)) {
  const rules = rulesOfTemplate(getTemplate(key), params).rules.filter(({ check }) => spanChecks.includes(check))
  const checks = rules.map((rule) => compileSpanCheck(rule as CheckOfRule))
  const isFound = (text: string): boolean => checks.some((check) => check.find(text).length > 0)

  test(`the rules of the template ${key} have no problem`, () => {
    expect(rules.flatMap((rule) => problemsOfCheck(rule as CheckOfRule))).toEqual([])
  })

  test.for(forbidden)(`the template ${key} finds something in %s`, (text) => {
    expect(isFound(text)).toBe(true)
  })

  test.for(allowed)(`the template ${key} finds nothing in %s`, (text) => {
    expect(isFound(text)).toBe(false)
  })
}
