import { pipelineBounds } from '@ars/contract'
import { describe, expect, test } from 'vitest'
import { expressionTexts, type Variables } from '../expressions/index.ts'
import { pipelinesBounds } from './bounds.ts'
import type { AgentStep, PipelineDefinition, PipelineStep } from './definition.ts'
import { problemsOfDefinition } from './definition-problems.ts'
import { findingsOfNames } from './expression-findings.fixture.ts'
import { ancestorsOf, orderSteps } from './step-graph.ts'
import { typeOfSchema } from './value-type.ts'

const summary = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    parts: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } } } },
  },
}

const agents = new Map([
  ['agt_free', { outputSchema: null }],
  ['agt_summary', { outputSchema: summary }],
])

const problemsOf = (definition: PipelineDefinition) =>
  problemsOfDefinition(definition, { agents, check: findingsOfNames, texts: expressionTexts })

const step = (key: string, more: Partial<AgentStep> = {}): AgentStep => ({ key, agent_id: 'agt_free', ...more })

const needs = (...keys: string[]) => ({ depends_on: keys })

const approval = { key: 'ask', approval: { message: 'Send ${{ steps.a.output }}?' }, depends_on: ['a'] }

test('a valid definition has no problems', () => {
  const steps: PipelineStep[] = [
    step('a', {
      agent_id: 'agt_summary',
      input: { text: '${{ input.text }}' },
      retry: { attempts: 3, on: ['timeout'] },
    }),
    step('b', {
      ...needs('a'),
      when: 'input.flag',
      for_each: '${{ steps.a.output.parts }}',
      input: ['${{ item.n }} of ${{ index }}', '${{ steps.a.output.title }}'],
      max_parallel: 100,
      on_item_error: 'continue',
    }),
    approval,
    step('c', {
      ...needs('ask', 'b'),
      input: '${{ steps.a.output.title }} ${{ steps.ask.output.payload.x }}',
      on_error: 'continue',
    }),
  ]
  expect(problemsOf({ steps, output: { all: '${{ steps.b.output }}' } })).toEqual([])
})

