import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Reads the secret kept in `file`; on the first call makes it, readable by its owner only. */
export function keepSecret(file: string, make: () => string): string {
  try {
    const kept = readFileSync(file, 'utf8').trim()
    if (kept) return kept
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const secret = make().trim()
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${secret}\n`, { mode: 0o600 })
  return secret
}
