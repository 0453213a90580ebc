import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { publicIdentityKey } from '@ars/platform/durable/identity-key'

/** Reads the secret kept in `file`; on the first call makes it, readable by its owner only. */
export const keepSecret = (file: string, make: () => string): string => {
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

/**
 * The pair with which Restate signs each request to a worker. The private half lies in `file`; the public half is returned
 * in Restate's notation, as `ARS_ENGINE_IDENTITY_KEY` and the SDK's `withIdentityV1` expect it.
 */
export const keepIdentityKey = (file: string): string => {
  const pem = keepSecret(file, () =>
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  )
  return publicIdentityKey(pem)
}
