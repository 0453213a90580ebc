import { systemClock } from '@ars/platform/clock'
import type { Task, TaskOutcome } from '@ars/platform/thread-pool'
import { beforeAll, expect, test } from 'vitest'
import { testThreads } from '../../schemas/schemas.fixture.ts'
import { guardrailsBounds } from '../bounds.ts'
import { someFacts } from '../expression/expressions.fixture.ts'
import type { CheckOfRule, CheckResult } from '../rule.ts'
import type { ContentCheckResult, ContentCheckTask } from './content-check-task.service.ts'
import { createContentChecks } from './content-checks.service.ts'

const org = 'an organisation'
const { content: someContent, text: someText, ...facts } = someFacts
const pass: CheckResult = { kind: 'pass' }

const now = { ms: 0 }

/** Threads that note what they are asked for. By default, every check passes and costs nothing. */
const recorded = (answer: (checks: CheckOfRule[], task: Task) => TaskOutcome | null = () => null) => {
  const tasks: Task[] = []
  const run = async (task: Task): Promise<TaskOutcome> => {
    tasks.push(task)
    const checks = checksOf(task)
    const result: ContentCheckResult = { found: checks.map(() => pass), cpuMs: 0 }
    return answer(checks, task) ?? { kind: 'done', result }
  }
  const clock = { monotonicMs: () => now.ms }
  return { tasks, checkContent: createContentChecks({ threads: { run }, clock, pause: async () => undefined }) }
}

const checksOf = ({ payload }: Task): CheckOfRule[] => JSON.parse((payload as ContentCheckTask).checks)

const piiRule = (kinds: readonly ('email' | 'phone' | 'card' | 'iban' | 'ip')[], countries = ['US']): CheckOfRule => ({
  check: 'pii',
  params: { kinds, countries },
})
const listOf = <Item>(length: number, make: (at: number) => Item): Item[] => Array.from({ length }, (_, at) => make(at))
const keywordRule = (word: string): CheckOfRule => ({
  check: 'keywords',
  params: { words: [word], whole_words: false },
})
const expressionRule = (expression: string, message = 'It acts'): CheckOfRule => ({
  check: 'expression',
  params: { expression, message },
})
const judged = (text: string) => ({ content: text, text, facts })

// The attack of a free organisation: 500 rules on 10 KB took 14.6 s of the event loop.
test('rules multiply the cost of a text, so 500 different ones on 10 KB are checked in threads (guardrailsBounds.checksOfTask)', async () => {
  const { tasks, checkContent } = recorded()
  const rules = listOf(500, (at) => keywordRule(`word ${at}`))
  expect(await checkContent(org, rules, judged('1 2 3 '.repeat(1_700)))).toEqual(rules.map(() => pass))
  expect(tasks.flatMap(checksOf)).toEqual(rules)
  expect(new Set(tasks.map(({ owner, kind }) => `${owner}, ${kind}`))).toEqual(new Set([`${org}, guardrails.check`]))
  // Others have their turn between the tasks.
  expect(tasks.length).toBeGreaterThan(50)
})

test('the characters of text and checks in sum decide whether the event loop checks them', async () => {
  const text = 'a'.repeat(guardrailsBounds.inlineChecks.chars / 2 - 100)
  const two = [piiRule(['email']), piiRule(['ip'])]
  const few = recorded()
  expect(await few.checkContent(org, two, judged(text))).toEqual([pass, pass])
  expect(few.tasks).toEqual([])
  const more = recorded()
  await more.checkContent(org, [...two, piiRule(['card'])], judged(text))
  expect(more.tasks.flatMap(checksOf)).toHaveLength(3)
  const long = recorded()
  await long.checkContent(org, [keywordRule('b'.repeat(guardrailsBounds.inlineChecks.chars))], judged('a'))
  expect(long.tasks).toHaveLength(1)
})

test('equal checks of one content are made once, whatever their message is', async () => {
  const { tasks, checkContent } = recorded()
  const rules = listOf(250, (at) => [piiRule(['phone']), expressionRule('hour > 5', `Message ${at}`)]).flat()
  expect(await checkContent(org, rules, judged('a'.repeat(15_000)))).toHaveLength(500)
  expect(tasks.flatMap(checksOf).map(({ check }) => check)).toEqual(['pii', 'expression'])
})

