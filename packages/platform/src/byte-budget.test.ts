import { expect, test } from 'vitest'
import { createByteBudget } from './byte-budget.ts'

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
