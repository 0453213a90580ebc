/** A whole segment, or the one that is being received. */
export const isSegment = (name: string): boolean => /^[0-9A-F]{24}(\.partial)?$/.test(name)

export const isPartial = (name: string): boolean => name.endsWith('.partial')

/** The position of a segment without its timeline, as text that sorts. */
export const segmentNumberOf = (name: string): string => name.slice(8, 24)

/** The number of the segment that follows. */
export const nextSegmentNumber = (number: string, segmentBytes: number): string => {
  const perLog = 0x1_0000_0000 / segmentBytes
  const [log, segment] = [Number.parseInt(number.slice(0, 8), 16), Number.parseInt(number.slice(8), 16)]
  const isLast = segment + 1 >= perLog
  return hex(isLast ? log + 1 : log) + hex(isLast ? 0 : segment + 1)
}

const hex = (number: number): string => number.toString(16).toUpperCase().padStart(8, '0')

/**
 * The segments that follow each other without a gap from `first` on, of all timelines. A restore would end at a gap
 * without an error, so that what comes after it must not be counted.
 */
export const withoutGap = (
  names: readonly string[],
  { first, segmentBytes }: { first: string; segmentBytes: number },
): { names: string[]; missing: string | null } => {
  const known = Map.groupBy(names.filter(isSegment), segmentNumberOf)
  const last = [...known.keys()].toSorted().at(-1) ?? ''
  const usable: string[] = []
  for (let number = segmentNumberOf(first); number <= last; number = nextSegmentNumber(number, segmentBytes)) {
    const found = known.get(number)
    if (!found) return { names: usable, missing: number }
    usable.push(...found)
  }
  return { names: usable, missing: null }
}

/** The time in a line of pg_waldump about a commit. Null: the line is about something else. */
export const commitTimeIn = (line: string): Date | null => {
  const found = /desc: COMMIT (?:PREPARED )?(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}(?:\.\d+)?) UTC/.exec(line)
  return found ? new Date(`${found[1]}T${found[2]}Z`) : null
}