describe('a problem has the path of its field', () => {
  const one = (more: object): PipelineDefinition => ({ steps: [{ ...step('a'), ...more } as PipelineStep] })

  test.for<[string, PipelineDefinition, string, RegExp, number?]>([
    ['no steps', { steps: [] }, 'steps', /at least one/],
    ['a key twice', { steps: [step('a'), step('a')] }, 'steps.1.key', /another step: a/],
    ['a key with a hyphen', one({ key: 'a-b' }), 'steps.0.key', /small letters/],
    ['a key that is a word of CEL', one({ key: 'in' }), 'steps.0.key', /word of expressions/],
    ['a long key', one({ key: 'a'.repeat(65) }), 'steps.0.key', /at most 64/],
    ['no agent', { steps: [{ key: 'a' } as PipelineStep] }, 'steps.0.agent_id', /required/],
    ['an unknown agent', one({ agent_id: 'agt_x' }), 'steps.0.agent_id', /no agent: agt_x/],
    ['an unknown dependency', one(needs('b')), 'steps.0.depends_on.0', /no step: b/],
    ['a dependency twice', { steps: [step('a'), step('b', needs('a', 'a'))] }, 'steps.1.depends_on.1', /a twice/],
    ['a step after itself', one(needs('a')), 'steps.0.depends_on', /circle: a → a$/],
    ['no attempts', one({ retry: { attempts: 0, on: ['timeout'] } }), 'steps.0.retry.attempts', /1 to 10/],
    ['attempts in parts', one({ retry: { attempts: 1.5, on: ['timeout'] } }), 'steps.0.retry.attempts', /1 to 10/],
    ['retry of nothing', one({ retry: { attempts: 2, on: [] } }), 'steps.0.retry.on', /1 to 20/],
    ['retry of no code', one({ retry: { attempts: 2, on: ['Time out'] } }), 'steps.0.retry.on.0', /error code/],
    ['a long time', one({ timeout_seconds: 86_401 }), 'steps.0.timeout_seconds', /1 to 86400/],
    ['many at once', one({ for_each: 'input', max_parallel: 101 }), 'steps.0.max_parallel', /1 to 100/],
    ['max_parallel of one', one({ max_parallel: 5 }), 'steps.0.max_parallel', /needs for_each/],
    ['items of one', one({ on_item_error: 'fail' }), 'steps.0.on_item_error', /needs for_each/],
    [
      'approvals of a list',
      { steps: [step('a'), { ...approval, for_each: 'input' } as PipelineStep] },
      'steps.1.for_each',
      /approval/,
    ],
    [
      'an approval by an agent',
      { steps: [step('a'), { ...approval, agent_id: 'agt_free' } as PipelineStep] },
      'steps.1.agent_id',
      /approval/,
    ],
    [
      'an empty question',
      { steps: [{ key: 'ask', approval: { message: '' } }] },
      'steps.0.approval.message',
      /1 to 2000/,
    ],
    ['a broken condition', one({ when: '${{ input !! }}' }), 'steps.0.when', /cannot be read/, 10],
    ['a broken input', one({ input: { a: ['x', 'see ${{ input !! }}'] } }), 'steps.0.input.a.1', /cannot be read/, 14],
    ['an open placeholder', one({ input: { a: 'see ${{ input' } }), 'steps.0.input.a', /no }}/, 4],
    ['an unknown variable', one({ input: '${{ foo.bar }}' }), 'steps.0.input', /no field foo/, 4],
    ['an item of no list', one({ input: '${{ item }}' }), 'steps.0.input', /no field item/, 4],
    ['an item in a condition', one({ for_each: 'input.list', when: 'item' }), 'steps.0.when', /no field item/, 0],
    ['an unknown step', one({ input: '${{ steps.b.output }}' }), 'steps.0.input', /no field b/, 4],
    ['its own output', one({ input: '${{ steps.a.output }}' }), 'steps.0.input', /its own/, 4],
    ['all steps', one({ input: 'a ${{ steps }}' }), 'steps.0.input', /Name one step/, 6],
    [
      'a step before which it does not come',
      { steps: [step('a'), step('b', { when: 'steps.a.output' })] },
      'steps.1.when',
      /b does not depend on a/,
      0,
    ],
    [
      'a loop over text',
      {
        steps: [step('a', { agent_id: 'agt_summary' }), step('b', { ...needs('a'), for_each: 'steps.a.output.title' })],
      },
      'steps.1.for_each',
      /must answer a list/,
      0,
    ],
    [
      'an unknown field',
      { steps: [step('a', { agent_id: 'agt_summary' })], output: '${{ steps.a.output.titel }}' },
      'output',
      /no field titel/,
      4,
    ],
    [
      'an unknown field of items',
      { steps: [step('a', { agent_id: 'agt_summary', for_each: 'input' })], output: '${{ steps.a.output.title }}' },
      'output',
      /no field title/,
      4,
    ],
  ])('%s', ([, definition, param, message, position]) => {
    const expected = { param, message: expect.stringMatching(message), ...(position !== undefined && { position }) }
    expect(problemsOf(definition)).toEqual([expected])
  })

  test('circles are named, each once', () => {
    const steps = [
      step('a', needs('c')),
      step('b', needs('a')),
      step('c', needs('b')),
      step('d', needs('a', 'e')),
      step('e', needs('d')),
      step('f', needs('e')),
    ]
    expect(problemsOf({ steps }).map(({ message }) => message)).toEqual([
      'The steps depend on each other in a circle: a → c → b → a',
      'The steps depend on each other in a circle: d → e → d',
    ])
    expect(orderSteps([...steps, step('g')]).order).toEqual(['g'])
  })
})

