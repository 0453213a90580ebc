import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createIdMaker, fromUuid, toUuid, uuidFloor, uuidTimeMs } from './id.ts'

const clockAt = (times: number[]) => ({
  now: () => new Date(times.length > 1 ? (times.shift() ?? 0) : (times[0] ?? 0)),
  monotonicMs: () => 0,
})

test('an id and its UUID convert into each other', () => {
  fc.assert(
    fc.property(fc.uuid(), (uuid) => {
      expect(toUuid(fromUuid('run', uuid))).toBe(uuid)
    }),
  )
  expect(fromUuid('user', '01890a5d-ac96-774b-bcce-b302099a8057')).toBe('user_01h455vb4pex5vsknk084sn02q')
})

test('ids of one process are unique and sorted, also if the clock stops or moves back', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1_700_000_000_000, max: 1_700_000_000_050 }), { minLength: 5_000, maxLength: 6_000 }),
      (times) => {
        const count = times.length
        const newId = createIdMaker(clockAt([...times]))
        const ids = Array.from({ length: count }, () => newId('run'))
        expect(ids).toEqual(ids.toSorted())
        expect(new Set(ids).size).toBe(count)
      },
    ),
  )
})

test('ids follow a clock that was ahead by more than 5 s, and stay sorted if it was ahead by less (platformBounds.clockStepBack)', () => {
  const rightMs = 1_700_000_000_000
  const timesOf = (aheadMs: number): number[] => {
    const newId = createIdMaker(clockAt([rightMs, rightMs + aheadMs, rightMs + 1]))
    return Array.from({ length: 4 }, () => uuidTimeMs(toUuid(newId('run'))) - rightMs)
  }
  expect(timesOf(5_000)).toEqual([0, 5_000, 5_000, 5_000])
  expect(timesOf(30 * 86_400_000)).toEqual([0, 30 * 86_400_000, 1, 1])
})

test('an id is a UUIDv7 that begins with its time, so a day of ids is a range', () => {
  const moment = new Date('2026-11-15T12:34:56.789Z')
  const uuid = toUuid(createIdMaker(clockAt([moment.getTime()]))('run'))
  expect(uuid[14]).toBe('7')
  expect('89ab').toContain(uuid[19])
  expect(uuid >= uuidFloor(new Date('2026-11-15T00:00:00Z'))).toBe(true)
  expect(uuid < uuidFloor(new Date('2026-11-16T00:00:00Z'))).toBe(true)
  expect(Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16)).toBe(moment.getTime())
  expect(uuidTimeMs(uuid)).toBe(moment.getTime())
})
