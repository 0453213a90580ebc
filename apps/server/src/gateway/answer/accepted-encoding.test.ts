import { expect, test } from 'vitest'
import { acceptedEncoding } from './accepted-encoding.ts'

const available = ['br', 'gzip'] as const

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['br;q=0.8, gzip;q=0.8', 'br'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0, gzip;q=0', 'identity'],
  ['*', 'br'],
  ['*;q=0', 'identity'],
  ['br;q=0, *', 'gzip'],
  ['identity, gzip;q=0.5', 'identity'],
  ['identity;q=0.2, gzip;q=0.5', 'gzip'],
  ['br;q=high, gzip;q=2, deflate', 'identity'],
  ['br ; q=0.1', 'br'],
  ['zstd', 'identity'],
])('of Accept-Encoding %j the best coding is %s', (header, expected) => {
  expect(acceptedEncoding(header, available)).toBe(expected)
})

test('a file that is not compressed is sent as it is', () => {
  expect(acceptedEncoding('br, gzip', [])).toBe('identity')
})
