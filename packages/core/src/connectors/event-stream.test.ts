import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEventReader } from './event-stream.ts'

const readAll = (pieces: readonly string[]) => {
  const read = createEventReader()
  return pieces.flatMap(read)
}

test('an event has its name and all its data lines; comments and empty events are skipped', () => {
  const text = ': hello\n\nevent: tick\ndata: 1\ndata: 2\nid: 7\n\ndata:{"a":1}\n\n\n\nevent: empty\n\ndata: unfinished'
  expect(readAll([text])).toEqual([
    { event: 'tick', data: '1\n2' },
    { event: 'message', data: '{"a":1}' },
  ])
})

test('events are the same regardless of chunking and line endings', () => {
  const events = fc.array(fc.array(fc.stringMatching(/^[a-z :]{0,8}$/), { minLength: 1, maxLength: 3 }), {
    maxLength: 5,
  })
  const ending = fc.constantFrom('\n', '\r', '\r\n')
  fc.assert(
    fc.property(events, ending, fc.infiniteStream(fc.integer({ min: 1, max: 4 })), (expected, end, sizes) => {
      const text = expected.map((lines) => lines.map((line) => `data: ${line}${end}`).join('') + end).join('')
      const pieces: string[] = []
      for (let at = 0; at < text.length; ) {
        const size = sizes.next().value
        pieces.push(text.slice(at, at + size))
        at += size
      }
      expect(readAll(pieces)).toEqual(expected.map((lines) => ({ event: 'message', data: lines.join('\n') })))
    }),
  )
})
