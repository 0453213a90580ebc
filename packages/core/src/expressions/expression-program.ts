import { type CelValue, celError, isCelError, isCelList, plan } from '@bufbuild/cel'
import {
  type DeclaredExpression,
  type ExpressionProblem,
  expressionLimits,
  readExpression,
  type WantedKind,
} from './expression-check.ts'
import { beginEvaluation, environment, gaveUp, ownReasonOf } from './expression-functions.ts'
import { childrenOf, type Expr } from './expression-node.ts'
import { bindingsOf, type ExpressionValue, jsonOf } from './expression-value.ts'

/** An expression that cannot be evaluated decides nothing. The message names no part of the content. */
export type Evaluated = { kind: 'done'; value: ExpressionValue } | { kind: 'error'; message: string }

/** Variables that the expression does not name may be missing. The answer is what the expression was compiled for. */
export type Program = (values: Readonly<Record<string, unknown>>, maxChars?: number) => Evaluated

export type CompiledExpression = { kind: 'problems'; problems: ExpressionProblem[] } | { kind: 'program'; run: Program }

export const compileExpression = (expression: DeclaredExpression): CompiledExpression => {
  const { variables, wanted } = expression
  const checked = readExpression(expression)
  if (checked.kind === 'problems') return { kind: 'problems', problems: checked.problems }
  fence(checked.expr)
  const evaluate = plan(environment, checked.expr)
  const run: Program = (values, maxChars = expressionLimits.resultChars) => {
    beginEvaluation()
    const result = withoutStacks(() => {
      try {
        const answer = evaluate(bindingsOf(values, variables))
        return isCelError(answer) ? answer : { value: jsonOf(checkedFor(wanted, answer), maxChars) }
      } catch (error) {
        return celError(error)
      }
    })
    if (!isCelError(result)) return { kind: 'done', value: result.value }
    const position = checked.positionOf(result.exprId)
    return failed(`${reasonOf(result)}${position === undefined ? '' : ` (at character ${position + 1})`}`)
  }
  return { kind: 'program', run }
}

const checkedFor = (wanted: WantedKind, answer: CelValue): CelValue => {
  if (wanted === 'bool' && typeof answer !== 'boolean') throw gaveUp('it answered something other than true or false')
  if (wanted === 'list' && !isCelList(answer)) throw gaveUp('it answered something other than a list')
  return answer
}

// A loop goes on after an error, and collecting the stack of each takes longer than everything else.
const withoutStacks = <Result>(work: () => Result): Result => {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return work()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

const failed = (reason: string): Evaluated => ({
  kind: 'error',
  message: `The expression could not be evaluated: ${reason}`,
})

// The library's messages quote values, and a value is part of what is judged.
const reasonOf = (error: Error): string => {
  const known = reasons.find(({ says }) => says.test(error.message))
  return ownReasonOf(error) ?? known?.reason ?? 'a value cannot be used like this'
}

const reasons: readonly { says: RegExp; reason: string }[] = [
  { says: /^field not found|^no such key|^unresolved attribute/, reason: 'a field is missing' },
  { says: /^index .*out of|out of range|out of bounds/, reason: 'a list has no such place' },
  { says: /^found no matching overload|^type mismatch/, reason: 'a value has the wrong type' },
  { says: /divide by zero|modulus by zero/, reason: 'a division by zero' },
  { says: /overflow/, reason: 'a number is too large' },
  { says: /Maximum call stack/, reason: 'a value is nested too deeply' },
]

/**
 * Counts the elements of each loop before it begins, and lets `map` and `filter` append to their own list: the library
 * chains one list per element, which overflows the stack at a few thousand.
 */
const fence = (expr: Expr): void => {
  const { exprKind } = expr
  for (const child of childrenOf(expr)) fence(child)
  if (exprKind.case !== 'comprehensionExpr') return
  const loop = exprKind.value
  if (loop.iterRange) loop.iterRange = callOf(loop.iterRange, '@counted', [loop.iterRange])
  if (loop.accuInit?.exprKind.case !== 'listExpr') return
  loop.accuInit = callOf(loop.accuInit, '@list', [])
  const step = loop.loopStep?.exprKind.case === 'callExpr' ? loop.loopStep.exprKind.value : undefined
  const added = step?.function === '_?_:_' ? step.args[1]?.exprKind : loop.loopStep?.exprKind
  if (added?.case === 'callExpr') added.value.function = '@append'
}

const callOf = (at: Expr, name: string, args: Expr[]): Expr => ({
  ...at,
  exprKind: { case: 'callExpr', value: { $typeName: 'cel.expr.Expr.Call', function: name, args } },
})
