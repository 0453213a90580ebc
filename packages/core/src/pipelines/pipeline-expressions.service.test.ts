import { systemClock } from '@ars/platform/clock'
import { createLog } from '@ars/platform/log/log'
import { createThreadPool } from '@ars/platform/thread-pool'
import { afterAll, expect, test } from 'vitest'
import { threadProgram } from '../parts.ts'
import { pipelinesBounds } from './bounds.ts'
import type { AgentStep, PipelineStep } from './definition.ts'
import { createPipelineExpressions, type ScopeTexts } from './pipeline-expressions.service.ts'

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
const scope: ScopeTexts = {
  input: '{"ready":true,"list":[1,"b",null]}',
  steps: { a: { status: 'failed', output: 'null' } },
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
    list: '[1,"b",null]',
  })
  expect(await open({ for_each: '[]' })).toEqual({ kind: 'run', items: 0, list: '[]' })
  expect(await open({ when: 'input.list' })).toEqual(fault('expression_failed', /^when: .* true or false/))
  expect(await open({ for_each: 'input.ready' })).toEqual(fault('expression_failed', /^for_each: .* a list/))
  const many = {
    ...scope,
    input: JSON.stringify(Array.from({ length: pipelinesBounds.itemsOfStep.count + 1 }, (_, at) => at)),
  }
  expect(await expressions.open(org, step('b', { for_each: 'input' }), many)).toEqual(
    fault('too_many_items', /has 1001 items; at most 1000/),
  )
  // One item of any size would be stored otherwise.
  const wide = { ...scope, input: JSON.stringify(['x'.repeat(pipelinesBounds.storedOfStep.bytes)]) }
  expect(await expressions.open(org, step('b', { for_each: 'input' }), wide)).toEqual(
    fault('too_many_items', /more than 1000000 bytes/),
  )
})

test('a value is filled, and one without placeholders needs no thread', { timeout }, async () => {
  expect(await expressions.render(org, { a: '${{ input.list }}', b: 'Is ${{ steps.a.status }}' }, scope)).toEqual({
    kind: 'rendered',
    json: '{"a":[1,"b",null],"b":"Is failed"}',
  })
  expect(await expressions.render(org, 'See \\${{ input }}', scope)).toEqual({
    kind: 'rendered',
    json: '"See ${{ input }}"',
  })
  const idle = createPipelineExpressions({ threads: { run: () => Promise.reject(new Error('no thread')) } })
  expect(await idle.render(org, { a: ['plain'] }, scope)).toEqual({ kind: 'rendered', json: '{"a":["plain"]}' })
})

test('the value of a step is read and written once for all its items', async () => {
  let reads = 0
  const value = new Proxy(
    { a: '${{ index }}' },
    {
      ownKeys: (target) => {
        reads++
        return Reflect.ownKeys(target)
      },
    },
  )
  const counted = createPipelineExpressions({ threads: { run: async () => ({ kind: 'busy' }) } })
  await counted.render(org, value, { ...scope, index: 0 })
  const once = reads
  for (let index = 1; index < 10; index++) await counted.render(org, value, { ...scope, index })
  expect(reads).toBe(once)
})

test('a full queue is busy, and a scope that is too large is a fault', { timeout }, async () => {
  const full = createPipelineExpressions({ threads: { run: () => Promise.resolve({ kind: 'busy' }) } })
  expect(await full.render(org, '${{ input }}', scope)).toEqual({ kind: 'busy' })
  expect(await full.open(org, step('b', { when: 'input.ready' }), scope)).toEqual({ kind: 'busy' })
  await expect(full.check(org, { steps: [step('a')] }, agents)).rejects.toMatchObject({ code: 'unavailable' })
  const large = { ...scope, input: JSON.stringify('x'.repeat(pipelinesBounds.scope.bytes)) }
  expect(await full.render(org, '${{ input }}', large)).toEqual(fault('expression_failed', /more than 8388608 bytes/))
  expect(await full.open(org, step('b', { when: 'input == ""' }), large)).toEqual(
    fault('expression_failed', /more than 8388608 bytes/),
  )
})

test('a value that cannot be stored is a fault, wherever it comes from', { timeout }, async () => {
  const unstorable = fault('expression_failed', /cannot be stored/)
  const said = {
    input: '{}',
    steps: { a: { status: 'completed', output: String.raw`{"result":"a\u0000","half":"\ud800"}` } },
  }
  expect(await expressions.render(org, { text: '${{ steps.a.output.result }}' }, said)).toEqual(unstorable)
  expect(await expressions.render(org, { text: '${{ steps.a.output.half }}' }, said)).toEqual(unstorable)
  expect(await expressions.render(org, { text: String.raw`${'$'}{{ "a\u0000" }}` }, scope)).toEqual(unstorable)
  expect(await expressions.open(org, step('b', { for_each: '${{ [steps.a.output.result] }}' }), said)).toEqual(
    unstorable,
  )
  const spelled = String.raw`{"result":"a\\u0000 🙂"}`
  const fine = { input: '{}', steps: { a: { status: 'completed', output: spelled } } }
  expect(await expressions.render(org, { text: '${{ steps.a.output.result }}' }, fine)).toEqual({
    kind: 'rendered',
    json: String.raw`{"text":"a\\u0000 🙂"}`,
  })
})
