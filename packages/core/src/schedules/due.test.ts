import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { schedulesBounds } from './bounds.ts'
import { decideOverlap, dueDates, nextDate, nextDates, problemsOfTiming, type Timing } from './due.ts'
import { offsetsOf, type WallMatches, watchedDates } from './watched-clock.fixture.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const cron = (expression: string, zone = 'UTC'): Timing => ({ kind: 'cron', expression, zone })
const at = (text: string): Date => new Date(text)

const datesOf = (timing: Timing, from: Date, until: Date): string[] => {
  const dates: string[] = []
  for (let date = nextDate(timing, from); date !== null && date <= until; date = nextDate(timing, date))
    dates.push(date.toISOString())
  return dates
}

const zones = [
  ['Europe/Berlin', 2026, ['2026-03-29T01:00:00Z', '2026-10-25T01:00:00Z']],
  ['America/New_York', 2026, ['2026-03-08T07:00:00Z', '2026-11-01T06:00:00Z']],
  ['Australia/Lord_Howe', 2026, ['2026-04-04T15:00:00Z', '2026-10-03T15:30:00Z']],
  ['Asia/Kolkata', 2026, []],
  ['Africa/Casablanca', 2026, ['2026-02-15T02:00:00Z', '2026-03-22T02:00:00Z']],
  // Its clocks skipped midnight.
  ['America/Sao_Paulo', 2018, ['2018-02-18T02:00:00Z', '2018-11-04T03:00:00Z']],
] as const

describe('a year of dates equals what a watched clock shows', () => {
  const expressions: [string, WallMatches][] = [
    ['30 */3 * * *', (wall) => wall.getUTCMinutes() === 30 && wall.getUTCHours() % 3 === 0],
    ['30 2 * * *', (wall) => wall.getUTCMinutes() === 30 && wall.getUTCHours() === 2],
    ['15 0,1,23 * * *', (wall) => wall.getUTCMinutes() === 15 && [0, 1, 23].includes(wall.getUTCHours())],
    ['0 3 * * 1-5', (wall) => wall.getUTCMinutes() === 0 && wall.getUTCHours() === 3 && wall.getUTCDay() % 6 !== 0],
    ['0 0 31 * *', (wall) => wall.getUTCMinutes() === 0 && wall.getUTCHours() === 0 && wall.getUTCDate() === 31],
    // As in every cron: if both days are given, one of them is enough.
    [
      '5 2 13 * FRI',
      (wall) =>
        wall.getUTCMinutes() === 5 && wall.getUTCHours() === 2 && (wall.getUTCDate() === 13 || wall.getUTCDay() === 5),
    ],
  ]

  test.for(zones)('%s %i', ([zone, year]) => {
    const [from, until] = [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)]
    const offsetAt = offsetsOf(zone, from, until)
    const watched = watchedDates(
      offsetAt,
      from,
      until,
      expressions.map(([, matches]) => matches),
    )
    const dates = expressions.map(([expression]) => datesOf(cron(expression, zone), new Date(from), new Date(until)))
    expect(dates).toEqual(watched)
  })

  test.for(zones)('%s %i, every minute around the changes, and random expressions', ([zone, , changes]) => {
    const fieldOf = (max: number) => fc.uniqueArray(fc.integer({ min: 0, max }), { minLength: 1, maxLength: 4 })
    for (const change of changes) {
      const [from, until] = [at(change).getTime() - 6 * hourMs, at(change).getTime() + 6 * hourMs]
      const offsetAt = offsetsOf(zone, from, until)
      expect(offsetAt(from)).not.toBe(offsetAt(until))
      const each = datesOf(cron('* * * * *', zone), new Date(from), new Date(until))
      expect([each]).toEqual(watchedDates(offsetAt, from, until, [() => true]))
      fc.assert(
        fc.property(fieldOf(59), fieldOf(5), fc.nat({ max: 12 * 60 }), (minutes, hours, begin) => {
          const start = from + begin * minuteMs + 1
          const dates = datesOf(cron(`${minutes} ${hours} * * *`, zone), new Date(start), new Date(until))
          const matches: WallMatches = (wall) =>
            minutes.includes(wall.getUTCMinutes()) && hours.includes(wall.getUTCHours())
          const [watched = []] = watchedDates(offsetAt, from, until, [matches])
          expect(dates).toEqual(watched.filter((date) => at(date).getTime() >= start))
        }),
      )
    }
    expect(nextDates(cron('0 0 * * *', zone), new Date(Date.UTC(2030, 0, 1)))).toHaveLength(
      schedulesBounds.nextDates.count,
    )
  })
})

