const minuteMs = 60_000
const hourMs = 60 * minuteMs

/**
 * Of the clocks of a zone at every quarter of an hour, by another way than the one under test: the name of the offset. A
 * zone changes its clocks far less often than every six hours, so quarters between two equal offsets are not looked at.
 */
export const offsetsOf = (zone: string, from: number, until: number): ((momentMs: number) => number) => {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
  const quarterMs = 15 * minuteMs
  const look = (moment: number): number => {
    const [, sign, hours = '0', minutes = '0'] = /GMT(?:([+-])(\d+):(\d+))?/.exec(format.format(moment)) ?? []
    return (sign === '-' ? -1 : 1) * (Number(hours) * hourMs + Number(minutes) * minuteMs)
  }
  const offsets = new Map<number, number>()
  for (let begin = from; begin <= until; begin += 6 * hourMs) {
    const [first, last] = [look(begin), look(begin + 6 * hourMs)]
    for (let moment = begin; moment < begin + 6 * hourMs; moment += quarterMs)
      offsets.set(moment, first === last ? first : look(moment))
  }
  return (moment) => offsets.get(moment - (moment % quarterMs)) ?? Number.NaN
}

export type WallMatches = (wall: Date) => boolean

/**
 * Looks at the clock of the zone every minute. A time that the clock has shown before is not due again. When it has jumped, everything
 * that it left out is due now. The answer has a list for each of `matches`.
 */
export const watchedDates = (
  offsetAt: (momentMs: number) => number,
  from: number,
  until: number,
  matches: readonly WallMatches[],
): string[][] => {
  const dates = matches.map((): string[] => [])
  const wall = new Date(from + offsetAt(from))
  for (let moment = from + minuteMs; moment <= until; moment += minuteMs) {
    const shown = moment + offsetAt(moment)
    const due = new Set<string[]>()
    while (wall.getTime() < shown) {
      wall.setTime(wall.getTime() + minuteMs)
      for (const [index, list] of dates.entries()) if (matches[index]?.(wall)) due.add(list)
    }
    for (const list of due) list.push(new Date(moment).toISOString())
  }
  return dates
}
