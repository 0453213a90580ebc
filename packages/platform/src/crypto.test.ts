import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson } from './crypto.ts'

test('two spellings of a JSON value have the same canonical text', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(canonicalJson(JSON.parse(JSON.stringify(value, null, 2)))).toBe(text)
    }),
  )
  expect(canonicalJson({ b: 1, a: { d: [2, 1], c: null } })).toBe(canonicalJson({ a: { c: null, d: [2, 1] }, b: 1 }))
})

test('different values have different texts', () => {
  expect(canonicalJson({ a: [1, 2] })).not.toBe(canonicalJson({ a: [2, 1] }))
  expect(canonicalJson({ a: '1' })).not.toBe(canonicalJson({ a: 1 }))
})
