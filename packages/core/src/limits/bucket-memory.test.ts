import { describe, expect, test } from 'vitest'
import { createBucketMemory, takeShare, unitsOwed } from './bucket-memory.ts'
import { unitsPerRequest } from './gcra.ts'

const bucket = (id: string) => ({ id, requestsPerMinute: 60, burst: 10 })
const second = 1_000_000

describe('the bucket cache of a process', () => {
  test('is bounded: the least recently used bucket is evicted', () => {
    const memory = createBucketMemory(2)
    const [a, b] = [memory.get(bucket('a')), memory.get(bucket('b'))]
    expect(memory.get(bucket('a'))).toBe(a)
    memory.lend(b)
    memory.get(bucket('c'))
    expect(memory.get(bucket('a'))).toBe(a)
    expect(memory.get(bucket('b'))).not.toBe(b)
    expect(memory.settle()).toEqual([])
  })

  test('keeps the usage and drops a refusal when the organisation’s limits change', () => {
    const memory = createBucketMemory()
    const before = memory.get(bucket('a'))
    before.level = { used: 5 * unitsPerRequest, atUs: 7 }
    before.refusedUntilUs = 1_000
    expect(memory.get({ ...bucket('a'), burst: 20 })).toMatchObject({
      policy: '"requests";q=20;w=20',
      level: { used: 5 * unitsPerRequest, atUs: 7 },
      refusedUntilUs: 0,
    })
  })
})

describe('usage without Redis', () => {
  test('continues from the last known state in Redis, with this gateway’s share', () => {
    const known = createBucketMemory().get(bucket('a'))
    known.level = { used: 6 * unitsPerRequest, atUs: 0 }
    const passed = Array.from({ length: 6 }, () => takeShare(known, 2, 0).allowed)
    expect(passed).toEqual([true, true, false, false, false, false])
  })

  test('is charged to Redis unless it has already drained', () => {
    const known = createBucketMemory().get(bucket('a'))
    known.level = { used: 4 * unitsPerRequest, atUs: 0 }
    expect(unitsOwed(known, 2, second)).toBe(0)
    takeShare(known, 2, 0)
    takeShare(known, 2, 0)
    // Redis drains 60 per minute without requests: after 3 s it has 1 of 4 left, and here 5 of 8 are.
    expect(unitsOwed(known, 2, 3 * second)).toBe(2 * unitsPerRequest)
    // After 7 s Redis would be empty, and here 1 is left, half of it this gateway's.
    expect(unitsOwed(known, 2, 7 * second)).toBe(unitsPerRequest / 2)
    expect(unitsOwed(known, 2, 9 * second)).toBe(0)
    known.countedTwice = 1
    expect(unitsOwed(known, 2, 3 * second)).toBe(unitsPerRequest)
  })
})
