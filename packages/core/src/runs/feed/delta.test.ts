import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runsBounds } from '../bounds.ts'
import { takeDelta } from './delta.ts'

test('a text is reassembled unchanged from its deltas, and no character is split', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 0, maxLength: 50 })
  fc.assert(
    fc.property(fc.array(text), fc.integer({ min: 1, max: 3 }), (words, cut) => {
      const whole = words.join('')
      let waiting = ''
      let said = ''
      for (let at = 0; at < whole.length; at += cut) {
        const { delta, rest } = takeDelta(waiting + whole.slice(at, at + cut), { more: true })
        expect(delta.isWellFormed()).toBe(true)
        said += delta
        waiting = rest
      }
      expect(said + takeDelta(waiting, { more: false }).delta).toBe(whole)
    }),
  )
})

test('a long text is split, and not inside a surrogate pair', () => {
  const text = `${'a'.repeat(runsBounds.delta.chars - 1)}😀b`
  const first = takeDelta(text, { more: false })
  expect(first.delta).toHaveLength(runsBounds.delta.chars - 1)
  expect(takeDelta(first.rest, { more: false })).toEqual({ delta: '😀b', rest: '' })
})

test('a lone surrogate at the very end is emitted unchanged', () => {
  expect(takeDelta('a\ud83d', { more: true })).toEqual({ delta: 'a', rest: '\ud83d' })
  expect(takeDelta('a\ud83d', { more: false })).toEqual({ delta: 'a\ud83d', rest: '' })
})
