import fc from 'fast-check'
import { expect, test } from 'vitest'
import { afterAttempt, decideFate, type Fate, type Health, healthOf, type Outcome, type Standing } from './lane.ts'

const fresh = healthOf({ failures: 0, failing_for_ms: null })
const failed: Fate = { kind: 'failed', error: null }
const dayMs = 86_400_000
const outcomes = ['acknowledged', 'failed', 'gone', 'interrupted', 'unsent', 'void'] as const
const standings = ['active', 'disabled', 'deleted'] as const

const deliveryFails = (health: Health): Health => afterAttempt(health, 'failed', failed)

test('the second attempt comes 1 s after the first has failed, the third 5 s after the second, and no fourth', () => {
  expect([1, 2, 3].map((number) => decideFate('failed', number, 'active'))).toEqual([
    { kind: 'again', number: 1, afterMs: 1000 },
    { kind: 'again', number: 2, afterMs: 5000 },
    { kind: 'failed', error: null },
  ])
})

test('an attempt that a worker did not live to end costs the delivery one of its three', () => {
  expect(decideFate('interrupted', 2, 'active')).toEqual({ kind: 'again', number: 2, afterMs: 5000 })
  expect(decideFate('interrupted', 3, 'active')).toEqual(failed)
})

test('what was never sent costs no attempt', () => {
  expect(decideFate('unsent', 3, 'active')).toEqual({ kind: 'again', number: 2, afterMs: 1000 })
})

test('nothing follows an attempt to an endpoint that was disabled or deleted meanwhile, and the delivery says why', () => {
  expect(decideFate('failed', 1, 'disabled')).toMatchObject({
    kind: 'failed',
    error: expect.stringContaining('disabled'),
  })
  expect(decideFate('unsent', 1, 'deleted')).toMatchObject({
    kind: 'failed',
    error: expect.stringContaining('deleted'),
  })
  expect(decideFate('acknowledged', 1, 'disabled')).toEqual({ kind: 'succeeded', error: null })
})

test('however a delivery goes, it is posted three times at the most', () => {
  const steps = fc.array(fc.tuple(fc.constantFrom<Outcome>(...outcomes), fc.constantFrom<Standing>(...standings)), {
    minLength: 50,
    maxLength: 50,
  })
  fc.assert(
    fc.property(steps, (path) => {
      let number = 0
      let posts = 0
      for (const [outcome, standing] of path) {
        number += 1
        if (outcome !== 'unsent' && outcome !== 'void') posts += 1
        const fate = decideFate(outcome, number, standing)
        if (fate.kind !== 'again') break
        number = fate.number
      }
      return posts <= 3
    }),
  )
})

test('after three failed deliveries in a row an endpoint rests, and then they are counted anew', () => {
  const twice = deliveryFails(deliveryFails(fresh))
  expect(twice).toMatchObject({ failures: 2, rest: 'as it was', failingForMs: 0 })
  expect(deliveryFails(twice)).toMatchObject({ failures: 0, rest: 'begins', failingForMs: 0, disable: null })
})

test('an acknowledged delivery ends the row, the rest and the failing', () => {
  const rested = deliveryFails(deliveryFails(deliveryFails(fresh)))
  expect(afterAttempt(rested, 'acknowledged', { kind: 'succeeded', error: null })).toMatchObject({
    failures: 0,
    failingForMs: null,
    rest: 'is over',
    hasSucceeded: true,
  })
})

test('an attempt that is followed by another, and what is our own fault, says nothing about the endpoint', () => {
  const again: Fate = { kind: 'again', number: 1, afterMs: 1000 }
  expect(afterAttempt(fresh, 'failed', again)).toEqual(fresh)
  for (const outcome of ['interrupted', 'unsent', 'void'] as const)
    expect(afterAttempt(fresh, outcome, failed)).toEqual(fresh)
})

test('an endpoint is disabled by the first delivery that fails after five days of nothing but failure, and not before', () => {
  const failingFor = (ms: number) => deliveryFails(healthOf({ failures: 0, failing_for_ms: ms })).disable
  expect([5 * dayMs - 1, 5 * dayMs, 9 * dayMs].map(failingFor)).toEqual([null, 'failing', 'failing'])
})

test('410 disables an endpoint at once', () => {
  expect(decideFate('gone', 1, 'active')).toEqual(failed)
  expect(afterAttempt(fresh, 'gone', failed)).toMatchObject({ disable: 'gone', failingForMs: 0 })
})
