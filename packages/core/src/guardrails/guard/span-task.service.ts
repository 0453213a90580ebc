import { rememberRecent } from '@ars/platform/recent'
import type { TaskHandlers } from '@ars/platform/thread'
import { compileSpanCheck } from '../check/compile.service.ts'
import type { CheckOfRule, SpanCheck } from '../rule.ts'
import type { CheckResult } from './judge.service.ts'

/** JSON texts are cheaper to hand over than objects. */
export type SpanTask = { checks: string; text: string }

const maxKnownTexts = 200

/** The checks that find pieces, in the threads of the pool. */
export const spanTasks = (): TaskHandlers => {
  const compiled = rememberRecent(maxKnownTexts, (text) => (JSON.parse(text) as CheckOfRule[]).map(compileSpanCheck))
  return {
    'guardrails.spans': (payload): CheckResult[] => {
      const { checks, text } = payload as SpanTask
      return compiled(checks).map((check) => findIn(check, text))
    },
  }
}

export const findIn = (check: SpanCheck, text: string): CheckResult => {
  const spans = check.find(text)
  return spans.length === 0 ? { kind: 'pass' } : { kind: 'violation', reason: check.reason, spans }
}
