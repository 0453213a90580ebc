import { expect, test } from 'vitest'
import { textSize } from './text-size.ts'

test.each([
  [null, 0],
  [undefined, 0],
  [12, 0],
  ['four', 4],
  [{ text: 'four' }, 8],
  [{ calls: [{ result: 'x'.repeat(1000) }, null] }, 1013],
])('%j has about %i characters', (value, size) => {
  expect(textSize(value)).toBe(size)
})
