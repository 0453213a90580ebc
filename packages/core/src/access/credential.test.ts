import fc from 'fast-check'
import { expect, test } from 'vitest'
import { credentialRandomBytes, describeCredential, formatCredential, hasTrueChecksum, kindOf } from './credential.ts'

const bytes = fc.uint8Array({ minLength: credentialRandomBytes, maxLength: credentialRandomBytes })

test('an issued credential is well formed, and one changed character is detected without a lookup', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('live' as const, 'demo' as const, 'st' as const),
      bytes,
      fc.nat({ max: 37 }),
      fc.constantFrom(...'0189AZaz'),
      (kind, random, at, letter) => {
        const text = formatCredential(kind, random)
        expect(kindOf(text)).toBe(kind)
        expect(hasTrueChecksum(text)).toBe(true)
        const place = `ars_${kind}_`.length + at
        const changed = text.slice(0, place) + letter + text.slice(place + 1)
        expect(hasTrueChecksum(changed)).toBe(changed === text)
      },
    ),
  )
})

test('the form of a key does not change', () => {
  const key = formatCredential('live', new Uint8Array(credentialRandomBytes).fill(7))
  expect(key).toBe('ars_live_Tw9KSulA8Ghct30vZz4HpdQ5c5b9cPF12jTTbG')
})

test('a key reveals only its kind and its last four characters', () => {
  const key = formatCredential('demo', new Uint8Array(credentialRandomBytes).fill(7))
  const { prefix, hint } = describeCredential(key)
  expect(prefix).toBe('ars_demo_')
  expect(key.endsWith(hint) && hint.length === 4).toBe(true)
})

test.each([
  '',
  'ars_live_',
  'ars_live_short',
  'sk_live_00000000000000000000000000000000000000',
  `ars_root_${'0'.repeat(38)}`,
  `ars_live_${'0'.repeat(39)}`,
  `ars_live_${'0'.repeat(38)}\n`,
  `ars_live_${'é'.repeat(38)}`,
])('%j is not a credential', (text) => {
  expect(kindOf(text)).toBeNull()
})
