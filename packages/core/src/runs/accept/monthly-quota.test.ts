import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nearestRoom, type ShardRoom, shardCount, shardOf } from './monthly-quota.ts'

const rooms: fc.Arbitrary<ShardRoom[]> = fc
  .array(fc.integer({ min: 0, max: 3 }), { minLength: shardCount, maxLength: shardCount })
  .map((counts) => counts.map((room, shard) => ({ shard, room })))

test('a caller finds a shard with remaining quota as long as there is one, wherever the search begins', () => {
  fc.assert(
    fc.property(rooms, fc.integer({ min: 0, max: shardCount - 1 }), (all, own) => {
      const found = nearestRoom(all, own)
      expect(found === null).toBe(all.every(({ room }) => room === 0))
      if (found) expect(found.room).toBeGreaterThan(0)
    }),
  )
})

test('a caller whose own shard has remaining quota stays there', () => {
  const all = Array.from({ length: shardCount }, (_, shard) => ({ shard, room: 1 }))
  expect(nearestRoom(all, 7)).toEqual({ shard: 7, room: 1 })
  const without = all.map((each) => (each.shard >= 7 ? { ...each, room: 0 } : each))
  expect(nearestRoom(without, 7)).toEqual({ shard: 0, room: 1 })
})

test('every shard is the first choice of some caller', () => {
  const ids = Array.from(
    { length: 256 },
    (_, n) => `01890a5d-ac96-774b-bcce-b302099a80${n.toString(16).padStart(2, '0')}`,
  )
  expect(new Set(ids.map(shardOf)).size).toBe(shardCount)
})
