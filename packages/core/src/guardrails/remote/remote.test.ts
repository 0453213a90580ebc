import fc from 'fast-check'
import { expect, test } from 'vitest'
import { guardrailsBounds } from '../bounds.ts'

import { verdictOfWire } from './guardrail-wire.ts'
import { verdictOfReply } from './model-verdict.ts'
import { verdictOfEntities } from './presidio.ts'
import { changedSpan, reasonOf } from './remote.ts'

const answers = fc.oneof(
  fc.jsonValue(),
  fc.record({ action: fc.constantFrom('NONE', 'BLOCKED', 'GUARDRAIL_INTERVENED', 'x'), texts: fc.jsonValue() }),
  fc.array(fc.record({ entity_type: fc.jsonValue(), start: fc.integer(), end: fc.integer(), score: fc.double() })),
)

test('every answer of a host becomes a verdict, and its pieces lie in the text', () => {
  fc.assert(
    fc.property(answers, fc.string({ unit: 'grapheme' }), (answer, text) => {
      for (const verdict of [verdictOfWire(answer, text), verdictOfEntities(answer, text, 0.5)]) {
        expect(['pass', 'violation', 'error']).toContain(verdict.kind)
        let at = 0
        for (const { start, end } of (verdict.kind === 'violation' && verdict.spans) || []) {
          expect(start).toBeGreaterThanOrEqual(at)
          expect(end).toBeLessThanOrEqual(text.length)
          at = end
        }
      }
      expect(verdictOfReply(JSON.stringify(answer), text).kind).toBe('error')
    }),
  )
})

test('the pieces of Presidio count code points', () => {
  const text = '😀 Ada 😀 ada@example.com'
  const entity = (entity_type: string, start: number, end: number, score = 0.9) => ({ entity_type, start, end, score })
  expect(
    verdictOfEntities([entity('EMAIL_ADDRESS', 8, 23), entity('PERSON', 2, 5), entity('URL', 12, 23, 0.4)], text, 0.5),
  ).toEqual({
    kind: 'violation',
    reason: 'It contains EMAIL, PERSON',
    spans: [
      { start: 3, end: 6, kind: 'PERSON' },
      { start: 10, end: 25, kind: 'EMAIL' },
    ],
  })
  expect(verdictOfEntities([entity('A', 0, 4), entity('B', 2, 9), entity('C', 9, 10)], text, 0)).toMatchObject({
    spans: [
      { start: 0, end: 11, kind: 'A' },
      { start: 11, end: 12, kind: 'C' },
    ],
  })
  expect(verdictOfEntities([], text, 0)).toEqual({ kind: 'pass' })
  const many = Array.from({ length: guardrailsBounds.spansOfCheck.count + 1 }, () => entity('A', 0, 1))
  for (const answer of [many, {}, [{}], [entity('A', 0, 999)], [entity('A', 5, 5)], [entity('A', -1, 2)]])
    expect(verdictOfEntities(answer, text, 0).kind).toBe('error')
})

test('the piece that a host replaced is found, and the rest is kept', () => {
  const part = fc.string({ unit: 'grapheme' })
  fc.assert(
    fc.property(
      part,
      part.filter((text) => text !== ''),
      part,
      part,
      (before, secret, after, mask) => {
        const [text, replacement] = [before + secret + after, before + mask + after]
        fc.pre(text !== replacement)
        const { start, end } = changedSpan(text, replacement)
        expect(start).toBeGreaterThanOrEqual(0)
        expect(end).toBeGreaterThan(start)
        expect(end).toBeLessThanOrEqual(text.length)
        expect(text.slice(0, start).isWellFormed() && text.slice(end).isWellFormed()).toBe(true)
        expect(replacement.startsWith(text.slice(0, start))).toBe(true)
        expect(replacement.endsWith(text.slice(end))).toBe(true)
      },
    ),
  )
})

test('a reason never quotes the text', () => {
  const text = 'My password is Hunter2Hunter2!'
  const otherwise = 'It was blocked'
  expect(reasonOf('It tells a secret', text, otherwise)).toBe('It tells a secret')
  expect(reasonOf('It says "hunter2hunter2"', text, otherwise)).toBe(otherwise)
  expect(reasonOf('It says abc123', 'abc123', otherwise)).toBe(otherwise)
  expect(reasonOf('  a\u0000b\n ', text, otherwise)).toBe('a b')
  expect(reasonOf('x'.repeat(1_000), text, otherwise)).toHaveLength(200)
  for (const nothing of [undefined, null, 1, {}, '', '   ']) expect(reasonOf(nothing, text, otherwise)).toBe(otherwise)
})

test('a verdict of a model is one JSON object, with or without a code block', () => {
  const violates = { kind: 'violation', reason: 'It is rude' }
  expect(verdictOfReply('{"violation": true, "reason": "It is rude"}', 'text')).toEqual(violates)
  expect(verdictOfReply('```json\n{"violation": true, "reason": "It is rude"}\n```', 'text')).toEqual(violates)
  expect(verdictOfReply('{"violation": false, "reason": ""}', 'text')).toEqual({ kind: 'pass' })
  for (const reply of ['', 'no', 'null', '[]', '{"violation": "false"}', '{"violation": true', 'false'])
    expect(verdictOfReply(reply, 'text').kind).toBe('error')
})
