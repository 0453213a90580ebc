import { crc32 } from 'node:zlib'

/** `live` and `demo` are API keys, `st` is a short-lived token, `share` is the token of a link to a run. */
export type CredentialKind = 'live' | 'demo' | 'st' | 'share'

/**
 * `ars_live_` + 32 random letters (190 bits) + 6 letters of checksum. The checksum allows rejecting a typo without a
 * lookup, and allows scanners to find leaked keys without false alarms.
 */
export const formatCredential = (kind: CredentialKind, random: Uint8Array): string => {
  const body = `ars_${kind}_${toBase62(random, randomLetters)}`
  return body + checksum(body)
}

/** The kind of the text, or null. Cheap; it does not verify the checksum. */
export const kindOf = (text: string): CredentialKind | null =>
  (shape.exec(text)?.[1] as CredentialKind | undefined) ?? null

/** For a text of the right shape. */
export const hasTrueChecksum = (text: string): boolean =>
  text.slice(-checksumLetters) === checksum(text.slice(0, -checksumLetters))

/** The part of a key that lists may show: enough to recognise it, not enough to use it. */
export const describeCredential = (text: string): { prefix: string; hint: string } => ({
  prefix: text.slice(0, text.indexOf('_', 4) + 1),
  hint: text.slice(-4),
})

/** Bytes that `formatCredential` needs: 8 spare bytes make the last letters uniform to within 2^-64. */
export const credentialRandomBytes = 32

const randomLetters = 32
const checksumLetters = 6
const shape = /^ars_(live|demo|st|share)_[0-9A-Za-z]{38}$/
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const checksum = (body: string): string => {
  let rest = crc32(body)
  let text = ''
  for (let i = 0; i < checksumLetters; i++) {
    text = alphabet[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}

const toBase62 = (bytes: Uint8Array, letters: number): string => {
  let number = 0n
  for (const byte of bytes) number = (number << 8n) | BigInt(byte)
  let text = ''
  for (let i = 0; i < letters; i++) {
    text = alphabet[Number(number % 62n)] + text
    number /= 62n
  }
  return text
}
