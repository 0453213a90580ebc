import { systemClock } from '@ars/platform/clock'
import { createLog } from '@ars/platform/log/log'
import { createThreadPool } from '@ars/platform/thread-pool'
import { afterAll, describe, expect, test } from 'vitest'
import type { JsonValue } from '../expressions/index.ts'
import { threadProgram } from '../parts.ts'
import { pipelinesBounds } from './bounds.ts'
import type { AgentStep, PipelineStep } from './definition.ts'
import { createPipelineExpressions } from './pipeline-expressions.service.ts'

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
const fault = (code: string, message: RegExp) => ({ kind: 'fault', code, message: expect.stringMatching(message) })

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
    expect(problems.length).toBeLessThanOrEqual(pipelinesBounds.problemsTold.count)
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
    const of = { input: JSON.stringify(input), steps: {} }
    expect(await expressions.render(org, `\${{ ${source} }}`, of)).toMatchObject({ code: 'expression_failed' })
    expect(await expressions.open(org, step('a', { for_each: source }), of)).toMatchObject({
      code: 'expression_failed',
    })
    expect(await expressions.open(org, step('a', { when: `size(${source}) < 0` }), of)).toMatchObject({
      kind: expect.stringMatching(/fault|skip/),
    })
    // The next one is served.
    expect(await expressions.render(org, '${{ 1 + 1 }}', of)).toEqual({ kind: 'rendered', json: '2' })
  })

  test('of a hundred large placeholders is a fault', { timeout }, async () => {
    const value: JsonValue = Array.from({ length: 100 }, () => '${{ input.text }}')
    expect(await expressions.render(org, value, { input: JSON.stringify(input), steps: {} })).toEqual(
      fault('expression_failed', /more than 1048576 characters/),
    )
  })
})
