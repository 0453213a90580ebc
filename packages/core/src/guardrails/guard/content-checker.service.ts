import { rememberRecent } from '@ars/platform/recent'
import { compileExpression } from '../../expressions/index.ts'
import type { JsonSchema } from '../../schemas/index.ts'
import { guardrailsBounds } from '../bounds.ts'
import { compileSpanCheck } from '../check/compile.service.ts'
import { type ExpressionFacts, ruleExpression } from '../expression/expression-facts.ts'
import type { CheckOfRule, CheckResult, SpanCheck } from '../rule.ts'
import { isSpanRule } from './policy-set.ts'

/** What checks see of one content. `content` is missing if it is nested too deeply to be handed to a thread. */
export type CheckedContent = { text: string; content?: unknown; facts: Omit<ExpressionFacts, 'content' | 'text'> }

/** Makes a check of one content. The key is `keyOf(rule)`. */
export type ContentChecker = (key: string, checked: CheckedContent) => CheckResult

type Options = {
  /** What the compiled checks may take of memory together. */
  maxBytes: number
  hasFaults(schema: JsonSchema, value: unknown): boolean
}

/** Compiles checks and remembers them. */
export const createContentChecker = ({ maxBytes, hasFaults }: Options): ContentChecker => {
  const compiled = rememberRecent({ max: maxCompiled, maxSize: maxBytes, sizeOf: bytesOf }, (key) =>
    compile(JSON.parse(key) as CheckOfRule, hasFaults),
  )
  return (key, checked) => compiled(key)(checked)
}

/** Rules with the same check have the same key. The parts that do not change the result are left out. */
export const keyOf = ({ check, params }: CheckOfRule): string => {
  const known = keys.get(params)
  if (known !== undefined) return known
  const key = JSON.stringify({ check, params: check === 'expression' ? { expression: params.expression } : params })
  keys.set(params, key)
  return key
}

// The rules of a set are kept, so their text is made once and not for each content.
const keys = new WeakMap<object, string>()

const maxCompiled = guardrailsBounds.compiledChecks.count

/** An upper bound of what a compiled check keeps in memory. The validators of schemas are bounded where they are kept. */
const bytesOf = (key: string): number => (key.startsWith('{"check":"keywords"') ? 40 : 4) * key.length + 60_000

const compile = (rule: CheckOfRule, hasFaults: Options['hasFaults']): ((checked: CheckedContent) => CheckResult) => {
  switch (rule.check) {
    case 'json_schema': {
      const { schema } = rule.params
      return (checked) => {
        const misfits = !('content' in checked) || hasFaults(schema, toValue(checked.content))
        return misfits ? { kind: 'violation', reason: 'It does not fit the JSON Schema' } : { kind: 'pass' }
      }
    }
    case 'expression':
      return compileRuleExpression(rule.params.expression)
    default: {
      const check = compileSpanCheck(rule)
      return ({ text }) => findIn(check, text)
    }
  }
}

const compileRuleExpression = (source: string): ((checked: CheckedContent) => CheckResult) => {
  const program = compileExpression(ruleExpression(source))
  if (program.kind === 'problems') return () => notEvaluated('it is not valid')
  return ({ text, facts, ...checked }) => {
    if (!('content' in checked) && source.includes('content')) return notEvaluated('its facts are nested too deeply')
    const outcome = program.run({ ...facts, text, content: checked.content })
    if (outcome.kind === 'error') return outcome
    return outcome.value === true ? { kind: 'violation', reason: '' } : { kind: 'pass' }
  }
}

const notEvaluated = (reason: string): CheckResult => ({
  kind: 'error',
  message: `The expression could not be evaluated: ${reason}`,
})

/** The text of a model that should be JSON is judged as the value that it spells. */
const toValue = (content: unknown): unknown => {
  if (typeof content !== 'string') return content
  try {
    return JSON.parse(content)
  } catch {
    return content
  }
}

const findIn = (check: SpanCheck, text: string): CheckResult => {
  const spans = check.find(text)
  return spans.length === 0 ? { kind: 'pass' } : { kind: 'violation', reason: check.reason, spans }
}

/** The names of the kinds that checks have found, for the expressions. */
export const kindsIn = (results: Iterable<CheckResult>): string[] => {
  const kinds = new Set<string>()
  for (const result of results) {
    if (result.kind === 'violation') for (const { kind } of result.spans ?? []) kinds.add(kind)
  }
  return [...kinds]
}

/**
 * Makes all checks here, first those that find pieces: expressions see what they have found. For threads and for tests; an event loop
 * makes small ones only.
 */
export const checkHere = (
  checker: ContentChecker,
  checks: readonly CheckOfRule[],
  { facts, ...checked }: CheckedContent,
): CheckResult[] => {
  const results = new Map<CheckOfRule, CheckResult>()
  const make = (wanted: readonly CheckOfRule[], given: CheckedContent): void => {
    for (const check of wanted) results.set(check, checker(keyOf(check), given))
  }
  make(checks.filter(isSpanRule), { ...checked, facts })
  const found = { ...checked, facts: { ...facts, findings: kindsIn(results.values()) } }
  make(
    checks.filter((check) => !isSpanRule(check)),
    found,
  )
  return checks.map((check) => results.get(check) as CheckResult)
}
