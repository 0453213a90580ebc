import { systemClock } from '@ars/platform/clock'
import { createLog } from '@ars/platform/log/log'
import { createThreadPool } from '@ars/platform/thread-pool'
import { afterAll, describe, expect, test } from 'vitest'
import { threadProgram } from '../parts.ts'
import { type AgentStep, type JsonValue, type PipelineStep, pipelineLimits } from './definition.ts'
import { createPipelineExpressions, type ExpressionScope } from './pipeline-expressions.service.ts'

const threads = createThreadPool({
  program: threadProgram,
  clock: systemClock,
  log: createLog({ level: 'silent' }),
  threads: 1,
  budget: { burstMs: 600_000, share: 1 },
  maxWaitMs: 600_000,
})
afterAll(() => threads.close())

const timeout = 600_000
const org = 'an organisation'
const expressions = createPipelineExpressions({ threads })
const agents = new Map([
  ['agt_any', { outputSchema: null }],
  ['agt_title', { outputSchema: { type: 'object', properties: { title: { type: 'string' } } } }],
])
const step = (key: string, more: Partial<AgentStep> = {}): AgentStep => ({ key, agent_id: 'agt_any', ...more })
const scope: ExpressionScope = {
  input: { ready: true, list: [1, 'b', null] },
  steps: { a: { status: 'failed', output: null } },
}
const fault = (code: string, message: RegExp) => ({ kind: 'fault', code, message: expect.stringMatching(message) })

test('a definition is checked as a whole, with the real checker of expressions', { timeout }, async () => {
  const first = step('a', { agent_id: 'agt_title', input: { text: '${{ input.text }}' } })
  const steps: PipelineStep[] = [
    first,
    step('b', {
      depends_on: ['a'],
      when: 'steps.a.status == "completed" && size(steps.a.output.title) > 3',
      for_each: '${{ input.list.filter(x, x > 2) }}',
      input: { at: '${{ index + 1 }}', item: '${{ item }}', title: 'About ${{ steps.a.output.title }}' },
    }),
    { key: 'c', depends_on: ['b'], approval: { message: 'Send ${{ size(steps.b.output) }} of them?' } },
  ]
  expect(await expressions.check(org, { steps, output: '${{ steps.c.output.payload }}' }, agents)).toEqual([])

  const wrong: PipelineStep[] = [
    first,
    step('b', { when: '${{ steps.a.output.titel == "x" }}', depends_on: ['a'] }),
    step('c', { for_each: 'steps.a.output.title', depends_on: ['a'] }),
    step('d', { input: ['${{ steps.a.output }}', '${{ item + }}', '${{ steps.map(k, k) }}'], agent_id: 'agt_x' }),
    step('e', { when: 'steps.a.error.code == "timeout"', depends_on: ['a'] }),
  ]
  const problems = await expressions.check(org, { steps: wrong, output: '${{ steps.b }}' }, agents)
  expect(problems.map(({ param, message, position }) => `${param} ${position}: ${message}`)).toEqual([
    'steps.3.agent_id undefined: names no agent: agt_x',
    'steps.1.when 18: There is no field titel. Known: title',
    'steps.2.for_each 0: The expression must answer a list',
    'steps.3.input.0 4: Step d does not depend on a. Add a to its depends_on',
    expect.stringMatching(/^steps\.3\.input\.1 \d+: The expression cannot be read/),
    'steps.3.input.2 4: Name one step, such as steps.first.output',
    'steps.4.when 7: There is no field error. Known: status, output',
  ])
})

test('a step is opened by its condition and its list', { timeout }, async () => {
  const open = (more: Partial<AgentStep>) => expressions.open(org, step('b', more), scope)
  expect(await open({})).toEqual({ kind: 'run', items: 1, list: null })
  expect(await open({ when: '${{ input.ready }}' })).toEqual({ kind: 'run', items: 1, list: null })
  expect(await open({ when: 'steps.a.status != "failed"', for_each: 'input.none' })).toEqual({ kind: 'skip' })
  expect(await open({ when: 'input.ready', for_each: '${{ input.list }}' })).toEqual({
    kind: 'run',
    items: 3,
    list: [1, 'b', null],
  })
  expect(await open({ for_each: '[]' })).toEqual({ kind: 'run', items: 0, list: [] })
  expect(await open({ when: 'input.list' })).toEqual(fault('expression_failed', /^when: .* true or false/))
  expect(await open({ for_each: 'input.ready' })).toEqual(fault('expression_failed', /^for_each: .* a list/))
  const many = { ...scope, input: Array.from({ length: pipelineLimits.itemsPerStep + 1 }, (_, at) => at) }
  expect(await expressions.open(org, step('b', { for_each: 'input' }), many)).toEqual(
    fault('too_many_items', /has 1001 items; at most 1000/),
  )
})

