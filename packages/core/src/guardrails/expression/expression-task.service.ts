import type { TaskHandlers } from '@ars/platform/thread'
import { checkExpression, type ExpressionProblem } from '../../expressions/index.ts'
import { ruleExpression } from './expression-facts.ts'

export type ExpressionTask = { source: string }

/** What the threads of the pool do for the expressions of rules that are saved. */
export const expressionTasks = (): TaskHandlers => {
  // The first expression pays for the parser otherwise.
  checkExpression(ruleExpression('hour > 1 || text.matches("a")'))

  return {
    'expressions.check': (payload): ExpressionProblem[] =>
      checkExpression(ruleExpression((payload as ExpressionTask).source)).problems,
  }
}
