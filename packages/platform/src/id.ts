import { platformBounds } from './bounds.ts'
import type { Clock } from './clock.ts'
import { pooledRandomBytes } from './crypto.ts'

export type PrefixedId<Prefix extends string> = `${Prefix}_${string}`

/** Creates ids that sort by time: UUIDv7 as a prefix and Crockford base32 (TypeID). */
export type IdMaker = <Prefix extends string>(prefix: Prefix) => PrefixedId<Prefix>

/** A clock that moves back further than this was wrong before, and ids follow it. */
const maxClockStepBackMs = platformBounds.clockStepBack.ms

/**
 * Ids of one process never decrease. If the clock moves back by at most 5 s, the last millisecond is kept and the counter
 * continues. If it moves back further, ids follow it: ids of a wrong future day would have no partition and no place in
 * lists. If the counter of a millisecond overflows, the next millisecond is used.
 */
export const createIdMaker = (clock: Clock, fillRandom: (bytes: Uint8Array) => void = fillFromSystem): IdMaker => {
  let lastMs = 0
  let counter = 0
  const bytes = new Uint8Array(16)
  return (prefix) => {
    const nowMs = clock.now().getTime()
    fillRandom(bytes)
    if (nowMs > lastMs || nowMs < lastMs - maxClockStepBackMs) {
      lastMs = nowMs
      counter = ((bytes[6] ?? 0) << 3) | ((bytes[7] ?? 0) & 7)
    } else if (++counter > 0xf_ff) {
      lastMs += 1
      counter = 0
    }
    writeTime(bytes, lastMs)
    bytes[6] = 0x70 | (counter >> 8)
    bytes[7] = counter & 0xff
    bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
    return `${prefix}_${encode(bytes)}`
  }
}

/** The UUID of an id for the database. The id must be valid. */
export const toUuid = (id: string): string => {
  const bytes = decode(id.slice(id.lastIndexOf('_') + 1))
  const hex = Buffer.from(bytes).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

export const fromUuid = <Prefix extends string>(prefix: Prefix, uuid: string): PrefixedId<Prefix> =>
  `${prefix}_${encode(Buffer.from(uuid.replaceAll('-', ''), 'hex'))}`

/** The smallest UUIDv7 of a time: the border between two partitions. */
export const uuidFloor = (date: Date): string => {
  const bytes = new Uint8Array(16)
  writeTime(bytes, date.getTime())
  const hex = Buffer.from(bytes).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`
}

/** The creation time of a UUIDv7, in ms since 1970. */
export const uuidTimeMs = (uuid: string): number => Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16)

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const values = new Map([...alphabet].map((letter, value) => [letter, value]))

// 128 bits in 26 characters of 5 bits, with two leading zero bits.
const encode = (bytes: Uint8Array): string => {
  let text = ''
  let bits = 2
  let rest = 0
  for (const byte of bytes) {
    rest = (rest << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += alphabet[(rest >> bits) & 31]
      rest &= (1 << bits) - 1
    }
  }
  return text
}

const decode = (text: string): Uint8Array => {
  const bytes = new Uint8Array(16)
  let bits = -2
  let rest = 0
  let at = 0
  for (const letter of text) {
    const value = values.get(letter)
    if (value === undefined) throw new TypeError(`Not an id: ${text}`)
    rest = (rest << 5) | value
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes[at++] = (rest >> bits) & 0xff
      rest &= (1 << bits) - 1
    }
  }
  return bytes
}

const writeTime = (bytes: Uint8Array, ms: number): void => {
  const high = Math.floor(ms / 2 ** 16)
  bytes[0] = (high >>> 24) & 0xff
  bytes[1] = (high >>> 16) & 0xff
  bytes[2] = (high >>> 8) & 0xff
  bytes[3] = high & 0xff
  bytes[4] = (ms >>> 8) & 0xff
  bytes[5] = ms & 0xff
}

const fillFromSystem = (bytes: Uint8Array): void => bytes.set(pooledRandomBytes(bytes.length))
