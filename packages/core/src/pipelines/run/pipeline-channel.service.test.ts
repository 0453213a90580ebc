import type { PipelineRun, StreamSink } from '@ars/contract'
import { expect, test } from 'vitest'
import { createPipelineChannel } from './pipeline-channel.service.ts'
import { encodePipelineSnapshot, type PipelinePicture, pictureOf } from './pipeline-frame.ts'

const step = (key: string, status: PipelineRun['steps'][number]['status']): PipelineRun['steps'][number] => ({
  ...{ key, run_id: null, status, error: null, decision: null, started_at: null, finished_at: null },
  items: { total: 0, completed: 0, failed: 0, running: 0 },
})

const runWith = (over: Partial<PipelineRun>): PipelineRun => ({
  ...{
    id: 'plr_1',
    object: 'pipeline_run',
    pipeline_id: 'pl_1',
    status: 'running',
    input: {},
    output: null,
    error: null,
  },
  ...{
    latency_ms: null,
    tokens_used: 0,
    created_at: '2026-01-01T00:00:00.000Z',
    finished_at: null,
    pipeline_version: 1,
  },
  ...{ metadata: {}, required_actions: [], rerun_of: null, from_step: null, cost_usd: null, created_by: null },
  ...{ erased_at: null, steps: [step('a', 'running'), step('b', 'pending')] },
  ...over,
})

const sinkOf = () => {
  const texts: string[] = []
  let received = 0
  const sink = { isSlow: false, ended: null as 'end' | 'interrupt' | null, ready: (): void => undefined }
  const api: StreamSink = {
    write: (text) => {
      texts.push(text)
      return !sink.isSlow
    },
    whenReady: (listener) => {
      sink.ready = listener
    },
    end: () => {
      sink.ended = 'end'
    },
    interrupt: () => {
      sink.ended = 'interrupt'
    },
  }
  const frames = () =>
    texts
      .splice(0)
      .join('')
      .split('\n\n')
      .filter((frame) => frame !== '')
      .map((frame) => {
        const [id, event, data] = frame.split('\n')
        expect(id).toBe(`id: ${++received}`)
        const body = JSON.parse(data?.replace('data: ', '') ?? '')
        expect(event).toBe(`event: ${body.type}`)
        return body
      })
  return { api, frames, state: sink }
}

const channelOf = () => {
  let detached = 0
  let next: PipelinePicture | null = null
  let readings = 0
  const failing = { error: null as Error | null }
  const channel = createPipelineChannel({
    id: '01900000-0000-7000-8000-000000000001',
    read: async () => {
      if (failing.error) throw failing.error
      return next
    },
    onDetach: () => {
      detached++
    },
    log: { warn: () => undefined, error: () => undefined } as never,
  })
  const show = async (run: PipelineRun | null) => {
    next = run && pictureOf(run, ++readings)
    await channel.look()
  }
  const attach = (sink: StreamSink, run: PipelineRun) =>
    channel.attach(sink, { snapshot: encodePipelineSnapshot(run), picture: pictureOf(run, ++readings), sent: 0 })
  return { channel, show, attach, failing, detached: () => detached }
}

test('a stream begins with the pipeline run, and then tells only what has changed', async () => {
  const { show, attach, detached } = channelOf()
  const { api, frames, state } = sinkOf()
  attach(api, runWith({}))
  expect(frames()).toMatchObject([
    { type: 'pipeline_run.snapshot', pipeline_run_id: 'plr_1', pipeline_run: { id: 'plr_1' } },
  ])
  await show(runWith({}))
  expect(frames()).toEqual([])
  await show(runWith({ steps: [step('a', 'completed'), step('b', 'pending')], status: 'cancelling' }))
  expect(frames()).toMatchObject([
    { type: 'pipeline_run.cancelling' },
    { type: 'pipeline_run.step', step: { key: 'a', status: 'completed' } },
  ])
  const action = { id: 'b', step: 'b' } as PipelineRun['required_actions'][number]
  await show(
    runWith({
      steps: [step('a', 'completed'), step('b', 'pending')],
      status: 'cancelling',
      required_actions: [action],
    }),
  )
  expect(frames()).toMatchObject([{ type: 'pipeline_run.requires_action', required_actions: [{ id: 'b' }] }])
  await show(runWith({ steps: [step('a', 'completed'), step('b', 'cancelled')], status: 'cancelled' }))
  expect(frames()).toMatchObject([
    { type: 'pipeline_run.step', step: { key: 'b', status: 'cancelled' } },
    { type: 'pipeline_run.cancelled', pipeline_run: { status: 'cancelled' } },
  ])
  expect([state.ended, detached()]).toEqual(['end', 1])
})

test('a slow reader gets one difference when it is ready, and its end', async () => {
  const { show, attach } = channelOf()
  const { api, frames, state } = sinkOf()
  state.isSlow = true
  attach(api, runWith({}))
  frames()
  for (const status of ['completed', 'failed'] as const) await show(runWith({ steps: [step('a', status)] }))
  await show(runWith({ steps: [step('a', 'skipped')], status: 'completed' }))
  expect([frames(), state.ended]).toEqual([[], null])
  state.isSlow = false
  state.ready()
  expect(frames().map(({ type }) => type)).toEqual(['pipeline_run.step', 'pipeline_run.completed'])
  expect(state.ended).toBe('end')
})

test('the stream of a pipeline run that has ended is a snapshot and an end', () => {
  const { attach, detached } = channelOf()
  const { api, frames, state } = sinkOf()
  attach(api, runWith({ status: 'failed' }))
  expect(frames().map(({ type }) => type)).toEqual(['pipeline_run.snapshot', 'pipeline_run.failed'])
  expect([state.ended, detached()]).toEqual(['end', 1])
})

test('readers are interrupted when the pipeline run cannot be read, and a reader that left gets nothing', async () => {
  const { channel, show, attach, failing, detached } = channelOf()
  const [first, second] = [sinkOf(), sinkOf()]
  const leave = attach(first.api, runWith({}))
  attach(second.api, runWith({}))
  leave()
  leave()
  expect(detached()).toBe(1)
  first.frames()
  await show(runWith({ status: 'cancelling' }))
  expect(first.frames()).toEqual([])
  failing.error = new Error('no database')
  await channel.look()
  expect([first.state.ended, second.state.ended, detached()]).toEqual([null, 'interrupt', 2])
})
