import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CallRoom, callSlots, nearestRoom, slotOf } from './call.ts'

const rooms: fc.Arbitrary<CallRoom[]> = fc
  .array(fc.integer({ min: 0, max: 3 }), { minLength: callSlots, maxLength: callSlots })
  .map((counts) => counts.map((room, slot) => ({ slot, room })))

test('as long as one slot has room, a caller finds it, wherever the search begins', () => {
  fc.assert(
    fc.property(rooms, fc.integer({ min: 0, max: callSlots - 1 }), (all, own) => {
      const found = nearestRoom(all, own)
      expect(found === null).toBe(all.every(({ room }) => room === 0))
      if (found) expect(found.room).toBeGreaterThan(0)
    }),
  )
})

test('a caller whose own slot has room stays there', () => {
  const all = Array.from({ length: callSlots }, (_, slot) => ({ slot, room: 1 }))
  expect(nearestRoom(all, 7)).toEqual({ slot: 7, room: 1 })
  const without = all.map((each) => (each.slot >= 7 ? { ...each, room: 0 } : each))
  expect(nearestRoom(without, 7)).toEqual({ slot: 0, room: 1 })
})

test('every slot is some caller’s own', () => {
  const ids = Array.from(
    { length: 256 },
    (_, n) => `01890a5d-ac96-774b-bcce-b302099a80${n.toString(16).padStart(2, '0')}`,
  )
  expect(new Set(ids.map(slotOf)).size).toBe(callSlots)
})
