import type { TaskOutcome, ThreadPool } from '@ars/platform/thread-pool'
import type { ExpressionProblem } from '../../expressions/index.ts'
import { Fault } from '../../fault.ts'
import type { ExpressionFacts } from './expression-facts.ts'
import type { ExpressionOutcome, ExpressionResult, ExpressionTask } from './expression-task.service.ts'

/**
 * Checks and evaluates the expressions of customers in the threads of the pool. No method may be called while a
 * transaction is open: it can wait for a thread.
 */
export type Expressions = {
  /** The problems of the expression. An empty list: it can be saved. Too many waiting checks are 503 `unavailable`. */
  check(org: string, source: string): Promise<ExpressionProblem[]>
  /** Never rejects because of the expression or the facts: what cannot be evaluated is an error, and the caller decides. */
  evaluate(org: string, source: string, facts: ExpressionFacts): Promise<ExpressionOutcome>
}

export const expressionCpuLimits = {
  checkMs: 400,
  evaluateMs: 250,
  /** Added for each MiB of the facts. */
  evaluateMsPerMib: 400,
} as const

export const createExpressions = ({ threads }: { threads: Pick<ThreadPool, 'run'> }): Expressions => {
  const runTask = (org: string, payload: ExpressionTask, maxCpuMs: number): Promise<TaskOutcome> => {
    const bytes = 2 * (payload.source.length + (payload.facts?.length ?? 0))
    return threads.run({ owner: org, kind: 'expressions.evaluate', payload, bytes, maxCpuMs })
  }

  return {
    check: async (org, source) => {
      const outcome = await runTask(org, { source }, expressionCpuLimits.checkMs)
      if (outcome.kind === 'busy') {
        throw new Fault('unavailable', 'The service has too many expressions to check just now', {
          retryAfterSeconds: 1,
        })
      }
      if (outcome.kind !== 'done') return [{ message: `Checking the expression ${wordOf(outcome)}`, position: 0 }]
      const result = outcome.result as ExpressionResult
      return 'problems' in result ? result.problems : []
    },
    evaluate: async (org, source, given) => {
      const facts = textOf(namedIn(source, given))
      if (facts === undefined) return failed('its facts are nested too deeply')
      const { evaluateMs, evaluateMsPerMib } = expressionCpuLimits
      const maxCpuMs = Math.ceil(evaluateMs + (facts.length / 1_048_576) * evaluateMsPerMib)
      const outcome = await runTask(org, { source, facts }, maxCpuMs)
      if (outcome.kind === 'busy') return failed('the service has too much to compute just now')
      if (outcome.kind !== 'done') return failed(`it ${wordOf(outcome)}`)
      const result = outcome.result as ExpressionResult
      return 'outcome' in result ? result.outcome : failed('it is not valid')
    },
  }
}

const failed = (reason: string): ExpressionOutcome => ({
  kind: 'error',
  message: `The expression could not be evaluated: ${reason}`,
})

const wordOf = ({ kind }: Extract<TaskOutcome, { kind: 'out_of_time' | 'out_of_memory' }>): string =>
  kind === 'out_of_memory' ? 'needs too much memory' : 'takes too much CPU time'

/** Only the variables whose name occurs in the expression: a large text is not copied for a rule about the hour. */
const namedIn = (source: string, facts: ExpressionFacts): Partial<ExpressionFacts> =>
  Object.fromEntries(Object.entries(facts).filter(([name]) => source.includes(name)))

/** Undefined: too deep to be written as text. */
const textOf = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof RangeError) return
    throw error
  }
}
