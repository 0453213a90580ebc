import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type AttemptOutcome,
  afterAttempt,
  type DeliveryOutcome,
  decideDelivery,
  type EndpointState,
  type Health,
  healthOf,
} from './endpoint-queue.ts'

const fresh = healthOf({ failures: 0, failing_for_ms: null })
const failed: DeliveryOutcome = { kind: 'failed', error: null }
const dayMs = 86_400_000
const outcomes = ['acknowledged', 'failed', 'gone', 'interrupted', 'unsent', 'void'] as const
const endpointStates = ['active', 'disabled', 'deleted'] as const

const three = { maxAttempts: 3 } as const
const deliveryFails = (health: Health): Health => afterAttempt(health, 'failed', failed)

test('the second attempt follows 1 s after the first failure, the third 5 s after the second, and there is no fourth', () => {
  expect([1, 2, 3].map((number) => decideDelivery('failed', number, { ...three, endpointState: 'active' }))).toEqual([
    { kind: 'again', number: 1, afterMs: 1000 },
    { kind: 'again', number: 2, afterMs: 5000 },
    { kind: 'failed', error: null },
  ])
})

test('an attempt that its worker did not finish uses one of the delivery’s three', () => {
  expect(decideDelivery('interrupted', 2, { ...three, endpointState: 'active' })).toEqual({
    kind: 'again',
    number: 2,
    afterMs: 5000,
  })
  expect(decideDelivery('interrupted', 3, { ...three, endpointState: 'active' })).toEqual(failed)
})

test('a delivery that was never sent uses no attempt', () => {
  expect(decideDelivery('unsent', 3, { ...three, endpointState: 'active' })).toEqual({
    kind: 'again',
    number: 2,
    afterMs: 1000,
  })
})

test('no attempt follows if the endpoint was disabled or deleted meanwhile, and the delivery says why', () => {
  expect(decideDelivery('failed', 1, { ...three, endpointState: 'disabled' })).toMatchObject({
    kind: 'failed',
    error: expect.stringContaining('disabled'),
  })
  expect(decideDelivery('unsent', 1, { ...three, endpointState: 'deleted' })).toMatchObject({
    kind: 'failed',
    error: expect.stringContaining('deleted'),
  })
  expect(decideDelivery('acknowledged', 1, { ...three, endpointState: 'disabled' })).toEqual({
    kind: 'succeeded',
    error: null,
  })
})

test('in any sequence of outcomes, a delivery is posted at most three times (limits.deliveryAttempts)', () => {
  const steps = fc.array(
    fc.tuple(fc.constantFrom<AttemptOutcome>(...outcomes), fc.constantFrom<EndpointState>(...endpointStates)),
    {
      minLength: 50,
      maxLength: 50,
    },
  )
  fc.assert(
    fc.property(steps, (path) => {
      let number = 0
      let posts = 0
      for (const [outcome, endpointState] of path) {
        number += 1
        if (outcome !== 'unsent' && outcome !== 'void') posts += 1
        const deliveryOutcome = decideDelivery(outcome, number, { ...three, endpointState })
        if (deliveryOutcome.kind !== 'again') break
        number = deliveryOutcome.number
      }
      return posts <= 3
    }),
  )
})

test('after three consecutive failed deliveries an endpoint is paused, and the count restarts', () => {
  const twice = deliveryFails(deliveryFails(fresh))
  expect(twice).toMatchObject({ failures: 2, rest: 'as it was', failingForMs: 0 })
  expect(deliveryFails(twice)).toMatchObject({ failures: 0, rest: 'begins', failingForMs: 0, disable: null })
})

test('an acknowledged delivery resets the failure count, the pause and the failing state', () => {
  const rested = deliveryFails(deliveryFails(deliveryFails(fresh)))
  expect(afterAttempt(rested, 'acknowledged', { kind: 'succeeded', error: null })).toMatchObject({
    failures: 0,
    failingForMs: null,
    rest: 'is over',
    hasSucceeded: true,
  })
})

test('an attempt with a later retry, and our own failures, do not count against the endpoint', () => {
  const again: DeliveryOutcome = { kind: 'again', number: 1, afterMs: 1000 }
  expect(afterAttempt(fresh, 'failed', again)).toEqual(fresh)
  for (const outcome of ['interrupted', 'unsent', 'void'] as const)
    expect(afterAttempt(fresh, outcome, failed)).toEqual(fresh)
})

test('an endpoint is disabled by the first failed delivery after five days of failures only, and not before (limits.webhookFailingDays)', () => {
  const failingFor = (ms: number) => deliveryFails(healthOf({ failures: 0, failing_for_ms: ms })).disable
  expect([5 * dayMs - 1, 5 * dayMs, 9 * dayMs].map(failingFor)).toEqual([null, 'failing', 'failing'])
})

test('410 disables an endpoint at once', () => {
  expect(decideDelivery('gone', 1, { ...three, endpointState: 'active' })).toEqual(failed)
  expect(afterAttempt(fresh, 'gone', failed)).toMatchObject({ disable: 'gone', failingForMs: 0 })
})

test('an operator who sets four attempts gets a fourth one after 30 s', () => {
  const four = { maxAttempts: 4, endpointState: 'active' } as const
  expect(decideDelivery('failed', 3, four)).toEqual({ kind: 'again', number: 3, afterMs: 30_000 })
  expect(decideDelivery('failed', 4, four)).toEqual(failed)
  expect(decideDelivery('failed', 1, { ...four, maxAttempts: 1 })).toEqual(failed)
})
