import { createPrivateKey, createPublicKey } from 'node:crypto'

/**
 * The public half of the key with which Restate signs its requests, as `ARS_ENGINE_IDENTITY_KEY` and the SDK's
 * `withIdentityV1` expect it. Throws if the text is no Ed25519 private key.
 */
export const publicIdentityKey = (privateKeyPem: string): string => {
  const key = createPrivateKey(privateKeyPem)
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('The key is not an Ed25519 key')
  const { x } = createPublicKey(key).export({ format: 'jwk' })
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