describe('examples', () => {
  test('a skipped hour fires once after it', () => {
    expect(
      datesOf(cron('*/20 2 * * *', 'Europe/Berlin'), at('2026-03-29T00:00:00Z'), at('2026-03-29T12:00:00Z')),
    ).toEqual(['2026-03-29T01:00:00.000Z'])
    expect(
      datesOf(cron('0 2,3 * * *', 'Europe/Berlin'), at('2026-03-29T00:00:00Z'), at('2026-03-29T12:00:00Z')),
    ).toEqual(['2026-03-29T01:00:00.000Z'])
  })

  test('a doubled hour fires once', () => {
    expect(
      datesOf(cron('30 2 * * *', 'Europe/Berlin'), at('2026-10-24T23:00:00Z'), at('2026-10-25T12:00:00Z')),
    ).toEqual(['2026-10-25T00:30:00.000Z'])
    expect(nextDate(cron('30 2 * * *', 'Europe/Berlin'), at('2026-10-25T01:10:00Z'))).toEqual(
      at('2026-10-26T01:30:00Z'),
    )
  })

  test('the last day and the second Monday of a month', () => {
    expect(
      nextDates(cron('0 9 L * *'), at('2027-12-31T10:00:00Z')).map((date) => date.toISOString().slice(0, 10)),
    ).toEqual(['2028-01-31', '2028-02-29', '2028-03-31', '2028-04-30', '2028-05-31'])
    expect(nextDate(cron('0 9 * * 1#2'), at('2026-11-01T00:00:00Z'))).toEqual(at('2026-11-09T09:00:00Z'))
  })

  test('an interval counts from its anchor', () => {
    const timing: Timing = { kind: 'interval', seconds: 90, anchor: at('2026-01-01T00:00:00.250Z') }
    expect(nextDates(timing, at('2025-06-01T00:00:00Z'))[0]).toEqual(at('2026-01-01T00:01:30.250Z'))
    expect(nextDate(timing, at('2026-01-01T00:01:30.250Z'))).toEqual(at('2026-01-01T00:03:00.250Z'))
    expect(nextDate(timing, at('2026-01-01T00:01:30.249Z'))).toEqual(at('2026-01-01T00:01:30.250Z'))
  })

  test('one date is due once', () => {
    const timing: Timing = { kind: 'once', at: at('2026-01-01T12:00:00Z') }
    expect(nextDates(timing, at('2026-01-01T11:59:59Z'))).toEqual([timing.at])
    expect(nextDates(timing, timing.at)).toEqual([])
  })

  test('the dates of a rare expression are computed once until the next one has passed', () => {
    const rare = cron('0 0 * 2 MON#5', 'Asia/Tokyo')
    const shown = nextDates(rare, at('2026-01-01T00:00:00Z'))
    expect(shown.map((date) => date.getUTCFullYear())).toEqual([2044, 2072, 2112, 2140, 2168])
    const [first = at('')] = shown
    expect(nextDates(rare, new Date(first.getTime() - 1))).toBe(shown)
    expect(nextDates(rare, first)[0]).toEqual(shown[1])
    // The clock may be set back, and zones are apart.
    expect(nextDates(rare, at('2015-01-01T00:00:00Z'))[0]?.toISOString()).toBe('2016-02-28T15:00:00.000Z')
    expect(nextDates(cron('0 0 * 2 MON#5'), at('2015-01-01T00:00:00Z'))[0]?.toISOString()).toBe(
      '2016-02-29T00:00:00.000Z',
    )
  })

  test('dates that are remembered equal those that are computed', () => {
    const timing = cron('*/7 1-3 * * *', 'Europe/Berlin')
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 3 * 1_440 })), (minutes) => {
        for (const minute of minutes) {
          const after = new Date(at('2026-10-24T00:00:00Z').getTime() + minute * minuteMs)
          const [first = null, second = null] = nextDates(timing, after)
          expect([first, second]).toEqual([nextDate(timing, after), first && nextDate(timing, first)])
        }
      }),
    )
  })
})

test.for<[Timing, string, RegExp]>([
  [cron('* * * * * *'), 'cron', /five fields/],
  [cron('@daily'), 'cron', /five fields/],
  [cron('? * * * *'), 'cron', /five fields/],
  [cron('0 24 * * *'), 'cron', /cannot be read: Invalid value for hour/],
  [cron('*/0 * * * *'), 'cron', /cannot be read/],
  [cron('0 0 30 2 *'), 'cron', /never comes/],
  [cron(`${'1,'.repeat(50)}1 * * * *`), 'cron', /at most 100/],
  [cron('0 0 * * *', 'Mars/Olympus'), 'time_zone', /not a time zone/],
  [cron('0 0 * * *', '+02:00'), 'time_zone', /not a time zone/],
  [{ kind: 'interval', seconds: 59, anchor: at('2026-01-01') }, 'interval_seconds', /from 60/],
  [{ kind: 'interval', seconds: 60.5, anchor: at('2026-01-01') }, 'interval_seconds', /from 60/],
  [{ kind: 'once', at: at('2026-01-01') }, 'once_at', /past/],
])('%j has a problem', ([timing, param, message]) => {
  expect(problemsOfTiming(timing, at('2026-01-01'))).toEqual([{ param, message: expect.stringMatching(message) }])
})

test('valid timings have no problems', () => {
  const now = at('2026-01-01')
  for (const timing of [
    cron('0 0 29 2 *'),
    cron('*/5 8-18 * JAN-MAR MON', 'Asia/Kolkata'),
    { kind: 'interval', seconds: 60, anchor: now } as const,
  ])
    expect(problemsOfTiming(timing, now)).toEqual([])
})

