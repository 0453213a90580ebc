import type { TaskHandlers } from '@ars/platform/thread'
import type { CheckOfRule } from '../rule.ts'
import { type CheckProblem, problemsOfCheck } from './check-problem.service.ts'

/** The problems of each check. The payload is a JSON list of checks. */
export const checkProblemTasks = (): TaskHandlers => ({
  'guardrails.problems': (payload): CheckProblem[][] =>
    (JSON.parse(payload as string) as CheckOfRule[]).map(problemsOfCheck),
})
