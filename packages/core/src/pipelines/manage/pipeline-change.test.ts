import { expect, test } from 'vitest'
import type { PipelineDefinition } from '../definition.ts'
import type { PipelineContent } from './pipeline.ts'
import { changedParts, isSamePipeline, patchMetadata, patchPipeline, pipelineChanges } from './pipeline-change.ts'

const definition: PipelineDefinition = {
  steps: [
    { key: 'read', agent_id: 'ag_1', input: { text: '${{ input.text }}', tone: 'plain' } },
    { key: 'ask', approval: { message: 'Send?', response_schema: { type: 'object', required: ['to'] } } },
  ],
  output: { text: '${{ steps.read.output }}' },
}
const content: PipelineContent = { name: 'Letters', description: 'Writes letters.', definition }
const withSteps = (steps: PipelineDefinition['steps']): PipelineContent => ({
  ...content,
  definition: { ...definition, steps },
})
const [read, ask] = definition.steps as [PipelineDefinition['steps'][0], PipelineDefinition['steps'][0]]

test('omitted fields stay, null clears the description, and a definition is replaced as a whole', () => {
  const other: PipelineDefinition = { steps: [{ key: 'only', agent_id: 'ag_2' }] }
  expect(patchPipeline(content, {})).toEqual(content)
  expect(patchPipeline(content, { description: null, definition: other })).toEqual({
    name: 'Letters',
    description: null,
    definition: other,
  })
})

test('metadata is merged, and null removes a pair or all of them', () => {
  expect(patchMetadata({ team: 'mail', cost: 'low' }, { team: null, owner: 'Ada' })).toEqual({
    cost: 'low',
    owner: 'Ada',
  })
  expect(patchMetadata({ team: 'mail' }, null)).toEqual({})
  expect(patchMetadata({ team: 'mail' }, undefined)).toEqual({ team: 'mail' })
})

test('the order of fields makes no other pipeline, and the order of steps does', () => {
  const { key, ...rest } = read
  const sameRead = { ...rest, key } as typeof read
  expect(isSamePipeline(content, withSteps([sameRead, ask]))).toBe(true)
  expect(isSamePipeline(content, withSteps([ask, read]))).toBe(false)
  expect(pipelineChanges(content, withSteps([ask, read]))).toEqual([
    { path: 'definition.steps', old: ['read', 'ask'], new: ['ask', 'read'] },
  ])
})

test('steps are compared by their keys, and a schema as a whole', () => {
  const changed: PipelineContent = {
    name: 'Mail',
    description: 'Writes letters.',
    definition: {
      steps: [
        { key: 'new', agent_id: 'ag_3' },
        { key: 'read', agent_id: 'ag_1', input: { text: '${{ input.text }}', tone: 'warm' }, timeout_seconds: 9 },
        { key: 'ask', approval: { message: 'Send?', response_schema: { type: 'object', required: ['cc'] } } },
      ],
    },
  }
  const changes = pipelineChanges(content, changed)
  expect(changes).toEqual([
    { path: 'name', old: 'Letters', new: 'Mail' },
    { path: 'definition.steps', old: ['read', 'ask'], new: ['new', 'read', 'ask'] },
    {
      path: 'definition.steps.ask.approval.response_schema',
      old: { type: 'object', required: ['to'] },
      new: { type: 'object', required: ['cc'] },
    },
    { path: 'definition.steps.new', old: null, new: { key: 'new', agent_id: 'ag_3' } },
    { path: 'definition.steps.read.input.tone', old: 'plain', new: 'warm' },
    { path: 'definition.steps.read.timeout_seconds', old: null, new: 9 },
    { path: 'definition.output', old: { text: '${{ steps.read.output }}' }, new: null },
  ])
  expect(changedParts(changes)).toEqual([
    'name',
    'definition.steps',
    'definition.steps.ask',
    'definition.steps.new',
    'definition.steps.read',
    'definition.output',
  ])
})
