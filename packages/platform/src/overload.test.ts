import { describe, expect, test } from 'vitest'
import { createCost, createGrace, type LoadFacts, mustShed, smoothDelay } from './overload.ts'

const calm: LoadFacts = {
  loopDelayMs: 0,
  waiting: 0,
  together: 32,
  underWay: 1,
  fixedMs: 4,
  eachMs: 0.1,
  oldestMs: 2,
  isAway: false,
}

describe('the decision to reject a caller', () => {
  test('no caller is rejected without load, and a sudden burst is not overload', () => {
    expect(mustShed(calm)).toBe(false)
    expect(mustShed({ ...calm, waiting: 500 })).toBe(false)
  })

  test('a queue that would exceed the bound rejects new callers', () => {
    expect(mustShed({ ...calm, waiting: 600 })).toBe(false)
    expect(mustShed({ ...calm, waiting: 1000 })).toBe(true)
    expect(mustShed({ ...calm, waiting: 63, fixedMs: Number.POSITIVE_INFINITY })).toBe(false)
    expect(mustShed({ ...calm, waiting: 64, fixedMs: Number.POSITIVE_INFINITY })).toBe(true)
  })

  test('the bound follows the latency of the database: a distant database is not overload', () => {
    const far: LoadFacts = { ...calm, fixedMs: 400, eachMs: 0, underWay: 32 }
    expect(mustShed({ ...far, waiting: 31 })).toBe(false)
    expect(mustShed({ ...far, waiting: 32 })).toBe(true)
  })

  test('a database with a cost per row gets fewer rows', () => {
    const busy: LoadFacts = { ...calm, fixedMs: 10, eachMs: 10, underWay: 10 }
    expect(mustShed({ ...busy, waiting: 3 })).toBe(false)
    expect(mustShed({ ...busy, waiting: 20 })).toBe(true)
  })

  test('one stall of the event loop rejects no caller; continuous stalls do', () => {
    const afterOne = smoothDelay(0, 60_000)
    expect(mustShed({ ...calm, waiting: 20, loopDelayMs: afterOne })).toBe(false)
    const afterMany = Array.from({ length: 10 }).reduce<number>((delay) => smoothDelay(delay, 500), 0)
    expect(mustShed({ ...calm, waiting: 20, loopDelayMs: afterMany })).toBe(true)
    expect(mustShed({ ...calm, loopDelayMs: afterMany })).toBe(false)
  })

  test('a few callers are always admitted: one slow commit is not overload', () => {
    expect(mustShed({ ...calm, waiting: 7, oldestMs: 5000 })).toBe(false)
    expect(mustShed({ ...calm, waiting: 8, oldestMs: 5000 })).toBe(true)
    expect(mustShed({ ...calm, waiting: 3, eachMs: 5000, oldestMs: 5000 })).toBe(false)
    expect(mustShed({ ...calm, waiting: 4, eachMs: 5000 })).toBe(true)
  })

  test('a hanging commit counts before it ends', () => {
    expect(mustShed({ ...calm, waiting: 8, oldestMs: 100 })).toBe(false)
    expect(mustShed({ ...calm, waiting: 8, oldestMs: 200 })).toBe(true)
  })

  test('a process with a late event loop admits no new callers', () => {
    expect(mustShed({ ...calm, waiting: 8, loopDelayMs: 100 })).toBe(false)
    expect(mustShed({ ...calm, waiting: 8, loopDelayMs: 151, underWay: 0 })).toBe(true)
  })

  test('while the database is unavailable, one request at a time checks it', () => {
    expect(mustShed({ ...calm, isAway: true, underWay: 0, oldestMs: 0 })).toBe(false)
    expect(mustShed({ ...calm, isAway: true, underWay: 1 })).toBe(true)
    expect(mustShed({ ...calm, isAway: true, underWay: 0, oldestMs: 3 })).toBe(true)
  })
})

describe('the time of grace', () => {
  test('for a moment callers may wait longer; when the queue stays too long they may not', () => {
    const grace = createGrace()
    expect([0, 100, 299].map((nowMs) => grace(nowMs))).toEqual([300, 300, 300])
    expect([300, 800, 1_700].map((nowMs) => grace(nowMs))).toEqual([0, 0, 0])
  })

  test('a second in which no caller met a long queue ends the overload', () => {
    const grace = createGrace()
    grace(0)
    expect(grace(400)).toBe(0)
    expect(grace(600)).toBe(0)
    expect(grace(1_601)).toBe(300)
    expect(grace(1_901)).toBe(0)
  })

  test('it lengthens the bound', () => {
    expect(mustShed({ ...calm, waiting: 8, oldestMs: 400 })).toBe(true)
    expect(mustShed({ ...calm, waiting: 8, oldestMs: 400 }, 300)).toBe(false)
    expect(mustShed({ ...calm, waiting: 8, oldestMs: 500 }, 300)).toBe(true)
  })
})

describe('the cost of commits', () => {
  test('separates the fixed cost of a commit from the cost per row', () => {
    const cost = createCost()
    for (let n = 0; n < 60; n++) cost.note(1 + (n % 7), 20 + 5 * (1 + (n % 7)))
    expect(cost.read().fixedMs).toBeCloseTo(20, 3)
    expect(cost.read().eachMs).toBeCloseTo(5, 3)
  })

  test('recognises a distant database', () => {
    const cost = createCost()
    for (let n = 0; n < 60; n++) cost.note(1 + (n % 20), 300)
    expect(cost.read()).toEqual({ fixedMs: expect.closeTo(300, 3), eachMs: expect.closeTo(0, 3) })
  })
})