test.each([
  { check: 'regex', params: { pattern: 'a+b', case_sensitive: true, max_match_chars: 10 } },
  { check: 'json_schema', params: { schema: { type: 'string' } } },
  { check: 'expression', params: { expression: 'hour > 5', message: 'It is late' } },
] as const)('a $check is never compiled on an event loop, however small it is', async (rule) => {
  const { tasks, checkContent } = recorded()
  await checkContent(org, [rule], judged('a'))
  expect(tasks.flatMap(checksOf).map(({ check }) => check)).toEqual([rule.check])
})

test('all tasks of one content have one bound of CPU time; the checks that are left are errors', async () => {
  let spentMs = 0
  const { checkContent } = recorded((checks, { maxCpuMs }) => {
    spentMs += maxCpuMs
    return { kind: 'done', result: { found: checks.map(() => pass), cpuMs: maxCpuMs } }
  })
  const rules = listOf(500, (at) => keywordRule(`word ${at}`))
  const results = await checkContent(org, rules, judged('a'.repeat(10_240)))
  expect(spentMs).toBeLessThan(guardrailsBounds.contentCpu.ms + 500 * guardrailsBounds.contentCpuOfCheck.ms + 100)
  expect(results.filter(({ kind }) => kind === 'pass').length).toBeGreaterThan(50)
  expect(results.at(-1)).toEqual({ kind: 'error', message: 'It takes too long' })
})

test('checks that were stopped use up the bound of their content too', async () => {
  let spentMs = 0
  const { checkContent } = recorded((_, { maxCpuMs = 0 }) => {
    spentMs += maxCpuMs
    return { kind: 'out_of_time', progress: null }
  })
  const rules = listOf(500, (at) => keywordRule(`word ${at}`))
  const results = await checkContent(org, rules, judged('a'.repeat(10_240)))
  expect(spentMs).toBeLessThan(guardrailsBounds.contentCpu.ms + 500 * guardrailsBounds.contentCpuOfCheck.ms + 100)
  expect(new Set(results)).toEqual(new Set([{ kind: 'error', message: 'It takes too long' }]))
})

test('a check that takes too long does not take the others of its task along', async () => {
  const { tasks, checkContent } = recorded((checks) =>
    checks.some((check) => check.check === 'keywords' && check.params.words[0] === 'slow')
      ? { kind: 'out_of_time', progress: null }
      : null,
  )
  const rules = [piiRule(['email']), keywordRule('slow'), piiRule(['ip'])]
  const slow = { kind: 'error', message: 'It takes too long' }
  expect(await checkContent(org, rules, judged('a'.repeat(10_000)))).toEqual([pass, slow, pass])
  expect(tasks.map((task) => checksOf(task).length)).toEqual([3, 1, 1, 1])
})

test('the checks of a request are errors when no thread is free; a step waits until one is', async () => {
  const rules = listOf(500, (at) => keywordRule(`word ${at}`))
  const checked = judged('a'.repeat(10_240))
  const busy = recorded(() => ({ kind: 'busy' }))
  const results = await busy.checkContent(org, rules, checked)
  expect(new Set(results)).toEqual(new Set([{ kind: 'error', message: 'Too many checks wait' }]))
  expect(busy.tasks).toHaveLength(1)
  let refusals = 3
  const step = recorded(() => (refusals-- > 0 ? { kind: 'busy' } : null))
  const { signal } = new AbortController()
  expect(await step.checkContent(org, rules.slice(0, 2), { ...checked, signal })).toEqual([pass, pass])
  expect(step.tasks).toHaveLength(4)
})