test('a value is filled, and one without placeholders needs no thread', { timeout }, async () => {
  expect(await expressions.render(org, { a: '${{ input.list }}', b: 'Is ${{ steps.a.status }}' }, scope)).toEqual({
    kind: 'rendered',
    value: { a: [1, 'b', null], b: 'Is failed' },
  })
  expect(await expressions.render(org, 'See \\${{ input }}', scope)).toEqual({
    kind: 'rendered',
    value: 'See ${{ input }}',
  })
  const idle = createPipelineExpressions({ threads: { run: () => Promise.reject(new Error('no thread')) } })
  expect(await idle.render(org, { a: ['plain'] }, scope)).toEqual({ kind: 'rendered', value: { a: ['plain'] } })
})

test('a full queue is busy, and a scope that is too large is a fault', { timeout }, async () => {
  const full = createPipelineExpressions({ threads: { run: () => Promise.resolve({ kind: 'busy' }) } })
  expect(await full.render(org, '${{ input }}', scope)).toEqual({ kind: 'busy' })
  expect(await full.open(org, step('b', { when: 'input.ready' }), scope)).toEqual({ kind: 'busy' })
  await expect(full.check(org, { steps: [step('a')] }, agents)).rejects.toMatchObject({ code: 'unavailable' })
  const large = { ...scope, input: 'x'.repeat(pipelineLimits.scopeBytes) }
  expect(await full.render(org, '${{ input }}', large)).toEqual(fault('expression_failed', /more than 8388608 bytes/))
  expect(await full.open(org, step('b', { when: 'input == ""' }), large)).toEqual(
    fault('expression_failed', /more than 8388608 bytes/),
  )
})

describe('an expression bomb', () => {
  const nested = (open: string, close: string, count: number) => `${open.repeat(count)}1${close.repeat(count)}`
  const costly = 'input.list.filter(x, x.price > 10 && x.name.startsWith("a")).map(x, {"a": x.price})'
  const hundred = (source: string): string => `\${{ ${source} }}`.repeat(100)
  const ten = (input: string) => Array.from({ length: 10 }, (_, at) => step(`s${at}`, { input }))

  test.for<[string, PipelineStep[], RegExp]>([
    ['loops in loops', [step('a', { when: 'input.all(a, input.all(b, input.all(c, true)))' })], /nested at most 2/],
    ['a long text', [step('a', { for_each: `["${'x'.repeat(2_000)}"]` })], /at most 2000 characters/],
    ['many nodes', [step('a', { input: `\${{ ${nested('[', ']', 900)} }}` })], /at most 200|too deeply/],
    ['a pattern that repeats', [step('a', { when: 'input.matches("((a{1000}){1000}){1000}")' })], /pattern cannot/],
    ['a pattern of the input', [step('a', { when: 'input.matches(input.pattern)' })], /must be written/],
    ['too many expressions', [...ten(hundred('input')), step('t', { input: '${{ input }}' })], /more than 1000/],
    [
      'costly checks',
      ten(hundred(`[${Array.from({ length: 20 }, () => costly).join(', ')}]`)),
      /too much CPU|nodes|characters/,
    ],
    ['a thousand maps', ten(hundred(nested('{"a":', '}', 150))), /too much CPU|nodes|deeply/],
  ])('is a problem at save: %s', { timeout }, async ([, steps, message]) => {
    const problems = await expressions.check(org, { steps }, agents)
    expect(problems.length).toBeGreaterThan(0)
    expect(problems.length).toBeLessThanOrEqual(pipelineLimits.problems)
    expect(problems[0]?.message).toMatch(message)
  })

  test('of a thousand plain expressions is none', { timeout }, async () => {
    expect(await expressions.check(org, { steps: ten(hundred('input.name')) }, agents)).toEqual([])
  })

  const input = { list: Array.from({ length: 10_000 }, (_, at) => at), text: 'a'.repeat(500_000) }
  const eightfold = 'map(a, [a, a, a, a, a, a, a, a])'

  test.for<[string, string]>([
    ['loops in loops', 'input.list.map(x, input.list.map(y, x + y))'],
    ['a text of many texts', 'input.list.map(x, input.text + string(x))'],
    ['a text that grows', '[input.text].map(a, a + a + a + a + a + a)'],
    ['a pattern in a loop', 'input.list.map(x, input.text.matches("(a|aa|aaa)*(a+)+b"))'],
    ['a list of lists', `[input.list].${Array.from({ length: 8 }, () => eightfold).join('.')}`],
  ])('is a fault at run time: %s', { timeout }, async ([, source]) => {
    const of = { input, steps: {} }
    expect(await expressions.render(org, `\${{ ${source} }}`, of)).toMatchObject({ code: 'expression_failed' })
    expect(await expressions.open(org, step('a', { for_each: source }), of)).toMatchObject({
      code: 'expression_failed',
    })
    expect(await expressions.open(org, step('a', { when: `size(${source}) < 0` }), of)).toMatchObject({
      kind: expect.stringMatching(/fault|skip/),
    })
    // The next one is served.
    expect(await expressions.render(org, '${{ 1 + 1 }}', of)).toEqual({ kind: 'rendered', value: 2 })
  })

  test('of a hundred large placeholders is a fault', { timeout }, async () => {
    const value: JsonValue = Array.from({ length: 100 }, () => '${{ input.text }}')
    expect(await expressions.render(org, value, { input, steps: {} })).toEqual(
      fault('expression_failed', /more than 1048576 characters/),
    )
  })
})
