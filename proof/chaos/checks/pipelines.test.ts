import { expect, test } from 'vitest'
import {
  checkNothingLeft,
  checkOneEnd,
  checkOneRunPerItem,
  checkOutput,
  checkRecordedSteps,
  type PipelineRecords,
  type StartedPipelineRun,
} from './pipelines.ts'

const started: StartedPipelineRun[] = [
  {
    key: 'k',
    id: 'p',
    expected: {
      output: { a: 1 },
      runs: new Map([
        ['a', [{ output: 1, recorded: 0 }]],
        [
          'b',
          [
            { output: 2, recorded: 2 },
            { output: 3, recorded: 1 },
          ],
        ],
        ['c', []],
      ]),
    },
  },
]

const item = (step: string, at: number, run_id: string | null): PipelineRecords['items'][number] => ({
  pipeline_run_id: 'p',
  step,
  item: at,
  attempt: 1,
  run_id,
  outcome: 'completed',
})
const run = (id: string, status: string | null = 'completed') => ({ id, pipeline_run_id: 'p', status })
const sound: PipelineRecords = {
  items: [item('a', 0, 'r1'), item('b', 0, 'r2'), item('b', 1, 'r3')],
  runs: [run('r1'), run('r2'), run('r3')],
  ends: [{ pipeline_run_id: 'p', event_id: 'e' }],
  heads: [],
  waits: [],
}

test('one completed run for each item is right', () => {
  expect(checkOneRunPerItem(started, sound)).toEqual([])
  expect(checkOneEnd(started, sound)).toEqual([])
  expect(checkNothingLeft(sound)).toEqual([])
})

test.for<[string, Partial<PipelineRecords>, string]>([
  ['a missing item', { items: sound.items.slice(1), runs: sound.runs.slice(1) }, 'k a: an item is missing'],
  ['a second run', { runs: [...sound.runs, run('r4')] }, 'k run r4 belongs to no item'],
  [
    'a second attempt',
    { items: [...sound.items, { ...item('a', 0, 'r1'), attempt: 2 }] },
    'k a: item 0 has 2 attempts',
  ],
  ['a run of a skipped step', { items: [...sound.items, item('c', 0, 'r1')] }, 'k c: item 0 is not expected'],
  ['a run that failed', { runs: [run('r1', 'failed'), run('r2'), run('r3')] }, 'k a: the run of item 0 is failed'],
])('%s is found', ([, change, words]) => {
  expect(checkOneRunPerItem(started, { ...sound, ...change })).toEqual([words])
})

test('an end with two events, with none, or of another pipeline run is found', () => {
  const [end] = sound.ends
  expect(checkOneEnd(started, { ...sound, ends: [] })).toEqual(['k has 0 events'])
  expect(checkOneEnd(started, { ...sound, ends: [end!, { ...end!, event_id: 'f' }] })).toEqual(['k has 2 events'])
  const foreign = { pipeline_run_id: 'q', event_id: 'g' }
  expect(checkOneEnd(started, { ...sound, ends: [end!, foreign] })).toEqual(['pipeline run q was not asked for'])
})

test('the ledger has the steps that the model expects, also when a step ran twice', () => {
  const ledger = [
    { run_id: 'r2', step: 1, attempt: 1 },
    { run_id: 'r2', step: 1, attempt: 2 },
    { run_id: 'r2', step: 2, attempt: 2 },
    { run_id: 'r3', step: 1, attempt: 1 },
  ]
  expect(checkRecordedSteps(started, sound, ledger)).toEqual([])
  expect(checkRecordedSteps(started, sound, ledger.slice(0, 2))).toEqual([
    'k b item 0 took 1 steps instead of 2',
    'k b item 1 took 0 steps instead of 1',
  ])
})

test('an output that differs from the model is found', () => {
  const { expected } = started[0]!
  expect(checkOutput('k', expected, { status: 'completed', output: { a: 1 } })).toEqual([])
  expect(checkOutput('k', expected, { status: 'completed', output: { a: 2 } })).toHaveLength(1)
  expect(checkOutput('k', expected, { status: 'failed', output: null })).toEqual(['k is failed: null'])
})
