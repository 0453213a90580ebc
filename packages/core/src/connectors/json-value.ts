/** Counts levels without recursion: the value is untrusted and may be as deep as it is long. */
export const isDeeperThan = (value: unknown, most: number): boolean => {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []))
  }
  return false
}

/**
 * The same value with a secret removed from its strings: a server that echoes request headers must not return the
 * credential in a result. Not deeper than the caller has checked.
 */
export const withoutSecret = (value: unknown, secret: string | null): unknown => {
  if (secret === null || secret.length < struckOutChars) return value
  if (typeof value === 'string') return value.replaceAll(secret, '[credential]')
  if (Array.isArray(value)) return value.map((item) => withoutSecret(item, secret))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutSecret(item, secret)]))
}

// A shorter secret may occur in any text.
const struckOutChars = 8
