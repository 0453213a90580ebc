import { rememberRecent } from '@ars/platform/recent'
import type { TaskHandlers } from '@ars/platform/thread'
import { checkExpression, type ExpressionProblem } from './expression-check.ts'
import type { ExpressionFacts } from './expression-facts.ts'
import { compileExpression, type ExpressionOutcome } from './expression-program.ts'

/** The facts are a JSON text: it is cheaper to hand over than objects. Without facts the expression is only checked. */
export type ExpressionTask = { source: string; facts?: string }

export type ExpressionResult = { problems: ExpressionProblem[] } | { outcome: ExpressionOutcome }

// About 100 KB each at most.
const maxPrograms = 200

/** What the threads of the pool do for expressions. */
export const expressionTasks = (): TaskHandlers => {
  const programOf = rememberRecent(maxPrograms, compileExpression)
  // The first expression pays for the parser otherwise.
  programOf('hour > 1 || text.matches("a")')

  return {
    'expressions.evaluate': (payload): ExpressionResult => {
      const { source, facts } = payload as ExpressionTask
      if (facts === undefined) return checkExpression(source)
      const program = programOf(source)
      if (program.kind === 'problems') return { outcome: { kind: 'error', message: 'The expression is not valid' } }
      return { outcome: program.run(JSON.parse(facts) as Partial<ExpressionFacts>) }
    },
  }
}
