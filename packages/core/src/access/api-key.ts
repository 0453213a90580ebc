import { crc32 } from 'node:zlib'

/**
 * `ars_live_` + 32 random letters (190 bits) + 6 letters of checksum. The checksum lets a typo be refused without a
 * look-up, and lets scanners find leaked keys without false alarms.
 */
export const formatApiKey = (kind: 'live' | 'demo', random: Uint8Array): string => {
  const body = `ars_${kind}_${toBase62(random, randomLetters)}`
  return body + checksum(body)
}

export const isWellFormedApiKey = (key: string): boolean =>
  shape.test(key) && key.slice(-checksumLetters) === checksum(key.slice(0, -checksumLetters))

/** What a list may show of a key: enough to recognise it, not enough to use it. */
export const describeApiKey = (key: string): { prefix: string; hint: string } => ({
  prefix: key.slice(0, key.indexOf('_', 4) + 1),
  hint: key.slice(-4),
})

/** Bytes that `formatApiKey` needs: 8 spare bytes make the last letters uniform to within 2^-64. */
export const apiKeyRandomBytes = 32

const randomLetters = 32
const checksumLetters = 6
const shape = /^ars_(live|demo)_[0-9A-Za-z]{38}$/
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const checksum = (body: string): string => {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, crc32(body))
  return toBase62(bytes, checksumLetters)
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
