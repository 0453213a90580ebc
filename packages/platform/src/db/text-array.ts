/**
 * A `text[]` parameter in Postgres' binary format. An array of strings is sent as a literal, in which every quote and
 * backslash of a JSON payload is escaped once more: large payloads would block the event loop for that.
 */
export type TextArray = Buffer

export const textArray = (values: readonly (string | null)[]): TextArray => {
  const sizes = values.map((value) => (value === null ? 0 : Buffer.byteLength(value)))
  const array = Buffer.allocUnsafe(headerBytes + sizes.reduce((sum, size) => sum + 4 + size, 0))
  let at = 0
  const writeNumber = (value: number): void => {
    at = array.writeInt32BE(value, at)
  }
  // One dimension, whether it holds nulls, the type of its elements, their number and the number of the first.
  for (const field of [1, Number(values.includes(null)), textOid, values.length, 1]) writeNumber(field)
  for (const [n, value] of values.entries()) {
    writeNumber(value === null ? -1 : (sizes[n] ?? 0))
    if (value !== null) at += array.write(value, at)
  }
  return array
}

const headerBytes = 5 * 4
const textOid = 25
