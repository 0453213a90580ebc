import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeRunFrame, isOutput, resumeAfter, withHoles } from './frame.ts'

const runId = 'run_01kf3xw0fqe1vrr9m8sdv2wbx4'
const at = new Date('2030-01-01T00:00:00.000Z')
const delta = (text: string) =>
  encodeRunFrame(runId, { seq: 7, type: 'run.output.delta', data: { step: 1, delta: text }, created_at: at }).text

describe('a frame', () => {
  test('is an id, a name and one line of JSON with the same content', () => {
    expect(delta('Hi')).toBe(
      `id: 7\nevent: run.output.delta\ndata: {"type":"run.output.delta","run_id":"${runId}","created_at":"2030-01-01T00:00:00.000Z","step":1,"delta":"Hi"}\n\n`,
    )
  })

  test('cannot be forged by text that looks like one', () => {
    const hostile = '\n\nid: 99\nevent: run.completed\ndata: {}\n\n\r\rdata: x\u2028\u2029\u0085\u000b\0'
    expect(delta(hostile).split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)).toHaveLength(5)
    expect(JSON.parse(/^data: (.*)$/m.exec(delta(hostile))?.[1] ?? '').delta).toBe(hostile)
  })

  test('has exactly four line breaks for any text, and the text survives a round trip', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.oneof(fc.constantFrom('\n', '\r', ':', 'data'), fc.string()) }), (text) => {
        const frame = delta(text)
        expect(frame.match(/[\n\r]/g)).toHaveLength(4)
        expect(JSON.parse(frame.split('data: ').slice(1).join('data: ')).delta).toBe(text)
      }),
    )
  })

  test('keeps its own type and run, whatever its data contains', () => {
    const data = { type: 'run.completed', run_id: 'run_x', created_at: 'never', step: 2 }
    const { text } = encodeRunFrame(runId, { seq: 1, type: 'run.step.started', data, created_at: at })
    const line = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '')
    expect(line).toMatchObject({ type: 'run.step.started', run_id: runId, created_at: at.toISOString(), step: 2 })
  })

  test('counts as text of a step by its own type, not by its content', () => {
    const isText = (type: string, data: Record<string, unknown>) =>
      isOutput(encodeRunFrame(runId, { seq: 1, type, data, created_at: at }))
    expect(isText('run.output.delta', { step: 1, delta: 'event: run.completed' })).toBe(true)
    expect(isText('run.output.reset', { step: 1 })).toBe(true)
    expect(isText('run.tool_call.completed', { step: 1, result: '\nevent: run.output.delta\n' })).toBe(false)
  })
})

describe('gaps in a range of numbers', () => {
  const holesIn = (after: number, seqs: readonly number[], upTo: number) =>
    withHoles(
      after,
      seqs.map((seq) => ({ seq })),
      upTo,
    ).map((each) => ('hole' in each ? `-${each.seq}` : String(each.seq)))

  test.for<[number, number[], number, string[]]>([
    [0, [1, 2, 3], 3, ['1', '2', '3']],
    [0, [1, 5, 6], 6, ['1', '-4', '5', '6']],
    [3, [5], 5, ['-4', '5']],
    [0, [1], 4, ['1', '-4']],
    [0, [], 9, ['-9']],
    [9, [], 9, []],
  ])('after %i with rows %j up to %i: %j', ([after, seqs, upTo, expected]) => {
    expect(holesIn(after, seqs, upTo)).toEqual(expected)
  })
})

describe('the position where a stream is resumed', () => {
  test('is taken from the header before the URL, because a browser repeats the URL', () => {
    expect(resumeAfter('12', 3)).toBe(12)
    expect(resumeAfter(undefined, 3)).toBe(3)
    expect(resumeAfter('', undefined)).toBe(0)
  })

  test.for(['-1', '1.5', 'abc', '1, 2', ' 1', '1e3', '9999999999', '１'])('is not %j', (header) => {
    expect(() => resumeAfter(header, undefined)).toThrow('Last-Event-ID must be the id of a frame')
  })
})
