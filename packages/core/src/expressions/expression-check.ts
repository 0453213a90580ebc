import { parse } from '@bufbuild/cel'
import { RE2JS } from 're2js'
import { expressionsBounds } from './bounds.ts'
import { type Expr, nodesOf } from './expression-node.ts'
import { type ExpressionReference, referencesIn } from './expression-reference.ts'
import type { Type, Variables } from './expression-type.ts'
import { typeOf } from './expression-typing.ts'

/** An expression with what it may read and what it must answer. `any` is any JSON value. */
export type DeclaredExpression = { source: string; variables: Variables; wanted: WantedKind }

export type WantedKind = 'bool' | 'list' | 'any'

/** `position` counts characters (UTF-16) from 0. */
export type ExpressionProblem = { message: string; position: number }

export const expressionLimits = {
  chars: expressionsBounds.expression.chars,
  nodes: expressionsBounds.nodes.count,
  /** Loops (`exists`, `all`, `map`, `filter` …) inside of each other. */
  loopDepth: expressionsBounds.loopDepth.count,
  /** Of one list that a loop goes over, and of one list that `+` makes. */
  elements: expressionsBounds.elements.count,
  /** Of all loops of one evaluation. */
  elementsInAll: expressionsBounds.elementsInAll.count,
  /** Of one string that `+` makes. */
  textChars: expressionsBounds.text.chars,
  /** That one evaluation makes or searches. */
  textCharsInAll: expressionsBounds.textInAll.chars,
  /** Of the answer as JSON. */
  resultChars: expressionsBounds.result.chars,
} as const

export type CheckedExpression =
  | ({ kind: 'problems'; problems: ExpressionProblem[] } & (ParsedExpression | { expr?: never }))
  | ({ kind: 'checked' } & ParsedExpression)

type ParsedExpression = { expr: Expr; positionOf: PositionOf }

type PositionOf = (id: bigint | undefined) => number | undefined

/** `references`: the fields that the expression reads by name, as long as names follow each other. */
export type ExpressionReport = { problems: ExpressionProblem[]; references: ExpressionReference[] }

/** Says what is wrong with an expression, with its position. No problems: it can be evaluated. */
export const checkExpression = (expression: DeclaredExpression): ExpressionReport => {
  const checked = readExpression(expression)
  const references = checked.expr ? referencesIn(checked.expr, checked.positionOf) : []
  return { problems: checked.kind === 'problems' ? checked.problems : [], references }
}

/** Parses the expression and checks its size and its types. */
export const readExpression = ({ source, variables, wanted }: DeclaredExpression): CheckedExpression => {
  const refused = (message: string, position: number): CheckedExpression => ({
    kind: 'problems',
    problems: [{ message, position }],
  })
  const { chars, nodes } = expressionLimits
  if (source.length > chars) return refused(`An expression has at most ${chars} characters`, chars)
  let parsed: ReturnType<typeof parse>
  try {
    parsed = parse(source)
  } catch (error) {
    return refused(sentenceOf(error), offsetOf(error) ?? 0)
  }
  const { expr, sourceInfo } = parsed
  const positionOf: PositionOf = (id) => {
    const offset = sourceInfo?.positions[String(id)]
    // The parser counts the space before an operator to it.
    return offset === undefined ? undefined : offset + source.slice(offset).search(/\S|$/)
  }
  const size = nodesOf(expr)
  if (size > nodes) return refused(`The expression has ${size} nodes; at most ${nodes} are allowed`, 0)
  const problems: ExpressionProblem[] = []
  const note = ({ id }: Expr, message: string): void => void problems.push({ message, position: positionOf(id) ?? 0 })
  const type = typeOf(expr, { note, patternProblem, loopDepth: expressionLimits.loopDepth, variables })
  if (problems.length === 0 && !isWanted(type, wanted)) problems.push({ message: wantedWords[wanted], position: 0 })
  return problems.length > 0 ? { kind: 'problems', problems, expr, positionOf } : { kind: 'checked', expr, positionOf }
}

const isWanted = ({ kind }: Type, wanted: WantedKind): boolean =>
  wanted === 'any' ? kind !== 'type' : kind === wanted || kind === 'dyn'

const wantedWords: Readonly<Record<WantedKind, string>> = {
  bool: 'The expression must answer true or false',
  list: 'The expression must answer a list',
  any: 'The expression answers a type, which is no JSON value',
}

/** Null: the pattern can be used. */
const patternProblem = (pattern: string): string | null => {
  try {
    RE2JS.compile(pattern)
    return null
  } catch (error) {
    return `The pattern cannot be used: ${error instanceof Error ? error.message : 'unknown'}`.slice(0, 300)
  }
}

const sentenceOf = (error: unknown): string => {
  if (error instanceof RangeError) return 'The expression is nested too deeply'
  const message = error instanceof Error ? error.message : 'unknown'
  return `The expression cannot be read: ${message.replace(/^<input>:\d+:\d+: /, '')}`.slice(0, 300)
}

const offsetOf = (error: unknown): number | undefined => {
  const { location } = (error ?? {}) as { location?: { start?: { offset?: number } } }
  return location?.start?.offset
}
