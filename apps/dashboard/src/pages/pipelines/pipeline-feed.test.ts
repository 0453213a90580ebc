import type { PipelineRun, PipelineRunFrame } from '@agent-run-service/sdk'
import { expect, test } from 'vitest'
import { foldPipelineFrame } from './pipeline-feed.ts'

const step = (key: string, status: string) => ({ key, status })
const before = {
  id: 'plr_1',
  status: 'running',
  steps: [step('a', 'completed'), step('b', 'running')],
  required_actions: [],
} as unknown as PipelineRun
const fold = (frame: object) =>
  foldPipelineFrame(before, { pipeline_run_id: 'plr_1', ...frame } as unknown as PipelineRunFrame)

test('a step replaces the one with its key', () => {
  expect(fold({ type: 'pipeline_run.step', step: step('b', 'failed') }).steps).toEqual([
    step('a', 'completed'),
    step('b', 'failed'),
  ])
})

test('snapshots and ends replace the whole', () => {
  for (const type of ['snapshot', 'completed', 'failed', 'cancelled']) {
    const whole = { ...before, status: type }
    expect(fold({ type: `pipeline_run.${type}`, pipeline_run: whole })).toEqual(whole)
  }
})

test('questions, cancelling, and frames that are not known', () => {
  expect(fold({ type: 'pipeline_run.requires_action', required_actions: [{ id: 'b' }] })).toEqual({
    ...before,
    required_actions: [{ id: 'b' }],
  })
  expect(fold({ type: 'pipeline_run.cancelling' })).toEqual({ ...before, status: 'cancelling' })
  expect(fold({ type: 'pipeline_run.later' })).toBe(before)
})
