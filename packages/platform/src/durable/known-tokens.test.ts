import { expect, test } from 'vitest'
import { createKnownTokens } from './known-tokens.ts'

const tokenOf = (claims: unknown, rest = 'signature') =>
  `header.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${rest}`

test('a token is known for its path until it expires', () => {
  let nowMs = 100_000
  const known = createKnownTokens({ now: () => new Date(nowMs) })
  const token = tokenOf({ exp: 160 })
  expect(known.has('/invoke/runs/step', token)).toBe(false)
  known.add('/invoke/runs/step', token)
  expect(known.has('/invoke/runs/step', token)).toBe(true)
  expect(known.has('/invoke/runs/other', token)).toBe(false)
  expect(known.has('/invoke/runs/step', tokenOf({ exp: 160 }, 'another'))).toBe(false)
  nowMs = 159_999
  expect(known.has('/invoke/runs/step', token)).toBe(true)
  nowMs = 160_000
  expect(known.has('/invoke/runs/step', token)).toBe(false)
})

test('a token without a time of expiry and a long one are never known (platformBounds.engineTokenKnown)', () => {
  const known = createKnownTokens({ now: () => new Date(0) })
  for (const token of [
    tokenOf({}),
    tokenOf({ exp: '160' }),
    'nonsense',
    '',
    tokenOf({ exp: 160 }, 'x'.repeat(2_000)),
  ]) {
    known.add('/discover', token)
    expect(known.has('/discover', token), token.slice(0, 20)).toBe(false)
  }
})

test('at most a thousand tokens are known, and the oldest go first (platformBounds.engineTokensKnown)', () => {
  const known = createKnownTokens({ now: () => new Date(0) })
  const tokens = Array.from({ length: 1_001 }, (_, n) => tokenOf({ exp: 160 }, `${n}`))
  for (const token of tokens) known.add('/discover', token)
  expect(known.has('/discover', tokens[0] ?? '')).toBe(false)
  expect(known.has('/discover', tokens[1] ?? '')).toBe(true)
  expect(known.has('/discover', tokens[1_000] ?? '')).toBe(true)
})
