import { expect, test } from 'vitest'
import type { Frame } from '../../lab/client/sse-frames.ts'
import { checkStream, textOf, type WatchedStream } from './streams.ts'

const frame = (id: number, event: string, more: { step?: number; delta?: string } = {}): Frame => ({
  id,
  event,
  data: { type: event, run_id: 'run_1', ...more },
})

const sound = (): WatchedStream => ({
  name: 's',
  status: 'completed',
  result: 'Hello world',
  frames: [
    frame(1, 'run.created'),
    frame(2, 'run.output.delta', { step: 1, delta: 'lost' }),
    frame(3, 'run.output.reset', { step: 1 }),
    frame(4, 'run.output.delta', { step: 1, delta: 'Hello ' }),
    frame(5, 'run.output.delta', { step: 2, delta: 'world' }),
    frame(6, 'run.completed'),
  ],
})
const planted = (change: (frames: Frame[]) => Frame[], more: Partial<WatchedStream> = {}): string =>
  checkStream({ ...sound(), ...more, frames: change([...sound().frames]) }).join('\n')

test('a sound stream has no fault, and a reset drops the deltas of its step only', () => {
  expect(checkStream(sound())).toEqual([])
  expect(textOf(sound().frames)).toBe('Hello world')
})

test.for<[string, string, string]>([
  ['a gap', planted((frames) => frames.toSpliced(2, 1)), 'frame 4 follows 2'],
  ['a frame twice', planted((frames) => frames.toSpliced(3, 0, frames[2]!)), 'frame 3 follows 3'],
  ['a missing beginning', planted((frames) => frames.slice(1)), 'frame 2 follows nothing'],
  ['a second end', planted((frames) => [...frames, frame(7, 'run.failed')]), 'has 2 terminal events'],
  ['something after the end', planted((frames) => [...frames, frame(7, 'run.started')]), 'ends with run.started'],
  ['no end', planted((frames) => frames.slice(0, -1)), 'has 0 terminal events'],
  ['another end than the stored one', planted((frames) => frames, { status: 'failed' }), 'and is failed'],
  ['other text', planted((frames) => frames, { result: 'Hello World' }), 'first apart at 6'],
  ['a wrong label', planted((frames) => frames.with(0, { ...frames[0]!, event: 'run.started' })), 'says run.created'],
])('%s is found', ([, found, words]) => {
  expect(found).toContain(words)
})
