import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSseParser, type SseEvent } from './sse.ts'

const parse = (chunks: readonly Uint8Array[]) => {
  const parser = createSseParser()
  const events = chunks.flatMap((chunk) => parser.push(chunk))
  return { events, lastEventId: parser.lastEventId }
}
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const frame = (data: string, id = '', event = ''): SseEvent => ({ type: 'frame', id, event, data })

test.each(['\n', '\r\n', '\r'])('a stream whose lines end with %j', (end) => {
  const lines = [
    'retry: 1500',
    '',
    ': a comment',
    'id: 7',
    'event: run.started',
    'data: {"a":1}',
    '',
    'data:b',
    'data',
    '',
    '',
  ]
  expect(parse([bytes(lines.join(end))])).toEqual({
    events: [{ type: 'retry', ms: 1500 }, frame('{"a":1}', '7', 'run.started'), frame('b\n', '7')],
    lastEventId: '7',
  })
})

test('the frames do not depend on how the bytes are split', () => {
  const text =
    ': hi\n\nid: 1\ndata: 🚀 é\n\nid: 2\r\nevent: x\r\ndata: one\r\ndata: two\r\n\r\nretry: 9\rid: 3\rdata: \u2028\r\rdata: cut'
  const whole = bytes(text)
  const expected = parse([whole])
  expect(expected.events).toHaveLength(4)
  fc.assert(
    fc.property(fc.array(fc.nat(whole.length), { maxLength: 12 }), (cuts) => {
      const edges = [0, ...cuts.toSorted((a, b) => a - b), whole.length]
      const chunks = edges.slice(1).map((edge, n) => whole.slice(edges[n], edge))
      expect(parse(chunks)).toEqual(expected)
    }),
  )
  expect(parse([...whole].map((byte) => Uint8Array.of(byte)))).toEqual(expected)
})

test('an id without data moves the resume position and is not a frame', () => {
  expect(parse([bytes('id: evt_1\n\n')])).toEqual({ events: [], lastEventId: 'evt_1' })
})

test('an incomplete frame is dropped, and its id does not count', () => {
  expect(parse([bytes('id: 1\ndata: a\n\nid: 2\ndata: b\n')])).toEqual({ events: [frame('a', '1')], lastEventId: '1' })
})

test('invalid ids, times and fields are ignored', () => {
  expect(parse([bytes('id: a\0b\nretry: soon\nwhatever: x\ndata: y\n\n')]).events).toEqual([frame('y')])
})

test('a frame of ten megabytes in small chunks is assembled', () => {
  const piece = bytes('x'.repeat(16_384))
  const { events } = parse([bytes('data: '), ...Array.from({ length: 640 }, () => piece), bytes('\n\n')])
  expect(events.map((event) => event.type === 'frame' && event.data.length)).toEqual([10_485_760])
})
