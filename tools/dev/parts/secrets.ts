import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

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
  const { x } = createPublicKey(createPrivateKey(pem)).export({ format: 'jwk' })
  return `publickeyv1_${encodeBase58(Buffer.from(x ?? '', 'base64url'))}`
}

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Base58 as Bitcoin writes it: the bytes as one number, and a leading 1 for each leading zero byte. */
export const encodeBase58 = (bytes: Buffer): string => {
  let rest = BigInt(`0x0${bytes.toString('hex')}`)
  let digits = ''
  while (rest > 0n) {
    digits = `${alphabet[Number(rest % 58n)]}${digits}`
    rest /= 58n
  }
  const firstNonZero = bytes.findIndex((byte) => byte !== 0)
  return '1'.repeat(firstNonZero === -1 ? bytes.length : firstNonZero) + digits
}
