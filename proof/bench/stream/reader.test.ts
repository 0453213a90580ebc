import { describe, expect, test } from 'vitest'
import { type OpenTally, StreamReader } from './reader.ts'

const at = '2030-01-01T00:00:00.000Z'
const nowMs = (): number => Date.parse(at) + 7

const frame = (id: number, event = 'run.output.delta'): string =>
  `id: ${id}\nevent: ${event}\ndata: {"type":"${event}","run_id":"run_1","created_at":"${at}","step":1,"delta":"Hello"}\n\n`

const readAll = (...texts: string[]): { reader: StreamReader; tally: OpenTally } => {
  const tally: OpenTally = { isOpen: true, latenciesMs: [], bytes: 0 }
  const reader = new StreamReader(tally, nowMs)
  for (const text of texts) reader.read(text)
  return { reader, tally }
}

describe('what a stream was given', () => {
  test('a whole stream has no gap, no duplicate and an end', () => {
    const text = `retry: 3000\n\n${frame(1, 'run.created')}${frame(2)}:\n\n${frame(3)}${frame(4, 'run.cancelled')}`
    expect(readAll(text).reader.outcome).toMatchObject({
      ...{ firstId: 1, lastId: 4, frames: 4, deltas: 2, gaps: 0, duplicates: 0, ending: 'run.cancelled' },
    })
  })

  test('a frame that arrives in pieces is one frame, wherever it is cut', () => {
    const text = frame(1) + frame(2)
    for (let cut = 1; cut < text.length; cut++) {
      const { reader, tally } = readAll(text.slice(0, cut), text.slice(cut))
      expect(reader.outcome).toMatchObject({ frames: 2, gaps: 0, duplicates: 0 })
      expect(tally.bytes).toBe(text.length)
    }
  })

  test('a frame that is missing is a gap', () => {
    expect(readAll(frame(1), frame(2), frame(4)).reader.outcome).toMatchObject({ gaps: 1, duplicates: 0, lastId: 4 })
  })

  test('a frame that comes again, or out of its turn, is a duplicate', () => {
    expect(readAll(frame(1), frame(2), frame(2)).reader.outcome).toMatchObject({ gaps: 0, duplicates: 1 })
    expect(readAll(frame(1), frame(2), frame(3), frame(1)).reader.outcome).toMatchObject({ duplicates: 1, lastId: 3 })
  })

  test('a stream that goes on after its end has none', () => {
    expect(readAll(frame(1, 'run.completed'), frame(2)).reader.outcome.ending).toBeUndefined()
  })
})

describe('what counts in a window', () => {
  test('pieces of text count, from the moment they were stored to the moment they came', () => {
    const { tally } = readAll(frame(1, 'run.created'), frame(2), frame(3))
    expect(tally.latenciesMs).toEqual([7, 7])
    expect(tally.bytes).toBe(2 * frame(2).length)
  })

  test('what comes while no window is open does not count', () => {
    const { reader, tally } = readAll(frame(1))
    tally.isOpen = false
    reader.read(frame(2))
    expect(tally.latenciesMs).toHaveLength(1)
    expect(reader.outcome.deltas).toBe(2)
  })
})
