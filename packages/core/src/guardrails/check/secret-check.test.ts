import { expect, test } from 'vitest'
import { formatCredential } from '../../access/credential.ts'
import { createDice } from './corpus-random.fixture.ts'
import { secretMakers } from './corpus-secrets.fixture.ts'
import { createSecretCheck } from './secret-check.ts'

const check = createSecretCheck()
const foundIn = (text: string): string[] => check.find(text).map(({ start, end }) => text.slice(start, end))

test('the keys of this service are found by their checksum, in the format in which they are issued', () => {
  for (const kind of ['live', 'demo', 'st', 'share'] as const) {
    const key = formatCredential(
      kind,
      new Uint8Array(32).fill(kind.length).map((value, index) => value * index * 31),
    )
    expect(foundIn(`Authorization: Bearer ${key}.`)).toEqual([key])
    expect(foundIn(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`)).toEqual([])
  }
})

test('tokens that GitHub issued and revoked are found, and none of them with another letter', () => {
  for (const token of ['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', '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']) {
    expect(foundIn(`git clone https://${token}@github.com/a/b`)).toEqual([token])
    expect(foundIn(token.replace('ghp_', 'ghp_x').slice(0, -1))).toEqual([])
  }
})

test('every secret is found whole wherever it stands', () => {
  const dice = createDice(7)
  for (const make of secretMakers)
    for (const frame of [
      ['', ''],
      ['key: "', '"'],
      ['(', ')'],
      ['Use ', '. Then go on.'],
      ['a\n', '\nb'],
    ] as const) {
      const secret = make(dice)
      expect(foundIn(frame[0] + secret + frame[1])).toEqual([secret])
    }
})

test.for([
  'sk-',
  'the task-sk_live_ prefix',
  'AKIAIOSFODNN7EXAMPLE',
  'akiaqwertyuiopasdfgh',
  'xAKIAQWERTYUIOPASDFGH',
  'sk_live_xxxxxxxxxxxxxxxxxxxxxxxx',
  'AIzaXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX',
  'eyJhbGciOiJIUzI1NiJ9',
  'eyJub3QiOiJhIGp3dCJ9.eyJub3QiOiJhIGp3dCJ9.c2lnbmF0dXJlYWJjZGVm',
  '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----',
  '-----BEGIN RSA PRIVATE KEY----- is how such a file begins'.replace('----- is', '-----'),
  'AC0123456789abcdef0123456789abcdef',
  'npm_config_registry',
  'github_pat_11AAAAAAA0000000000000_short',
  'SG.short.value',
  'hf_transfer is a package',
])('%s is no secret', (text) => {
  expect(foundIn(text)).toEqual([])
})

test('a key block without its end goes on to the end of the text', () => {
  const text = `Here: -----BEGIN EC PRIVATE KEY-----\n${'MHcCAQEEIO+abcdefgh/12345678\n'.repeat(40)}`
  expect(check.find(text)).toEqual([{ start: 6, end: text.length, kind: 'SECRET' }])
})
