import type { PipelineRun } from '@agent-run-service/sdk'
import { expect, test } from 'vitest'
import { exitCodeOfPipelineRun, waitsForPeople } from './pipeline-run-view.ts'

const step = (key: string, status: PipelineRun['steps'][number]['status'], running = 1) => ({
  key,
  run_id: null,
  status,
  items: { total: 3, completed: 0, failed: 0, running },
  error: null,
  started_at: null,
  finished_at: null,
})

const asking = (...keys: string[]) =>
  keys.map((key) => ({ id: key, step: key, item: 0, run_id: null })) as unknown as PipelineRun['required_actions']

const runOf = (steps: readonly ReturnType<typeof step>[], required_actions: PipelineRun['required_actions']) =>
  ({ status: 'running', steps, required_actions }) as unknown as PipelineRun

test('only people can continue a pipeline run if every item that runs has a question', () => {
  expect(waitsForPeople(runOf([step('a', 'running')], asking('a')))).toBe(true)
  expect(waitsForPeople(runOf([step('a', 'running'), step('b', 'pending', 0)], asking('a')))).toBe(true)
  expect(waitsForPeople(runOf([step('a', 'running', 2)], asking('a', 'a')))).toBe(true)
})

test('a pipeline run with another item, another step or nothing that runs does not wait for people', () => {
  expect(waitsForPeople(runOf([step('a', 'running', 2)], asking('a')))).toBe(false)
  expect(waitsForPeople(runOf([step('a', 'running'), step('b', 'running')], asking('a')))).toBe(false)
  expect(waitsForPeople(runOf([step('a', 'completed', 0)], asking()))).toBe(false)
})

test('the exit code says how a pipeline run ended, or that it has not', () => {
  const codeOf = (status: PipelineRun['status']) => exitCodeOfPipelineRun({ status })
  expect(['completed', 'failed', 'cancelled', 'running', 'cancelling'].map((each) => codeOf(each))).toEqual([
    0, 1, 1, 6, 6,
  ])
})
