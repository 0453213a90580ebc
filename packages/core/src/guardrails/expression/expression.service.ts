import type { TaskOutcome, ThreadPool } from '@ars/platform/thread-pool'
import type { ExpressionProblem } from '../../expressions/index.ts'
import { Fault } from '../../fault.ts'
import { guardrailsBounds } from '../bounds.ts'
import type { ExpressionTask } from './expression-task.service.ts'

/**
 * Checks the expressions of customers in the threads of the pool. It may not be called while a transaction is open: it can wait for a
 * thread.
 */
export type Expressions = {
  /** The problems of the expression. An empty list: it can be saved. Too many waiting checks are 503 `unavailable`. */
  check(org: string, source: string): Promise<ExpressionProblem[]>
}

const maxCpuMs = guardrailsBounds.expressionCheckCpu.ms

export const createExpressions = ({ threads }: { threads: Pick<ThreadPool, 'run'> }): Expressions => ({
  check: async (org, source) => {
    const payload: ExpressionTask = { source }
    const bytes = 2 * source.length
    const outcome = await threads.run({ owner: org, kind: 'expressions.check', payload, bytes, maxCpuMs })
    if (outcome.kind === 'busy') {
      throw new Fault('unavailable', 'The service has too many expressions to check just now', {
        reason: 'shed',
        retryAfterSeconds: 1,
      })
    }
    if (outcome.kind !== 'done') return [{ message: `Checking the expression ${wordOf(outcome)}`, position: 0 }]
    return outcome.result as ExpressionProblem[]
  },
})

const wordOf = ({ kind }: Extract<TaskOutcome, { kind: 'out_of_time' | 'out_of_memory' }>): string =>
  kind === 'out_of_memory' ? 'needs too much memory' : 'takes too much CPU time'
