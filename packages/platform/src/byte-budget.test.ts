import { expect, test } from 'vitest'
import { createByteBudget, createSharedByteBudget, type ReservedShare, type SharedByteBudget } from './byte-budget.ts'

test('callers wait for free bytes in order', async () => {
  const budget = createByteBudget(100)
  const began: string[] = []
  const take = (name: string, bytes: number) =>
    budget.take(bytes).then((held) => {
      began.push(name)
      return held
    })
  const first = await take('first', 60)
  const second = take('second', 60)
  const third = take('third', 10)
  expect(budget.heldBytes()).toBe(60)
  first.correct(40)
  const held = await second
  expect(began).toEqual(['first', 'second'])
  held.giveBack()
  const last = await third
  last.giveBack()
  first.giveBack()
  expect(budget.heldBytes()).toBe(0)
})

test('a request above the whole budget runs alone', async () => {
  const budget = createByteBudget(100)
  const large = await budget.take(1000)
  const small = budget.take(1)
  large.giveBack()
  expect((await small) && budget.heldBytes()).toBe(1)
})

const holding = (budget: SharedByteBudget, holder: string, bytes: number, factor?: number): ReservedShare => {
  const taken = budget.take(holder, bytes, factor)
  if (taken.room !== 'free') throw new Error(taken.room)
  return taken.held
}

test('a holder that has used its share is refused, while others still get theirs', () => {
  const budget = createSharedByteBudget({ maxBytes: 100, maxShareBytes: 40 })
  const first = holding(budget, 'one', 40)
  expect(budget.take('one', 1)).toEqual({ room: 'share_exhausted' })
  expect(budget.look('one')).toBe('share_exhausted')
  holding(budget, 'two', 40)
  expect(budget.take('three', 30)).toEqual({ room: 'exhausted' })
  first.giveBack()
  first.giveBack()
  expect(budget.heldBytes()).toBe(40)
  expect(budget.look('one')).toBe('free')
})

test('held bytes grow within the same bounds and shrink at any time', () => {
  const budget = createSharedByteBudget({ maxBytes: 100, maxShareBytes: 40 })
  holding(budget, 'one', 20)
  const growing = holding(budget, 'one', 10)
  expect(growing.resize(30)).toBe('share_exhausted')
  expect(growing.bytes()).toBe(10)
  expect(growing.resize(20)).toBe('free')
  expect(growing.resize(5)).toBe('free')
  expect(budget.heldBytes()).toBe(25)
})

test('a message above its share passes when its holder holds nothing, and a stretched bound admits more', () => {
  const budget = createSharedByteBudget({ maxBytes: 100, maxShareBytes: 40 })
  const large = holding(budget, 'one', 60)
  expect(budget.take('one', 10)).toEqual({ room: 'share_exhausted' })
  expect(holding(budget, 'one', 10, 2).bytes()).toBe(10)
  large.giveBack()
  expect(budget.heldBytes()).toBe(10)
})
