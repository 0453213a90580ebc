import type { TaskOutcome } from '@ars/platform/thread-pool'
import { fakeClock } from '@ars/testkit/clock'
import { expect, test } from 'vitest'
import { guardrailsBounds } from '../src/guardrails/bounds.ts'
import { createContentChecks } from '../src/guardrails/guard/content-checks.service.ts'
import { pipelinesBounds } from '../src/pipelines/bounds.ts'
import { createPipelineExpressions } from '../src/pipelines/pipeline-expressions.service.ts'

const mib = 1_048_576

/** A thread whose tasks need this much CPU, and that keeps what each of them was allowed. */
const threadsThatNeed = (cpuMs: number, result: unknown = []) => {
  const allowed: number[] = []
  const run = async ({ maxCpuMs }: { maxCpuMs: number }): Promise<TaskOutcome> => {
    allowed.push(maxCpuMs)
    return cpuMs > maxCpuMs ? { kind: 'out_of_time', progress: null } : { kind: 'done', result }
  }
  return { allowed, run }
}

const step = { key: 'a', agent_id: 'agt_any', when: 'input.a', input: '${{ input.a }}' }
const scopeOf = (chars: number) => ({ input: `{"a":"${'x'.repeat(chars)}"}`, steps: {} })

type Asked = (expressions: ReturnType<typeof createPipelineExpressions>, chars: number) => Promise<unknown>

test.each<[string, number, unknown, Asked, unknown]>([
  [
    'a definition has a problem (pipelinesBounds.checkCpu)',
    pipelinesBounds.checkCpu.ms,
    [],
    (own, chars) => own.check('o', { steps: [{ ...step, when: 'x'.repeat(chars) }] } as never, new Map()),
    [{ param: 'steps', message: expect.stringContaining('too much CPU time') }],
  ],
  [
    'a step fails before it opens (pipelinesBounds.openCpu)',
    pipelinesBounds.openCpu.ms,
    { kind: 'skip' },
    (own, chars) => own.open('o', step as never, scopeOf(chars) as never),
    { kind: 'fault', code: 'expression_failed', message: expect.stringContaining('too much CPU time') },
  ],
  [
    'a step fails before its input is there (pipelinesBounds.renderCpu)',
    pipelinesBounds.renderCpu.ms,
    { kind: 'rendered', json: '1' },
    (own, chars) => own.render('o', step.input, scopeOf(chars) as never),
    { kind: 'fault', code: 'expression_failed', message: expect.stringContaining('too much CPU time') },
  ],
])('beyond its CPU time, and pipelinesBounds.cpuOfMib for each MiB, %s', async (_, ms, result, ask, refusal) => {
  const withThreadsOf = (cpuMs: number, chars: number) =>
    ask(createPipelineExpressions({ threads: threadsThatNeed(cpuMs, result) }), chars)
  const { ms: ofMib } = pipelinesBounds.cpuOfMib
  expect(await withThreadsOf(ms, 10)).toEqual(result)
  expect(await withThreadsOf(ms + 2, 10)).toEqual(refusal)
  expect(await withThreadsOf(ms + ofMib, mib)).toEqual(result)
  expect(await withThreadsOf(ms + ofMib + 2, mib)).toEqual(refusal)
})

const asked = (chars: number) => ({ text: 'a'.repeat(chars), content: 'a', facts: {} }) as never
const words = (word: string) => ({ check: 'keywords', params: { words: [word], whole_words: false } }) as never
const schema = { check: 'json_schema', params: { schema: { type: 'string' } } } as never

test('a task of checks has the CPU time of guardrailsBounds.taskCpu or guardrailsBounds.taskCpuOfSchema, and guardrailsBounds.taskCpuOfMib for each MiB', async () => {
  const { taskCpu, taskCpuOfSchema, taskCpuOfMib } = guardrailsBounds
  const allowedFor = async (check: never, chars: number) => {
    const threads = threadsThatNeed(Number.POSITIVE_INFINITY)
    const [result] = await createContentChecks({ threads, clock: fakeClock() })('o', [check], asked(chars))
    expect(result).toEqual({ kind: 'error', message: 'It takes too long' })
    return threads.allowed
  }
  expect(await allowedFor(words('b'), mib)).toEqual([taskCpu.ms + taskCpuOfMib.ms])
  expect(await allowedFor(words('b'), mib / 2)).toEqual([taskCpu.ms + taskCpuOfMib.ms / 2])
  expect(await allowedFor(schema, mib)).toEqual([taskCpuOfSchema.ms + taskCpuOfMib.ms])
})

test('all checks of a content share guardrailsBounds.contentCpu, and guardrailsBounds.contentCpuOfMib for each MiB', async () => {
  const { contentCpu, contentCpuOfCheck, contentCpuOfMib } = guardrailsBounds
  const checks = Array.from({ length: 20 }, (_, n) => words(`word ${n}`))
  const spent = async (chars: number) => {
    const threads = threadsThatNeed(Number.POSITIVE_INFINITY)
    await createContentChecks({ threads, clock: fakeClock() })('o', checks, asked(chars))
    return threads.allowed.reduce((sum, ms) => sum + ms, 0)
  }
  const own = contentCpu.ms + checks.length * contentCpuOfCheck.ms
  expect(await spent(mib)).toBe(own + contentCpuOfMib.ms)
  expect(await spent(2 * mib)).toBe(own + 2 * contentCpuOfMib.ms)
})
