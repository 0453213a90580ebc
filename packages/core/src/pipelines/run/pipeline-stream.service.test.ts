import type { PipelineRun, StreamSink } from '@ars/contract'
import { systemClock } from '@ars/platform/clock'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { testRequest } from '@ars/testkit/caller'
import { afterEach, expect, test } from 'vitest'
import type { StoredPipelineRun } from './pipeline-run.store.ts'
import { createPipelineStreams, type PipelineStreams } from './pipeline-stream.service.ts'

const newId = createIdMaker(systemClock)
const org = toUuid(newId('org'))
let opened: PipelineStreams | null = null
afterEach(() => opened?.close())

/** One pipeline run that the test changes, and Redis as the test wants it. */
const worldOf = ({ isUp = true, lookEveryMs = 60_000 } = {}) => {
  const id = newId('plr')
  const state = { status: 'running' as PipelineRun['status'], reads: 0, atOnce: 0, maxAtOnce: 0 }
  const listeners = new Map<string, (message: string) => void>()
  const stored = { run: { owner_id: null, id: toUuid(id), definition: { steps: [] } }, steps: [] }
  const streams = createPipelineStreams({
    view: {
      read: async (_, uuid) => {
        state.reads++
        state.maxAtOnce = Math.max(state.maxAtOnce, ++state.atOnce)
        await new Promise((resolve) => setImmediate(resolve))
        state.atOnce--
        if (uuid !== toUuid(id)) return null
        const wire = { id, status: state.status, steps: [], required_actions: [] } as unknown as PipelineRun
        return { stored: stored as unknown as StoredPipelineRun, wire }
      },
    },
    pubSub: {
      publish: () => undefined,
      subscribe: async (channel, listener) => void listeners.set(channel, listener),
      unsubscribe: (channel) => void listeners.delete(channel),
      isUp: () => isUp,
      version: async () => '',
      close: () => undefined,
    },
    log: { warn: () => undefined, error: () => undefined } as never,
    lookEveryMs,
  })
  opened = streams
  const hear = (): void => {
    for (const listener of listeners.values()) listener('')
  }
  const open = async (lastEventId?: string) => {
    const stream = await streams.watch({ ...testRequest(org), lastEventId }, id)
    const got = { text: '', isEnded: false }
    const sink: StreamSink = {
      write: (text) => {
        got.text += text
        return true
      },
      whenReady: () => undefined,
      end: () => {
        got.isEnded = true
      },
      interrupt: () => undefined,
    }
    return { got, leave: stream.attach(sink) }
  }
  return { id, state, streams, listeners, hear, open }
}

test('streams of one pipeline run share each reading, and the last one that leaves ends it', async () => {
  const { state, listeners, hear, open } = worldOf()
  const readers = await Promise.all(Array.from({ length: 20 }, () => open()))
  expect(state.reads).toBe(1)
  expect(listeners.size).toBe(1)
  // The reading after the last of them attached.
  await expect.poll(() => state.reads).toBe(2)
  state.status = 'cancelling'
  hear()
  hear()
  await expect.poll(() => readers.every(({ got }) => got.text.includes('pipeline_run.cancelling'))).toBe(true)
  expect(state.reads).toBe(3)
  for (const { leave } of readers) leave()
  await expect.poll(() => listeners.size).toBe(0)
  state.status = 'cancelled'
  expect(readers.some(({ got }) => got.isEnded)).toBe(false)
})

test.each([
  ['lost', { isUp: true, lookEveryMs: 100 }],
  ['impossible', { isUp: false }],
])('a change reaches the streams when messages are %s', async (_, settings) => {
  const { state, open } = worldOf(settings)
  const { got } = await open('6')
  await expect.poll(() => state.reads).toBeGreaterThan(1)
  state.status = 'completed'
  await expect.poll(() => got.isEnded).toBe(true)
  expect(got.text.match(/^(id|event): .*$/gm)).toEqual([
    'id: 7',
    'event: pipeline_run.snapshot',
    'id: 8',
    'event: pipeline_run.completed',
  ])
})

test('a pipeline run that does not exist, and one of another owner, leave nothing behind', async () => {
  const { id, streams, listeners } = worldOf()
  await expect(streams.watch(testRequest(org), newId('plr'))).rejects.toMatchObject({ code: 'not_found' })
  const token = { ...testRequest(org), runOwner: toUuid(newId('run')) }
  await expect(streams.watch(token, id)).rejects.toMatchObject({ code: 'forbidden' })
  const wrong = { ...testRequest(org), lastEventId: 'evt_1' }
  await expect(streams.watch(wrong, id)).rejects.toMatchObject({ code: 'invalid_request', param: 'Last-Event-ID' })
  await expect.poll(() => listeners.size).toBe(0)
})

test('a gateway reads few pipeline runs at once, however many are watched (pipelinesBounds.streamReads)', async () => {
  const { state, streams } = worldOf()
  const asked = Array.from({ length: 40 }, () => streams.watch(testRequest(org), newId('plr')))
  for (const { status } of await Promise.allSettled(asked)) expect(status).toBe('rejected')
  expect(state.reads).toBe(40)
  expect(state.maxAtOnce).toBeLessThanOrEqual(4)
})
