import type { Variables } from '../../expressions/index.ts'
import type { Facts } from '../rule.ts'

/** What an expression is evaluated on: the facts, what is judged, and its text. */
export type ExpressionFacts = Facts & { content: unknown; text: string }

const text = { kind: 'string' } as const
const whole = { kind: 'int' } as const
const anything = { kind: 'dyn' } as const

/** The types of `ExpressionFacts`, for the checker. */
const variables: Readonly<Record<keyof ExpressionFacts, Variables[string]>> = {
  stage: text,
  agent: { kind: 'object', fields: { id: text, version: whole } },
  key: text,
  tool: { kind: 'object', fields: { name: text, args: anything } },
  spend: { kind: 'object', fields: { run_usd: { kind: 'double' } } },
  findings: { kind: 'list', of: text },
  hour: whole,
  content: anything,
  text,
}

/** The expression of a rule answers whether the rule is broken. */
export const ruleExpression = (source: string) => ({ source, variables, wanted: 'bool' }) as const
