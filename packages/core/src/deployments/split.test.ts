import { describe, expect, test } from 'vitest'
import { bucketOf, sideOf } from './split.ts'

const agent = '0199aaaa-0000-7000-8000-00000000000a'
const other = '0199aaaa-0000-7000-8000-00000000000b'
const keys = Array.from({ length: 100_000 }, (_, n) => `order-${n}`)
const canaryKeys = (percent: number) => new Set(keys.filter((key) => sideOf(agent, key, percent) === 'canary'))

describe('the side of a canary that a run is assigned to', () => {
  test('of 100,000 keys, the share assigned to a 10 % canary is within 0.3 points', () => {
    const share = (100 * canaryKeys(10).size) / keys.length
    expect(share).toBeGreaterThan(9.7)
    expect(share).toBeLessThan(10.3)
  })

  test('a key is always assigned to the same side, on every gateway and in every release', () => {
    // Fixed permanently: a gateway of another release must assign the same customer to the same side.
    expect([bucketOf(agent, 'order-1'), bucketOf(agent, 'order-2'), bucketOf(other, 'order-1')]).toEqual([
      916, 6543, 5818,
    ])
  })

  test('a larger share moves only the difference: keys on the canary stay on the canary', () => {
    const [small, large] = [canaryKeys(10), canaryKeys(25)]
    expect([...small].filter((key) => !large.has(key))).toEqual([])
    expect((100 * (large.size - small.size)) / keys.length).toBeCloseTo(15, 0)
  })

  test('the same key is assigned independently for each agent', () => {
    const both = keys.filter((key) => sideOf(agent, key, 10) === 'canary' && sideOf(other, key, 10) === 'canary')
    expect(both.length / keys.length).toBeLessThan(0.015)
  })

  test('every bucket is one of 10,000, and all of them are used', () => {
    const buckets = new Set(keys.map((key) => bucketOf(agent, key)))
    expect(Math.min(...buckets)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...buckets)).toBeLessThan(10_000)
    expect(buckets.size).toBeGreaterThan(9_950)
  })
})
