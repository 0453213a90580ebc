import { expect, test } from 'vitest'
import { pipelineBounds } from './pipeline.ts'
import { CreatePipeline, UpdatePipeline } from './pipelines.ts'

const agent_id = 'ag_01kf3xw0fqe1vrr9m8sdv2wbx4'
const id = 'pl_01kf3xw0fqe1vrr9m8sdv2wbx4'
const withSteps = (...steps: object[]) => ({ name: 'Letters', definition: { steps } })
const faultsOf = (request: object) =>
  (CreatePipeline.safeParse(request).error?.issues ?? []).map(({ path, code }) => [path.join('.'), code])

test('a definition with every field is accepted and kept as it was sent', () => {
  const request = withSteps(
    {
      key: 'read',
      agent_id,
      input: ['${{ item }}', 1, null],
      for_each: 'input.list',
      max_parallel: 100,
      on_item_error: 'continue',
      retry: { attempts: 10, on: ['model_error'] },
      timeout_seconds: 1,
      on_error: 'continue',
    },
    {
      key: 'ask_2',
      depends_on: ['read'],
      when: 'input.flag',
      approval: { message: 'Send?', response_schema: { type: 'object' } },
    },
  )
  const output = { all: '${{ steps.read.output }}' }
  const sent = { ...request, definition: { ...request.definition, output } }
  expect(CreatePipeline.parse(sent)).toEqual(sent)
})

test.each([
  ['a misspelt field', { key: 'a', agent_id, depend_on: [] }, ['definition.steps.0', 'unrecognized_keys']],
  ['a key in capitals', { key: 'A', agent_id }, ['definition.steps.0.key', 'invalid_format']],
  ['an agent that is no id', { key: 'a', agent_id: 'a' }, ['definition.steps.0.agent_id', 'invalid_format']],
  ['a text for a number', { key: 'a', max_parallel: '5' }, ['definition.steps.0.max_parallel', 'invalid_type']],
  ['no attempts', { key: 'a', retry: { attempts: 0, on: ['x'] } }, ['definition.steps.0.retry.attempts', 'too_small']],
  ['an empty question', { key: 'a', approval: { message: '' } }, ['definition.steps.0.approval.message', 'too_small']],
  ['an unknown policy', { key: 'a', agent_id, on_error: 'stop' }, ['definition.steps.0.on_error', 'invalid_value']],
])('%s is refused with its path', (_, step, fault) => {
  expect(faultsOf(withSteps(step))).toEqual([fault])
})

test('a definition has 1 to 200 steps', () => {
  const steps = Array.from({ length: pipelineBounds.steps + 1 }, (_, at) => ({ key: `s${at}`, agent_id }))
  expect(faultsOf(withSteps(...steps))).toEqual([['definition.steps', 'too_big']])
  expect(faultsOf(withSteps(...steps.slice(1)))).toEqual([])
  expect(faultsOf(withSteps())).toEqual([['definition.steps', 'too_small']])
})

test('an update has at least one field', () => {
  expect(UpdatePipeline.safeParse({ id }).success).toBe(false)
  expect(UpdatePipeline.safeParse({ id, metadata: { team: null } }).success).toBe(true)
})
