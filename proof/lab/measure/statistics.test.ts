import { describe, expect, test } from 'vitest'
import { driftOf, isSelfComparisonFair, median, medianInterval, quantile, rejectionOf, spreadOf } from './statistics.ts'

describe('the middle and the spread', () => {
  test('the median of an odd number of values is the one in the middle, in whatever order they come', () => {
    expect(median([9, 1, 5])).toBe(5)
  })

  test('the median of an even number of values lies between the two in the middle', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5)
  })

  test('one value is its own median and has no spread', () => {
    expect(spreadOf([0.5])).toEqual({ median: 0.5, from: 0.5, to: 0.5 })
  })

  test('the quartiles are interpolated', () => {
    expect(spreadOf([1, 2, 3, 4, 5])).toEqual({ median: 3, from: 2, to: 4 })
    expect(spreadOf([1, 2, 3, 4])).toEqual({ median: 2.5, from: 1.75, to: 3.25 })
  })

  test('the outermost quantiles are the least and the greatest value', () => {
    expect([quantile([3, 1, 2], 0), quantile([3, 1, 2], 1)]).toEqual([1, 3])
  })

  test('one wild round moves the median little', () => {
    expect(median([0.5, 0.51, 0.49, 0.5, 9])).toBe(0.5)
  })

  test('nothing has no median, and the input is not reordered', () => {
    const values = [3, 1, 2]
    expect(median([])).toBeNaN()
    median(values)
    expect(values).toEqual([3, 1, 2])
  })
})

describe('which rounds count', () => {
  const quiet = [0.01, 0.02, 0.03, 0.02]

  test('a quiet round with a steady control counts', () => {
    expect(rejectionOf({ control: [600, 590], foreignShares: quiet })).toBeUndefined()
  })

  test('exactly at the limits a round still counts', () => {
    expect(rejectionOf({ control: [100, 80], foreignShares: [0.1] })).toBeUndefined()
  })

  test('one window in which others took more than a tenth of the machine spoils the round', () => {
    expect(rejectionOf({ control: [600, 590], foreignShares: [0.01, 0.11, 0.01, 0.01] })).toBe(
      'other programs used 11.0 % of the machine',
    )
  })

  test('a control that moves by more than a fifth spoils the round, whichever way it moves', () => {
    expect(rejectionOf({ control: [600, 470], foreignShares: quiet })).toMatch(/^the control drifted by 21\.7 %$/)
    expect(rejectionOf({ control: [470, 600], foreignShares: quiet })).toMatch(/^the control drifted/)
  })

  test('a control that answered nothing spoils the round', () => {
    expect(rejectionOf({ control: [0, 0], foreignShares: quiet })).toMatch(/^the control drifted/)
    expect(driftOf([0, 100])).toBe(1)
  })
})

describe('the control against itself', () => {
  test('must come out between 0.90 and 1.10', () => {
    expect([0.89, 0.9, 1, 1.1, 1.11].map(isSelfComparisonFair)).toEqual([false, true, true, true, false])
    expect(isSelfComparisonFair(Number.NaN)).toBe(false)
  })
})

describe('the interval of the median', () => {
  const numbers = (n: number): number[] => Array.from({ length: n }, (_, index) => index + 1)

  test('has the ranks and the confidence of the binomial table', () => {
    expect(medianInterval(numbers(15))).toEqual({ from: 4, to: 12, confidence: expect.closeTo(0.9648, 4) })
    expect(medianInterval(numbers(16))).toEqual({ from: 4, to: 13, confidence: expect.closeTo(0.9787, 4) })
    expect(medianInterval(numbers(20))).toEqual({ from: 6, to: 15, confidence: expect.closeTo(0.9586, 4) })
    expect(medianInterval(numbers(6))).toEqual({ from: 1, to: 6, confidence: expect.closeTo(0.9688, 4) })
  })

  test('of fewer than six values is their whole range, with the confidence that it has', () => {
    expect(medianInterval([3, 1, 2])).toEqual({ from: 1, to: 3, confidence: 0.75 })
    expect(medianInterval([7])).toEqual({ from: 7, to: 7, confidence: 0 })
  })
})
