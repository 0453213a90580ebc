import { expect, test } from 'vitest'
import { createTurns } from './turns.ts'

test('one that asks for much waits for itself; another’s single question is next but one', async () => {
  const turns = createTurns(1)
  const served: string[] = []
  expect(turns.tryTake()).toBe(true)
  const all = [...Array.from({ length: 100 }, () => 'noisy'), 'quiet', 'third'].map(async (org) => {
    expect(await turns.wait(org, 60_000)).toBe(true)
    served.push(org)
    turns.giveBack()
  })
  turns.giveBack()
  await Promise.all(all)
  expect(served.slice(0, 4)).toEqual(['noisy', 'quiet', 'third', 'noisy'])
  expect(served.length).toBe(102)
  expect(turns.tryTake()).toBe(true)
  expect(turns.tryTake()).toBe(false)
})

test('within an organisation, first come is first served', async () => {
  const turns = createTurns(1)
  const served: number[] = []
  turns.tryTake()
  const all = [1, 2, 3].map(async (n) => {
    await turns.wait('org', 60_000)
    served.push(n)
    turns.giveBack()
  })
  turns.giveBack()
  await Promise.all(all)
  expect(served).toEqual([1, 2, 3])
})

test('whoever waits too long is told so, and takes no place', async () => {
  const turns = createTurns(1)
  turns.tryTake()
  expect(await turns.wait('org', 1)).toBe(false)
  turns.giveBack()
  expect(turns.tryTake()).toBe(true)
})

test('nobody passes those who wait', async () => {
  const turns = createTurns(1)
  turns.tryTake()
  const waiting = turns.wait('org', 60_000)
  turns.giveBack()
  expect(turns.tryTake()).toBe(false)
  expect(await waiting).toBe(true)
})
