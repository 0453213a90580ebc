import { expect, test } from 'vitest'
import { bytes } from './format.ts'

test.each([
  [12, '12 B'],
  [2_048, '2.0 KB'],
  [5 * 1_048_576, '5.0 MB'],
  [100 * 1_073_741_824, '100.0 GB'],
])('%i bytes are shown as %s', (value, shown) => {
  expect(bytes(value)).toBe(shown)
})
