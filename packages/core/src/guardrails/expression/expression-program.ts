import { celError, isCelError, plan } from '@bufbuild/cel'
import { type ExpressionProblem, readExpression } from './expression-check.ts'
import { bindingsOf, type ExpressionFacts } from './expression-facts.ts'
import { beginEvaluation, environment, ownReasonOf } from './expression-functions.ts'
import { childrenOf, type Expr } from './expression-node.ts'

/** An expression that cannot be evaluated decides nothing. The message names no part of the content. */
export type ExpressionOutcome = { kind: 'done'; value: boolean } | { kind: 'error'; message: string }

export type Program = (facts: Partial<ExpressionFacts>) => ExpressionOutcome

export type CompiledExpression = { kind: 'problems'; problems: ExpressionProblem[] } | { kind: 'program'; run: Program }

export const compileExpression = (source: string): CompiledExpression => {
  const checked = readExpression(source)
  if (checked.kind === 'problems') return checked
  fence(checked.expr)
  const evaluate = plan(environment, checked.expr)
  const run: Program = (facts) => {
    beginEvaluation()
    const result = withoutStacks(() => {
      try {
        return evaluate(bindingsOf(facts))
      } catch (error) {
        return celError(error)
      }
    })
    if (typeof result === 'boolean') return { kind: 'done', value: result }
    if (!isCelError(result)) return failed('it answered something other than true or false')
    const position = checked.positionOf(result.exprId)
    return failed(`${reasonOf(result)}${position === undefined ? '' : ` (at character ${position + 1})`}`)
  }
  return { kind: 'program', run }
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

const failed = (reason: string): ExpressionOutcome => ({
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
