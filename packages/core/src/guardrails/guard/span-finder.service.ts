import { rememberRecent } from '@ars/platform/recent'
import type { ThreadPool } from '@ars/platform/thread-pool'
import { compileSpanCheck } from '../check/compile.service.ts'
import type { CheckOfRule } from '../rule.ts'
import type { CheckResult, JudgeDeps } from './judge.service.ts'
import { findIn, type SpanTask } from './span-task.service.ts'

/** Our own checks of a text up to this length take a few milliseconds at most, so they need no thread. */
const maxInlineChars = 10_240
const cpuLimits = { baseMs: 200, perMibMs: 2_000 } as const
const maxKnown = 500

/**
 * Finds pieces of text. Patterns of customers always run in a thread, and so does everything on a long text: no text of one
 * organisation holds up another.
 */
export const createSpanFinder = ({ threads }: { threads: Pick<ThreadPool, 'run'> }): JudgeDeps['findSpans'] => {
  const compiled = rememberRecent(maxKnown, (check) => compileSpanCheck(JSON.parse(check) as CheckOfRule))

  const inThread = async (org: string, checks: readonly CheckOfRule[], text: string): Promise<CheckResult[]> => {
    const payload: SpanTask = { checks: `[${checks.map(jsonOf).join(',')}]`, text }
    const bytes = 2 * (payload.checks.length + text.length)
    const maxCpuMs = Math.ceil(cpuLimits.baseMs + (text.length / 1_048_576) * cpuLimits.perMibMs)
    const outcome = await threads.run({ owner: org, kind: 'guardrails.spans', payload, bytes, maxCpuMs })
    if (outcome.kind === 'done') return outcome.result as CheckResult[]
    const message = outcome.kind === 'busy' ? 'Too many checks wait' : 'It takes too long'
    return checks.map(() => ({ kind: 'error', message }))
  }

  return async (org, checks, text) => {
    const isInline = ({ check }: CheckOfRule) => check !== 'regex' && text.length <= maxInlineChars
    const outside = checks.filter((check) => !isInline(check))
    const results = outside.length === 0 ? [] : await inThread(org, outside, text)
    return checks.map((check) =>
      isInline(check) ? findIn(compiled(jsonOf(check)), text) : (results[outside.indexOf(check)] ?? unmade),
    )
  }
}

/** A rule without the parts that no check needs: rules with equal checks share one. */
const jsonOf = ({ check, params }: CheckOfRule): string => JSON.stringify({ check, params })

const unmade: CheckResult = { kind: 'error', message: 'The check has no result' }