describe('the size is bounded', () => {
  const many = (count: number, more: (at: number) => Partial<AgentStep> = () => ({})) =>
    Array.from({ length: count }, (_, at) => step(`s${at}`, more(at)))

  test('in steps', () => {
    expect(problemsOf({ steps: many(pipelinesBounds.steps.count) })).toEqual([])
    expect(problemsOf({ steps: many(pipelinesBounds.steps.count + 1, () => ({ agent_id: 'agt_x' })) })).toEqual([
      { param: 'steps', message: expect.stringMatching(/201 steps; at most 200/) },
    ])
  })

  test('in expressions', () => {
    const full = many(10, () => ({ input: '${{ input }}'.repeat(100) }))
    expect(problemsOf({ steps: full })).toEqual([])
    expect(problemsOf({ steps: full, output: '${{ input }}' })).toEqual([
      { param: 'steps', message: expect.stringMatching(/more than 1000/) },
    ])
  })

  test('in problems', () => {
    expect(problemsOf({ steps: many(200, () => ({ agent_id: 'agt_x' })) })).toHaveLength(
      pipelinesBounds.problemsTold.count,
    )
  })

  test('a step that comes after all others knows all of them', () => {
    const steps = many(200, (at) => needs(...Array.from({ length: at }, (_, before) => `s${before}`)))
    expect(ancestorsOf(steps).get('s199')?.size).toBe(199)
  })
})

test.for([
  [{ type: 'object', properties: { a: {} }, additionalProperties: true }, { kind: 'dyn' }],
  [
    { type: 'object', properties: { a: { type: ['string', 'null'] } } },
    { kind: 'object', fields: { a: { kind: 'string' } } },
  ],
  [
    { type: 'array', items: { type: 'number' } },
    { kind: 'list', of: { kind: 'double' } },
  ],
  [{ type: ['string', 'number'] }, { kind: 'dyn' }],
  [{ anyOf: [{ type: 'string' }] }, { kind: 'dyn' }],
  [{ type: 'array' }, { kind: 'list', of: { kind: 'dyn' } }],
  [true, { kind: 'dyn' }],
  [null, { kind: 'dyn' }],
] as const)('the schema %j has a type', ([schema, type]) => {
  expect(typeOfSchema(schema)).toEqual(type)
})

test('the checker of expressions knows these types', () => {
  const variables: Variables = { summary: typeOfSchema(summary) }
  expect(variables).toMatchObject({ summary: { kind: 'object', fields: { title: { kind: 'string' } } } })
})

test.for<[string, number, (size: number) => PipelineStep]>([
  ['key', pipelinesBounds.stepKey.chars, (size) => step('a'.repeat(size))],
  [
    'max_parallel',
    pipelinesBounds.itemsAtOnce.count,
    (size) => step('a', { for_each: '${{ input.x }}', max_parallel: size }),
  ],
  [
    'retry.attempts',
    pipelinesBounds.attempts.count,
    (size) => step('a', { retry: { attempts: size, on: ['timeout'] } }),
  ],
  [
    'retry.on',
    pipelinesBounds.retryCodes.count,
    (size) => step('a', { retry: { attempts: 2, on: Array.from({ length: size }, (_, at) => `code_${at}`) } }),
  ],
  ['timeout_seconds', pipelinesBounds.stepTime.seconds, (size) => step('a', { timeout_seconds: size })],
  // What the description of the field says.
  ['timeout_seconds', pipelineBounds.stepTimeoutSeconds, (size) => step('a', { timeout_seconds: size })],
  [
    'timeout_seconds',
    pipelinesBounds.approvalTime.seconds,
    (size) => ({ key: 'a', approval: { message: 'Send?' }, timeout_seconds: size }),
  ],
  [
    'approval.message',
    pipelinesBounds.approvalMessage.chars,
    (size) => ({ key: 'a', approval: { message: 'x'.repeat(size) } }),
  ],
])('%s is accepted up to %d and is a problem beyond', ([field, max, of]) => {
  expect(problemsOf({ steps: [of(max)] })).toEqual([])
  expect(problemsOf({ steps: [of(max + 1)] }).map(({ param }) => param)).toEqual([`steps.0.${field}`])
})

test('a definition with more expressions than their row allows is a problem', () => {
  const conditions = Math.ceil((pipelinesBounds.expressions.count + 1) / 100)
  const text = '${{ input.x }} '.repeat(100)
  const steps = Array.from({ length: conditions }, (_, at) => step(`s${at}`, { input: text }))
  expect(problemsOf({ steps: steps.slice(1) })).toEqual([])
  expect(problemsOf({ steps })).toContainEqual({
    param: 'steps',
    message: `has more than ${pipelinesBounds.expressions.count} expressions`,
  })
})
