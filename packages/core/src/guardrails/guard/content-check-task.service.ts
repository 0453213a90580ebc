import { ownCpuMs, type TaskHandlers } from '@ars/platform/thread'
import type { JsonSchema } from '../../schemas/index.ts'
import { guardrailsBounds } from '../bounds.ts'
import type { CheckOfRule, CheckResult } from '../rule.ts'
import { type CheckedContent, createContentChecker, keyOf } from './content-checker.service.ts'

/** JSON texts are cheaper to hand over than objects. `text` and `content` are there if a check reads them. */
export type ContentCheckTask = { checks: string; facts: string; text?: string; content?: string }

export type ContentCheckResult = { found: CheckResult[]; cpuMs: number }

const maxBytes = guardrailsBounds.compiledOfThread.bytes

/** The checks of one content, in the threads of the pool. */
export const contentCheckTasks = (hasFaults: (schema: JsonSchema, value: unknown) => boolean): TaskHandlers => {
  const checker = createContentChecker({ maxBytes, hasFaults })
  return {
    'guardrails.check': (payload): ContentCheckResult => {
      const began = ownCpuMs()
      const { checks, facts, text = '', content } = payload as ContentCheckTask
      const checked: CheckedContent = {
        text,
        facts: JSON.parse(facts) as CheckedContent['facts'],
        ...(content !== undefined && { content: JSON.parse(content) as unknown }),
      }
      const found = (JSON.parse(checks) as CheckOfRule[]).map((check) => checker(keyOf(check), checked))
      return { found, cpuMs: ownCpuMs() - began }
    },
  }
}
