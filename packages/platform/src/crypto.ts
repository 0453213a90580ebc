import { createHash, randomBytes as systemRandomBytes } from 'node:crypto'

export const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest()

export const randomBytes = (count: number): Buffer => systemRandomBytes(count)

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
