import { systemClock } from '@ars/platform/clock'
import { createLog } from '@ars/platform/log/log'
import { createThreadPool } from '@ars/platform/thread-pool'
import { afterAll, expect, test } from 'vitest'
import { threadProgram } from '../../parts.ts'
import { guardrailsBounds } from '../bounds.ts'
import { createExpressions } from '../expression/expression.service.ts'
import { someFacts } from '../expression/expressions.fixture.ts'
import { createContentChecks } from './content-checks.service.ts'

const threads = createThreadPool({
  program: threadProgram,
  clock: systemClock,
  log: createLog({ level: 'silent' }),
  threads: 1,
  budget: { burstMs: 600_000, share: 1 },
  maxWaitMs: 60_000,
})
afterAll(() => threads.close())

const org = 'an organisation'
const expressions = createExpressions({ threads })
const checkContent = createContentChecks({ threads, clock: systemClock })
const evaluate = async (expression: string, { content, text, ...facts }: typeof someFacts) => {
  const rule = { check: 'expression', params: { expression, message: 'It acts' } } as const
  const [result] = await checkContent(org, [rule], { content, text, facts })
  return result
}

test('costly expressions end in bounded time, and the event loop goes on meanwhile', { timeout: 120_000 }, async () => {
  const list = Array.from({ length: 10_000 }, (_, at) => at)
  const text = 'a'.repeat(500_000)
  const hostile = [
    'content.all(x, content.all(y, content.size() + x + y > 0))',
    'content.map(x, content.map(y, [x, y])).size() > 0',
    'content.all(x, text.matches("(a|aa|aaa)*(a+)+b"))',
    'text.matches("((a{0,30}){0,30})b|(.*a){25}c")',
    'content.map(x, text + string(x)).all(x, x.contains("b"))',
    '[content].map(a, [a, a, a, a]).map(a, [a, a, a, a]).map(a, [a, a, a, a]).map(a, a == a)[0]',
  ]
  let latestMs = systemClock.monotonicMs()
  let longestMs = 0
  const heartbeat = setInterval(() => {
    const nowMs = systemClock.monotonicMs()
    longestMs = Math.max(longestMs, nowMs - latestMs)
    latestMs = nowMs
  }, 5)
  for (const source of hostile) {
    expect(await expressions.check(org, source)).toEqual([])
    const beganMs = systemClock.monotonicMs()
    const outcome = await evaluate(source, { ...someFacts, content: list, text })
    // CPU time is bounded; the rest is for a busy machine.
    expect(systemClock.monotonicMs() - beganMs).toBeLessThan(10 * guardrailsBounds.contentCpu.ms)
    expect(outcome?.kind === 'error' || outcome?.kind === 'pass' || source.includes('a == a')).toBe(true)
  }
  clearInterval(heartbeat)
  expect(longestMs).toBeLessThan(1_000)
  expect(await evaluate('hour == 13', someFacts)).toMatchObject({ kind: 'violation' })
})
