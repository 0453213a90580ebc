import { rememberRecent } from '@ars/platform/recent'
import type { TaskHandlers } from '@ars/platform/thread'
import { checkExpression, compileExpression, type ExpressionProblem } from '../../expressions/index.ts'
import { type ExpressionFacts, ruleExpression } from './expression-facts.ts'

/** The facts are a JSON text: it is cheaper to hand over than objects. Without facts the expression is only checked. */
export type ExpressionTask = { source: string; facts?: string }

/** An expression that cannot be evaluated decides nothing. The message names no part of the content. */
export type ExpressionOutcome = { kind: 'done'; value: boolean } | { kind: 'error'; message: string }

export type ExpressionResult = { problems: ExpressionProblem[] } | { outcome: ExpressionOutcome }

// About 100 KB each at most.
const maxPrograms = 200

/** What the threads of the pool do for the expressions of rules. */
export const expressionTasks = (): TaskHandlers => {
  const programOf = rememberRecent(maxPrograms, (source) => compileExpression(ruleExpression(source)))
  // The first expression pays for the parser otherwise.
  programOf('hour > 1 || text.matches("a")')

  return {
    'expressions.evaluate': (payload): ExpressionResult => {
      const { source, facts } = payload as ExpressionTask
      if (facts === undefined) return { problems: checkExpression(ruleExpression(source)).problems }
      const program = programOf(source)
      if (program.kind === 'problems') return { outcome: { kind: 'error', message: 'The expression is not valid' } }
      const outcome = program.run(JSON.parse(facts) as Partial<ExpressionFacts>)
      return { outcome: outcome.kind === 'done' ? { kind: 'done', value: outcome.value === true } : outcome }
    },
  }
}
