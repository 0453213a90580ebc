import fc from 'fast-check'
import type { Holding, Machine, Move, Order } from './run-machine.fixture.ts'

/**
 * Schedules for the run machine. Every order and every claim that was ever handed out is kept, and moves pick any of
 * them: so messages are duplicated, delayed and reordered, and a crashed worker is one whose claim is never picked
 * again.
 */
export type Draw = { kind: Move['kind']; run: number; pick: number; read: boolean }

export type Given = {
  orders: (Order & { run: number })[]
  holdings: (Holding & { run: number })[]
  /** Claims that were offered. */
  claims: number
}

const weights: readonly [Move['kind'], number][] = [
  ['accept', 4],
  ['admit', 4],
  ['claim', 14],
  ['delta', 6],
  ['store', 8],
  ['finish', 5],
  ['fail', 1],
  ['park', 4],
  ['hand_over', 2],
  ['message', 2],
  ['decide', 5],
  ['cancel', 2],
  ['confirm', 2],
  ['overdue', 1],
  ['resubmit', 3],
]

export const schedules = (length: { minLength: number; maxLength: number }): fc.Arbitrary<Draw[]> =>
  fc.array(
    fc.record({
      kind: fc.oneof(...weights.map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind) }))),
      run: fc.nat({ max: 5 }),
      // Usually the newest that was handed out, sometimes an older one.
      pick: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 20 }) }),
      read: fc.boolean(),
    }),
    length,
  )

/** Turns a draw into a move. Null: there is nothing yet that it could apply to. */
export const moveOf = (draw: Draw, machine: Machine, given: Given): Move | null => {
  const { kind } = draw
  if (kind === 'accept' || kind === 'admit') return { kind }
  const run = machine.runs.length === 0 ? null : draw.run % machine.runs.length
  if (run === null) return null
  if (kind === 'claim') {
    const order = choose(given.orders, run, draw.pick)
    // A claim whose answer was lost is offered again. It may have been superseded since.
    const known = draw.read ? choose(given.holdings, run, draw.pick) : null
    return order && { kind, run, order, claim: known?.claim ?? ++given.claims }
  }
  if (kind === 'message' || kind === 'decide' || kind === 'cancel' || kind === 'overdue' || kind === 'resubmit') {
    return { kind, run }
  }
  const holding = choose(given.holdings, run, draw.pick)
  if (!holding) return null
  if (kind === 'confirm') return { kind, run, epoch: holding.epoch }
  return { kind, run, holding: { ...holding, messagesRead: draw.read ? (machine.runs[run]?.messages ?? 0) : 0 } }
}

const choose = <Each extends { run: number }>(all: readonly Each[], run: number, pick: number): Each | null => {
  const own = all.filter((each) => each.run === run)
  return own.at(-1 - (own.length === 0 ? 0 : pick % own.length)) ?? null
}

/** Remembers what a move handed out. A worker continues from a stored step without a new order. */
export const remember = (given: Given, before: Machine, after: Machine, move: Move): void => {
  for (const [at, run] of after.runs.entries()) {
    const known = before.runs[at]
    for (const order of run.orders) {
      const isNew = !known?.orders.some((each) => each.epoch === order.epoch && each.segment === order.segment)
      if (isNew) given.orders.push({ ...order, run: at })
    }
    if (known && run.attempt > known.attempt && move.kind === 'claim') {
      const { order, claim } = move
      given.holdings.push({ ...order, attempt: run.attempt, claim, messagesRead: run.messages, run: at })
    }
    if (known && run.step > known.step && move.kind === 'store') {
      const { epoch, segment, step } = move.holding
      given.orders.push({ epoch, segment, step: step + 1, run: at })
    }
  }
}
