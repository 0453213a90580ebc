import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFairQueue } from './fair-queue.ts'

const bounds = { maxItems: 100, maxBytes: 1_000, maxItemsPerOwner: 50, maxBytesPerOwner: 500 }

test('owners are served in turn, the items of one owner in order', () => {
  const queue = createFairQueue<string>(bounds)
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) expect(queue.add(item[0] ?? '', item, 1)).toBe(true)
  const served = Array.from({ length: 6 }, () => queue.take(() => 0)?.item)
  expect(served).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  expect(queue.take(() => 0)).toBeNull()
})

test('an owner that may not run keeps its place and holds up nobody', () => {
  const queue = createFairQueue<string>(bounds)
  queue.add('a', 'a1', 1)
  queue.add('b', 'b1', 1)
  expect(queue.take((owner) => (owner === 'a' ? null : 0))?.item).toBe('b1')
  expect(queue.take((owner) => (owner === 'a' ? null : 0))).toBeNull()
  expect(queue.take(() => 0)?.item).toBe('a1')
})

test('an owner with a lower rank is served first', () => {
  const queue = createFairQueue<string>(bounds)
  for (const item of ['a1', 'b1', 'b2']) queue.add(item[0] ?? '', item, 1)
  const served = Array.from({ length: 3 }, () => queue.take((owner) => (owner === 'b' ? -1 : 0))?.item)
  expect(served).toEqual(['b1', 'b2', 'a1'])
})

test('the bounds in count and bytes hold whatever is added, taken and removed (platformBounds.threadTasksOfOwner)', () => {
  const step = fc.record({
    act: fc.constantFrom('add', 'take', 'remove'),
    owner: fc.constantFrom('a', 'b', 'c'),
    bytes: fc.nat(300),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const queue = createFairQueue<{ owner: string; bytes: number }>({ ...bounds, maxItems: 10, maxItemsPerOwner: 6 })
      let held: { owner: string; bytes: number }[] = []
      for (const { act, owner, bytes } of steps) {
        const item = { owner, bytes }
        if (act === 'add' && queue.add(owner, item, bytes)) held.push(item)
        if (act === 'take') {
          const taken = queue.take(() => 0)?.item
          held = held.filter((each) => each !== taken)
        }
        const [first] = held
        if (act === 'remove' && first) {
          queue.remove(first.owner, first)
          held = held.slice(1)
        }
        const own = held.filter((each) => each.owner === owner)
        expect(queue.size()).toBe(held.length)
        expect(held.length).toBeLessThanOrEqual(10)
        expect(own.length).toBeLessThanOrEqual(6)
        expect(held.reduce((sum, each) => sum + each.bytes, 0)).toBeLessThanOrEqual(bounds.maxBytes)
        expect(own.reduce((sum, each) => sum + each.bytes, 0)).toBeLessThanOrEqual(bounds.maxBytesPerOwner)
      }
    }),
  )
})
