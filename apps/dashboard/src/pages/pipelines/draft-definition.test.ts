// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders belong to the expressions of pipelines.
import { expect, test } from 'vitest'
import { draftSteps, inputTemplate, withAgent } from './draft-definition.ts'

const empty = {
  dependsOn: [],
  agentId: null,
  question: null,
  when: null,
  forEach: null,
  maxParallel: null,
  retry: null,
  timeoutSeconds: null,
  goesOnAfterError: false,
  goesOnAfterItemError: false,
}

test('steps are read as far as they are written', () => {
  const steps = [
    { key: 'a', agent_id: 'ag_1', when: 'true', retry: { attempts: 2, on: ['model_error', 1] }, on_error: 'continue' },
    { key: 'b', depends_on: ['a', 7], approval: { message: 'Go?' }, timeout_seconds: 60 },
    { key: 'c', for_each: 'input.list', max_parallel: 3, on_item_error: 'continue', retry: 'often' },
    { agent_id: 'ag_1' },
    'd',
    { key: 5 },
  ]
  expect(draftSteps({ steps })).toEqual([
    {
      ...empty,
      key: 'a',
      agentId: 'ag_1',
      when: 'true',
      retry: { attempts: 2, on: ['model_error'] },
      goesOnAfterError: true,
    },
    { ...empty, key: 'b', dependsOn: ['a'], question: 'Go?', timeoutSeconds: 60 },
    { ...empty, key: 'c', forEach: 'input.list', maxParallel: 3, goesOnAfterItemError: true },
  ])
})

test.each([undefined, null, 'x', [], {}, { steps: {} }])('%j has no steps', (definition) => {
  expect(draftSteps(definition)).toEqual([])
})

test('the fields of the input that a definition reads', () => {
  const definition = {
    steps: [{ key: 'a', input: { q: '${{ input.query }} ${{ steps.input.output }}' }, for_each: 'input.list' }],
    output: '${{ size(input.list) + steps.a.input.no }}',
  }
  expect(inputTemplate(definition)).toEqual({ query: '', list: '' })
  expect(inputTemplate(undefined)).toEqual({})
})

test('an agent is replaced in the text, also while the text has faults', () => {
  const text = '{"steps": [{"agent_id": "echo", "input": "echo"}, {"agent_id":"echo"}, {"agent_id": "other"'
  expect(withAgent(text, 'echo', 'ag_$1')).toBe(
    '{"steps": [{"agent_id": "ag_$1", "input": "echo"}, {"agent_id":"ag_$1"}, {"agent_id": "other"',
  )
})
