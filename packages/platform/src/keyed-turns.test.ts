import { expect, test } from 'vitest'
import { createKeyedTurns, type KeyedTurns } from './keyed-turns.ts'

/** Enters, and notes the key when it has a turn. */
const seeing = (turns: KeyedTurns, seen: string[]) => async (name: string) => {
  const turn = await turns.enter(name.slice(0, 1), { mostMs: 60_000 })
  seen.push(name)
  return turn
}

test('at most some works of a key run, the others in order, and those of other keys beside them', async () => {
  const turns = createKeyedTurns(2, { maxWaiting: 10 })
  const seen: string[] = []
  const all = ['a1', 'a2', 'a3', 'a4', 'b1'].map(seeing(turns, seen))
  await Promise.resolve()
  expect(seen).toEqual(['a1', 'a2', 'b1'])
  turns.leave('a')
  await all[2]
  expect(seen).toEqual(['a1', 'a2', 'b1', 'a3'])
  turns.leave('a')
  expect(await Promise.all(all)).toEqual(Array(5).fill('entered'))
})

test('one more than may wait is refused, and waits no longer than it says', async () => {
  const turns = createKeyedTurns(1, { maxWaiting: 1 })
  expect(await turns.enter('a', {})).toBe('entered')
  const late = turns.enter('a', { mostMs: 1 })
  expect(await turns.enter('a', {})).toBe('full')
  expect(await late).toBe('late')
  turns.leave('a')
  expect(await turns.enter('a', {})).toBe('entered')
})

test('a place that passed to the next work is not free', async () => {
  const turns = createKeyedTurns(1, { maxWaiting: 10 })
  await turns.enter('a', {})
  const next = turns.enter('a', {})
  turns.leave('a')
  expect(await next).toBe('entered')
  expect(await turns.enter('a', { mostMs: 1 })).toBe('late')
})

test('a turn does not pass to a waiter that gave up in the same moment', async () => {
  const turns = createKeyedTurns(1, { maxWaiting: 10 })
  await turns.enter('a', {})
  const caller = new AbortController()
  const givesUp = turns.enter('a', { signal: caller.signal })
  const waits = turns.enter('a', {})
  caller.abort(new Error('cancelled'))
  turns.leave('a')
  await expect(givesUp).rejects.toThrow('cancelled')
  expect(await waits).toBe('entered')
  await expect(turns.enter('b', { signal: caller.signal })).rejects.toThrow('cancelled')
})
