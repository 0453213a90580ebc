import { sendingChecks } from '@ars/contract'
import { expect, test } from 'vitest'
import { checkExpression } from '../../expressions/index.ts'
import { guardrailsBounds } from '../bounds.ts'
import { ruleExpression } from '../expression/expression-facts.ts'
import { templates } from './template.ts'
import { getTemplate, rulesOfTemplate, toWireTemplate } from './template-params.ts'

const required: Record<string, Record<string, unknown>> = {
  'tool-allow-list': { tools: ['search', 'say "hi"'] },
  'approval-above-amount': { limit: 99.5, field: 'payment.amount' },
  'url-allow-list': { hosts: ['example.com', '*.example.org'] },
  'topic-deny': { words: ['medicine'], model: 'openai/gpt-5', topics: 'health' },
}

test('there are ten templates, each with parameters, a description and its rules in words', () => {
  expect(templates.map(({ key }) => key)).toHaveLength(10)
  for (const template of templates) {
    const { params, description, rules } = toWireTemplate(template)
    expect(description).toMatch(/^[A-Z].*\.$/)
    expect(rules.length).toBeGreaterThan(0)
    expect(params.filter((param) => param.required).map(({ name }) => name)).toEqual(
      template.params.filter((param) => param.default === undefined).map(({ name }) => name),
    )
  }
})

test.each(templates.map(({ key }) => key))('%s makes rules that fit the contract', (key) => {
  const { rules, params } = rulesOfTemplate(getTemplate(key), required[key] ?? {})
  expect(rules.length).toBeGreaterThan(0)
  expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length)
  expect(Object.keys(params)).toEqual(getTemplate(key).params.map(({ name }) => name))
})

test('texts and numbers in an expression are literals', () => {
  const expressionOf = (key: string) => {
    const [rule] = rulesOfTemplate(getTemplate(key), required[key] ?? {}).rules
    return rule?.check === 'expression' ? rule.params.expression : null
  }
  expect(expressionOf('tool-allow-list')).toBe('!(tool.name in ["search", "say \\"hi\\""])')
  expect(expressionOf('approval-above-amount')).toBe(
    'has(tool.args.payment) && has(tool.args.payment.amount) && tool.args.payment.amount > 99.5',
  )
  expect(expressionOf('cost-cap')).toBe('spend.run_usd >= 5.0')
})

test.each(templates.map(({ key }) => key))('the expressions of %s can be saved', (key) => {
  const { rules } = rulesOfTemplate(getTemplate(key), required[key] ?? {})
  const sources = rules.flatMap((rule) => (rule.check === 'expression' ? [rule.params.expression] : []))
  expect(sources.flatMap((source) => checkExpression(ruleExpression(source)).problems)).toEqual([])
})

test('with a model a template has one more rule', () => {
  const rulesOf = (params: Record<string, unknown>) =>
    rulesOfTemplate(getTemplate('prompt-injection-flag'), params).rules.map(({ check }) => check)
  expect([rulesOf({}), rulesOf({ model: 'openai/gpt-5' })]).toEqual([['keywords'], ['keywords', 'model']])
})

test.each(templates.map(({ key }) => key))('%s sends content of runs only if it is given a model', (key) => {
  const { model: _, ...params } = required[key] ?? {}
  const sending: readonly string[] = sendingChecks
  const { rules } = rulesOfTemplate(getTemplate(key), params)
  expect(rules.filter(({ check }) => sending.includes(check))).toEqual([])
})

test('the parameters of a template have the bounds of their rows', () => {
  const { paramItems, paramItem, paramText, paramNumber } = guardrailsBounds
  /** The words of a refusal by the bounds of parameters. Other words are of the bounds of a rule. */
  const refusal = (key: string, params: Record<string, unknown>): string | undefined => {
    try {
      rulesOfTemplate(getTemplate(key), { ...required[key], ...params })
    } catch (error) {
      return /must be (?:a list|a text|a number) .*$/.exec(String(error))?.[0]
    }
  }
  const tools = (count: number, chars: number) =>
    refusal('tool-allow-list', { tools: Array.from({ length: count }, () => 'x'.repeat(chars)) })
  const listed = `must be a list of 1 to ${paramItems.count} texts of 1 to ${paramItem.chars} characters`
  expect([tools(paramItems.count, 1), tools(paramItems.count + 1, 1)]).toEqual([undefined, listed])
  expect([tools(1, paramItem.chars), tools(1, paramItem.chars + 1)]).toEqual([undefined, listed])
  const topics = (chars: number) => refusal('topic-deny', { topics: 'x'.repeat(chars) })
  const written = `must be a text of 1 to ${paramText.chars} characters`
  expect([topics(paramText.chars), topics(paramText.chars + 1)]).toEqual([undefined, written])
  const limit = (value: number) => refusal('approval-above-amount', { limit: value })
  const counted = `must be a number from 0 to ${paramNumber.count}`
  expect([limit(paramNumber.count), limit(paramNumber.count + 1)]).toEqual([undefined, counted])
})
