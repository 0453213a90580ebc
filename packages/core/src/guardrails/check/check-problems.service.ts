import type { ThreadPool } from '@ars/platform/thread-pool'
import { Fault } from '../../fault.ts'
import { guardrailsBounds } from '../bounds.ts'
import type { CheckOfRule } from '../rule.ts'
import type { CheckProblem } from './check-problem.service.ts'

/** For all rules of a policy together. */
const maxCpuMs = guardrailsBounds.policyCheckCpu.ms

/**
 * The problems of each check: patterns are compiled for it, so it is done in a thread. Too many waiting checks are 503 `unavailable`.
 */
export const findCheckProblems = async (
  threads: Pick<ThreadPool, 'run'>,
  org: string,
  rules: readonly CheckOfRule[],
): Promise<CheckProblem[][]> => {
  if (rules.every(({ check }) => !hasParams.has(check))) return []
  const payload = JSON.stringify(rules.map(({ check, params }) => ({ check, params })))
  const outcome = await threads.run({
    owner: org,
    kind: 'guardrails.problems',
    payload,
    bytes: 2 * payload.length,
    maxCpuMs,
  })
  if (outcome.kind === 'busy') {
    throw new Fault('unavailable', 'The service has too many rules to check just now', {
      reason: 'shed',
      retryAfterSeconds: 1,
    })
  }
  if (outcome.kind === 'done') return outcome.result as CheckProblem[][]
  return [[{ path: 'params', message: 'takes too much CPU time to check, together with the other rules' }]]
}

const hasParams: ReadonlySet<string> = new Set(['regex', 'keywords', 'url_allow', 'pii'])
