import fc from 'fast-check'
import { expect, test } from 'vitest'
import { uuidFloor } from './id.ts'
import { type Bounds, restOf, stretchesOf } from './id-range.ts'

const now = new Date('2030-06-15T12:00:00Z')
const dayMs = 86_400_000
const daysAgo = (days: number): Date => new Date(now.getTime() - days * dayMs)
const idOf = (date: Date): string => `${uuidFloor(date).slice(0, 14)}7abc-8000-000000000001`
const none: Bounds = { after: null, before: null, createdAfter: null, createdBefore: null }
const holds = (page: Bounds, id: string): number =>
  stretchesOf(page, now).filter(({ from, to }) => from < id && id < to).length

test('a first page is searched in the current day, then in the previous week, then in all older days', () => {
  const [day, week, rest, ...others] = stretchesOf(none, now)
  expect(others).toEqual([])
  expect(day?.from).toBe(uuidFloor(new Date('2030-06-15T00:00:00Z')))
  expect(week).toEqual({ from: uuidFloor(new Date('2030-06-07T00:00:00Z')), to: day?.from })
  expect(rest).toMatchObject({ to: week?.from, from: '00000000-0000-0000-0000-000000000000' })
})

test('early in the day the previous day is searched too', () => {
  const [day] = stretchesOf(none, new Date('2030-06-15T05:00:00Z'))
  expect(day?.from).toBe(uuidFloor(new Date('2030-06-14T00:00:00Z')))
})

test('an id of a gateway whose clock is an hour ahead is found', () => {
  expect(holds(none, idOf(new Date(now.getTime() + 3_600_000)))).toBe(1)
})

test('a page after an id starts at the id, however old it is', () => {
  const after = idOf(daysAgo(20))
  const [day] = stretchesOf({ ...none, after }, now)
  expect(day).toEqual({ from: uuidFloor(new Date('2030-05-26T00:00:00Z')), to: after })
})

test('a page before an id is searched from the id upwards', () => {
  const before = idOf(daysAgo(20))
  const [day] = stretchesOf({ ...none, before }, now)
  expect(day).toEqual({ from: before, to: uuidFloor(new Date('2030-05-27T00:00:00Z')) })
})

test('the rest of a range after an id lies in the direction of the page', () => {
  const range = { from: idOf(daysAgo(3)), to: idOf(daysAgo(1)) }
  const last = idOf(daysAgo(2))
  expect(restOf(none, range, last)).toEqual({ from: range.from, to: last })
  expect(restOf({ ...none, before: range.from }, range, last)).toEqual({ from: last, to: range.to })
})

test.each([
  ['the first id there can be', '00000000-0000-7000-8000-000000000000'],
  ['the last id there can be', 'ffffffff-ffff-7fff-bfff-ffffffffffff'],
])('pages can start at %s in both directions', (_what, id) => {
  for (const page of [{ after: id }, { before: id }]) {
    for (const { from, to } of stretchesOf({ ...none, ...page }, now)) expect(from < to).toBe(true)
  }
})

test('every id within the bounds lies in exactly one range, and no other id in any', () => {
  const moment = fc.date({ min: new Date('2029-01-01'), max: daysAgo(-0.9), noInvalidDate: true })
  const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
  const bounds = fc.record({
    after: maybe(moment.map(idOf)),
    before: maybe(moment.map(idOf)),
    createdAfter: maybe(moment),
    createdBefore: maybe(moment),
  })
  fc.assert(
    fc.property(bounds, moment, (page, date) => {
      const id = idOf(date)
      const isPaged = (page.after === null || id < page.after) && (page.before === null || id > page.before)
      const isCreated =
        (page.createdAfter === null || date > page.createdAfter) &&
        (page.createdBefore === null || date < page.createdBefore)
      if (isPaged && isCreated) expect(holds(page, id)).toBe(1)
      if (!isPaged) expect(holds(page, id)).toBe(0)
    }),
  )
})