// Each task of an organisation without CPU time waits. Requests with hundreds of them took minutes.
test('a request waits for all its checks together as long as for one; a step waits for all of them', async () => {
  const rules = listOf(500, (at) => keywordRule(`word ${at}`))
  const slow = () => {
    now.ms += guardrailsBounds.requestChecks.ms / 4
    return null
  }
  const request = recorded(slow)
  const results = await request.checkContent(org, rules, judged('a'.repeat(10_240)))
  expect(request.tasks).toHaveLength(4)
  expect(results.at(0)).toEqual(pass)
  expect(results.at(-1)).toEqual({ kind: 'error', message: 'Too many checks wait' })
  const step = recorded(slow)
  const { signal } = new AbortController()
  const all = await step.checkContent(org, rules, { ...judged('a'.repeat(10_240)), signal })
  expect(new Set(all)).toEqual(new Set([pass]))
})

test('the pieces that all checks find in one content are bounded in sum: what finds more hides nothing', async () => {
  const spans = listOf(guardrailsBounds.spansOfCheck.count, (at) => ({ start: at, end: at + 1, kind: 'WORD' }))
  const found: CheckResult = { kind: 'violation', reason: 'It has words', spans }
  const { checkContent } = recorded((checks) => ({
    kind: 'done',
    result: { found: checks.map(() => found), cpuMs: 1 },
  }))
  const results = await checkContent(
    org,
    listOf(20, (at) => keywordRule(`word ${at}`)),
    judged('a'.repeat(10_240)),
  )
  const pieces = results.map((result) => (result.kind === 'violation' ? (result.spans?.length ?? 0) : 0))
  expect(pieces.filter((count) => count > 0)).toHaveLength(
    guardrailsBounds.contentPieces.count / guardrailsBounds.spansOfCheck.count,
  )
  expect(results.every(({ kind }) => kind === 'violation')).toBe(true)
})

test('only what the checks read is handed to the thread', async () => {
  const { tasks, checkContent } = recorded()
  await checkContent(org, [expressionRule('hour > 5')], judged('a'.repeat(100_000)))
  expect(Object.keys(tasks[0]?.payload as ContentCheckTask)).toEqual(['checks', 'facts'])
  expect(tasks[0]?.bytes).toBeLessThan(1_000)
})

const inThread = createContentChecks({ threads: testThreads(), clock: systemClock })
// Threads start with the first task.
beforeAll(async () => void (await inThread(org, [expressionRule('true')], judged(''))))
const asked = { content: someContent, text: someText, facts }
const failsWith = (message: RegExp) => ({ kind: 'error', message: expect.stringMatching(message) })

test('threads evaluate patterns, schemas and expressions, and expressions see what was found', async () => {
  const rules: CheckOfRule[] = [
    { check: 'regex', params: { pattern: 'A[a-z]a', case_sensitive: true, max_match_chars: 10 } },
    { check: 'json_schema', params: { schema: { required: ['other'] } } },
    { check: 'json_schema', params: { schema: { required: ['answer'] } } },
    expressionRule('tool.args.amount > 100 && "PATTERN" in findings'),
    expressionRule('content.answer > 42'),
  ]
  expect(await inThread(org, rules, asked)).toEqual([
    { kind: 'violation', reason: 'It matches a forbidden pattern', spans: [{ start: 7, end: 10, kind: 'PATTERN' }] },
    { kind: 'violation', reason: 'It does not fit the JSON Schema' },
    pass,
    { kind: 'violation', reason: '' },
    pass,
  ])
})

test('an expression that is no longer valid or fails is an error', async () => {
  const [invalid, missing] = await inThread(
    org,
    [expressionRule('tool.nothing == 1'), expressionRule('tool.args.other == 1')],
    asked,
  )
  expect(invalid).toEqual(failsWith(/not valid/))
  expect(missing).toEqual(failsWith(/a field is missing/))
})

test('a content that is nested too deeply fits no schema, and no expression can be evaluated on it', async () => {
  let deep: unknown = 1
  for (let level = 0; level < 100_000; level++) deep = [deep]
  const rules: CheckOfRule[] = [expressionRule('content == 1'), { check: 'json_schema', params: { schema: {} } }]
  const [failed, misfit] = await inThread(org, rules, { ...asked, content: deep })
  expect(failed).toEqual(failsWith(/nested too deeply/))
  expect(misfit).toMatchObject({ kind: 'violation' })
})
