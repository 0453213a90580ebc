import { expect, test } from 'vitest'
import { seededRandom } from './random.ts'

const draw = (seed: string): number[] => {
  const random = seededRandom(seed)
  return Array.from({ length: 50 }, () => random.whole(1, 1000))
}

test('the same seed draws the same, another seed draws otherwise', () => {
  expect(draw('7/lost')).toEqual(draw('7/lost'))
  expect(draw('7/lost')).not.toEqual(draw('8/lost'))
})

test('what one fork draws does not move another', () => {
  const [one, two] = [seededRandom('7'), seededRandom('7')]
  one.fork('clients').next()
  expect(one.fork('kills').next()).toBe(two.fork('kills').next())
})

test('whole numbers reach both ends and nothing beyond', () => {
  const random = seededRandom('ends')
  const drawn = new Set(Array.from({ length: 500 }, () => random.whole(1, 4)))
  expect([...drawn].toSorted()).toEqual([1, 2, 3, 4])
})

test('a shuffle loses nothing', () => {
  const items = Array.from({ length: 30 }, (_, n) => n)
  const shuffled = seededRandom('cards').shuffle(items)
  expect(shuffled).not.toEqual(items)
  expect(shuffled.toSorted((a, b) => a - b)).toEqual(items)
})
