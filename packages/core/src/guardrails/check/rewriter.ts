/** A text in which checks find. `places` null: it is the given text. */
export type TextReading = { text: string; places: Places | null }
/** Where each of its UTF-16 units begins and ends in the given text. */
type Places = { starts: Int32Array; ends: Int32Array }

/** Collects at most `maxUnits` units. */
export const createRewriter = (maxUnits: number) => {
  const units = new Uint16Array(maxUnits)
  const starts = new Int32Array(maxUnits)
  const ends = new Int32Array(maxUnits)
  let length = 0
  return {
    add: (unit: number, start: number, end: number): void => {
      units[length] = unit
      starts[length] = start
      ends[length++] = end
    },
    /** The last unit becomes another one and goes on. */
    extend: (unit: number, end: number): void => {
      units[length - 1] = unit
      ends[length - 1] = end
    },
    done: (): TextReading => ({
      text: Buffer.from(units.buffer, 0, 2 * length).toString('utf16le'),
      places: { starts: starts.subarray(0, length), ends: ends.subarray(0, length) },
    }),
  }
}
