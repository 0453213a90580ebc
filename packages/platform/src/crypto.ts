import { createHash, randomBytes as systemRandomBytes } from 'node:crypto'

export const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest()

export const randomBytes = (count: number): Buffer => systemRandomBytes(count)

const poolBytes = 8_192
let pool: Buffer = Buffer.alloc(0)
let used = 0

/**
 * For ids and nonces, at most 8 KB: random bytes are fetched for hundreds of them at once. Not for secrets, because the bytes
 * stay in memory with those of others.
 */
export const pooledRandomBytes = (count: number): Buffer => {
  if (used + count > pool.length) {
    pool = systemRandomBytes(poolBytes)
    used = 0
  }
  used += count
  return pool.subarray(used - count, used)
}

/** Canonical JSON: sorted keys, no white space. Equal bodies have the same fingerprint. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`
  }
  return JSON.stringify(value)
}
