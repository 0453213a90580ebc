/** Remembers results by key. Beyond the bound, the result that was asked for longest ago is forgotten and made again. */
export const rememberRecent = <Result>(max: number, make: (key: string) => Result): ((key: string) => Result) => {
  const known = new Map<string, { result: Result }>()
  return (key) => {
    const entry = known.get(key) ?? { result: make(key) }
    known.delete(key)
    known.set(key, entry)
    const [oldest] = known.keys()
    if (known.size > max && oldest !== undefined) known.delete(oldest)
    return entry.result
  }
}