test('an interval and an expression have the bounds of their rows', () => {
  const now = at('2026-01-01')
  const every = (seconds: number): Timing => ({ kind: 'interval', seconds, anchor: now })
  expect(problemsOfTiming(every(schedulesBounds.interval.seconds), now)).toEqual([])
  expect(problemsOfTiming(every(schedulesBounds.interval.seconds + 1), now)).toHaveLength(1)
  const long = (chars: number): Timing => cron(`0 0 * *${'*'.padStart(chars - '0 0 * *'.length)}`)
  expect(problemsOfTiming(long(schedulesBounds.cron.chars), now)).toEqual([])
  expect(problemsOfTiming(long(schedulesBounds.cron.chars + 1), now)).toHaveLength(1)
})

describe('due dates', () => {
  const every10: Timing = cron('*/10 * * * *')
  const until = at('2026-05-01T12:01:00Z')

  test('fire if they are noticed in time', () => {
    const answer = { fire: [at('2026-05-01T12:00:00Z')], missed: null, next: at('2026-05-01T12:10:00Z') }
    expect(dueDates(every10, { after: at('2026-05-01T11:50:00Z'), until, missed: 'skip' })).toEqual(answer)
    expect(dueDates(every10, { after: at('2026-05-01T11:50:00Z'), until, missed: 'once' })).toEqual(answer)
    expect(dueDates(every10, { after: at('2026-05-01T12:00:00Z'), until, missed: 'once' })).toEqual({
      ...answer,
      fire: [],
    })
  })

  test('that were missed are skipped, or the last of them fires', () => {
    const after = at('2025-05-01T00:00:00Z')
    const first = at('2025-05-01T00:10:00Z')
    const last = at('2026-05-01T11:50:00Z')
    const onTime = at('2026-05-01T12:00:00Z')
    expect(dueDates(every10, { after, until, missed: 'skip' })).toMatchObject({
      fire: [onTime],
      missed: { first, last, isMadeUp: false },
    })
    expect(dueDates(every10, { after, until, missed: 'once' })).toMatchObject({
      fire: [last, onTime],
      missed: { first, last, isMadeUp: true },
    })
  })

  test('of a date that has passed leave none', () => {
    const timing: Timing = { kind: 'once', at: at('2026-05-01T00:00:00Z') }
    const after = at('2026-04-01T00:00:00Z')
    expect(dueDates(timing, { after, until, missed: 'skip' })).toMatchObject({ fire: [], next: null })
    expect(dueDates(timing, { after, until, missed: 'once' })).toMatchObject({ fire: [timing.at], next: null })
  })

  test('are all accounted for, whenever somebody looks', () => {
    const timing = fc.oneof(
      fc.constantFrom(
        cron('*/7 * * * *', 'Europe/Berlin'),
        cron('30 2 * * *', 'Europe/Berlin'),
        cron('0 */5 * * *', 'America/New_York'),
      ),
      fc
        .integer({ min: 60, max: 4_000 })
        .map((seconds): Timing => ({ kind: 'interval', seconds, anchor: at('2026-10-20T00:00:00.5Z') })),
    )
    const gapsMs = fc.array(fc.oneof(fc.integer({ min: 1, max: 4 * minuteMs }), fc.integer({ min: 1, max: dayMs })), {
      minLength: 1,
      maxLength: 8,
    })
    fc.assert(
      fc.property(timing, gapsMs, fc.constantFrom('skip', 'once'), (each, gaps, missed) => {
        const start = at('2026-10-24T18:00:00Z')
        let after = start
        const fired: string[] = []
        const skipped: string[] = []
        for (const gap of gaps) {
          const look = new Date(after.getTime() + gap)
          const due = dueDates(each, { after, until: look, missed })
          expect(due.next).toEqual(nextDate(each, look))
          fired.push(...due.fire.map((date) => date.toISOString()))
          if (due.missed) {
            const between = datesOf(each, new Date(due.missed.first.getTime() - 1), due.missed.last)
            skipped.push(...(missed === 'once' ? between.slice(0, -1) : between))
            expect(look.getTime() - due.missed.last.getTime()).toBeGreaterThan(schedulesBounds.lateDate.ms)
          }
          after = look
        }
        expect([...fired, ...skipped].sort()).toEqual(datesOf(each, start, after))
      }),
    )
  })
})

test.for([
  ['allow', 5, 5, 'start'],
  ['skip', 0, 0, 'start'],
  ['skip', 1, 0, 'skip'],
  ['queue', 0, 0, 'start'],
  ['queue', 1, 0, 'queue'],
  ['queue', 0, 1, 'queue'],
  ['queue', 1, schedulesBounds.queuedFirings.count, 'skip'],
] as const)('overlap %s with %i active and %i queued: %s', ([overlap, active, queued, decision]) => {
  expect(decideOverlap(overlap, { active, queued })).toBe(decision)
})
