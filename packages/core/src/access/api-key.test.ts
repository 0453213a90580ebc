import fc from 'fast-check'
import { expect, test } from 'vitest'
import { apiKeyRandomBytes, describeApiKey, formatApiKey, isWellFormedApiKey } from './api-key.ts'

const bytes = fc.uint8Array({ minLength: apiKeyRandomBytes, maxLength: apiKeyRandomBytes })

test('a key that was issued is well formed, and one changed letter is noticed without a look-up', () => {
  fc.assert(
    fc.property(bytes, fc.nat({ max: 37 }), fc.constantFrom(...'0189AZaz'), (random, at, letter) => {
      const key = formatApiKey('live', random)
      expect(isWellFormedApiKey(key)).toBe(true)
      const place = 'ars_live_'.length + at
      const changed = key.slice(0, place) + letter + key.slice(place + 1)
      expect(isWellFormedApiKey(changed)).toBe(changed === key)
    }),
  )
})

test('a key shows of itself only its kind and its last four letters', () => {
  const key = formatApiKey('demo', new Uint8Array(apiKeyRandomBytes).fill(7))
  const { prefix, hint } = describeApiKey(key)
  expect(prefix).toBe('ars_demo_')
  expect(key.endsWith(hint) && hint.length === 4).toBe(true)
})

test.each([
  '',
  'ars_live_',
  'ars_live_short',
  'sk_live_00000000000000000000000000000000000000',
  `ars_live_${'é'.repeat(38)}`,
])('%j is no key', (text) => {
  expect(isWellFormedApiKey(text)).toBe(false)
})
