import { expect, test } from 'vitest'
import { encodeBase58 } from './secrets.ts'

test.each([
  ['48656c6c6f20576f726c6421', '2NEpo7TZRRrLZSi2U'],
  ['0000287fb4cd', '11233QC4'],
  ['00', '1'],
  ['', ''],
])('the bytes %s read %s in base58', (hex, written) => {
  expect(encodeBase58(Buffer.from(hex, 'hex'))).toBe(written)
})
