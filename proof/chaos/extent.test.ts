import { expect, test } from 'vitest'
import { leastOf, mostOf } from './extent.ts'

test('the least and the greatest are found among half a million', () => {
  const numbers = Array.from({ length: 500_000 }, (_, n) => (n * 7919) % 500_000)
  expect([leastOf(numbers), mostOf(numbers)]).toEqual([0, 499_999])
})
