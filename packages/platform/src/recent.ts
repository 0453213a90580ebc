/** Bounds of what is remembered. `maxSize` bounds the sum of `sizeOf` over the keys. */
export type RecentBounds = { max: number; maxSize?: number; sizeOf?(key: string): number }

/** Remembers results by key. Beyond a bound, the result that was asked for longest ago is forgotten and made again. */
export const rememberRecent = <Result>(
  bounds: number | RecentBounds,
  make: (key: string) => Result,
): ((key: string) => Result) => {
  const {
    max,
    maxSize = Number.POSITIVE_INFINITY,
    sizeOf = (key: string) => key.length,
  } = typeof bounds === 'number' ? { max: bounds } : bounds
  const known = new Map<string, { result: Result; size: number }>()
  let size = 0
  return (key) => {
    const found = known.get(key)
    const entry = found ?? { result: make(key), size: sizeOf(key) }
    if (!found) size += entry.size
    known.delete(key)
    known.set(key, entry)
    for (const [oldest, { size: freed }] of known) {
      if (known.size <= max && size <= maxSize) break
      known.delete(oldest)
      size -= freed
    }
    return entry.result
  }
}
