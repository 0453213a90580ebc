import { expect, test } from 'vitest'
import { bytes, shortCount, usd } from './format.ts'

test.each([
  [12, '12 B'],
  [2_048, '2.0 KB'],
  [5 * 1_048_576, '5.0 MB'],
  [100 * 1_073_741_824, '100.0 GB'],
])('%i bytes are shown as %s', (value, shown) => {
  expect(bytes(value)).toBe(shown)
})

test.each([
  [0.00012, '$0.00012'],
  [1.23456, '$1.235'],
  [12.3456, '$12.35'],
  [12_345.6, '$12,346'],
])('%f dollars are shown as %s', (value, shown) => {
  expect(usd(value)).toBe(shown)
})

test('large numbers are shortened', () => {
  expect([999, 12_345, 4_000_000].map(shortCount)).toEqual(['999', '12.3K', '4M'])
})
