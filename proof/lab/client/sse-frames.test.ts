import { expect, test } from 'vitest'
import { frameReader } from './sse-frames.ts'

const stream = [
  'retry: 1500\n\n',
  ': still here\n\n',
  'id: 1\nevent: run.created\ndata: {"type":"run.created","run_id":"run_1"}\n\n',
  'id: 2\nevent: run.output.delta\ndata: {"type":"run.output.delta","run_id":"run_1","step":1,"delta":"a\\nb: c"}\n\n',
].join('')

test('frames come out whole wherever the text is cut', () => {
  for (let cut = 0; cut <= stream.length; cut++) {
    const reader = frameReader()
    const frames = [...reader.push(stream.slice(0, cut)), ...reader.push(stream.slice(cut))]
    expect(frames.map(({ id, event }) => [id, event])).toEqual([
      [1, 'run.created'],
      [2, 'run.output.delta'],
    ])
    expect(frames[1]?.data.delta).toBe('a\nb: c')
    expect(reader).toMatchObject({ comments: 1, retryMs: 1500 })
  }
})

test('a frame without its empty line is not there yet', () => {
  const reader = frameReader()
  expect(reader.push(stream.slice(0, -1))).toHaveLength(1)
  expect(reader.push('\n')).toHaveLength(1)
})
