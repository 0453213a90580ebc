import { expect, test } from 'vitest'
import { createHandshakePace } from './handshake-pace.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

const clockOf = () => {
  const clock = { nowMs: 0, monotonicMs: () => clock.nowMs, now: () => new Date(0) }
  return clock
}

test('handshakes start in the order of arrival, and other work gets the event loop between portions (serverBounds.handshakePortion)', async () => {
  const clock = clockOf()
  const pace = createHandshakePace(clock as never)
  const order: number[] = []
  const startedAfterTurn: number[] = []
  for (let at = 0; at < 10; at++) {
    pace.add(() => {
      order.push(at)
      // Each costs 1.5 ms, so three fit into a portion.
      clock.nowMs += 1.5
    })
  }
  expect(order).toEqual([])
  while (order.length < 10 && startedAfterTurn.length < 20) {
    await turn()
    startedAfterTurn.push(order.length)
  }
  expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  const portions = startedAfterTurn.map((started, at) => started - (startedAfterTurn[at - 1] ?? 0))
  expect(Math.max(...portions)).toBe(3)
})

test('a handshake that takes longer than a portion does not stop the others', async () => {
  const clock = clockOf()
  const pace = createHandshakePace(clock as never)
  let started = 0
  for (let at = 0; at < 3; at++) {
    pace.add(() => {
      started++
      clock.nowMs += 50
    })
  }
  for (let at = 0; at < 10 && started < 3; at++) await turn()
  expect(started).toBe(3)
})
