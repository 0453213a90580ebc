import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { randomBytes } from './crypto.ts'

/**
 * Secrets at rest. An organisation has a data key; it is stored only wrapped by a key-encryption key (KEK), which lives
 * outside the database. Everything is AES-256-GCM with a random nonce, bound to the place where it is stored: what is
 * copied to another record or another organisation does not open there.
 *
 *   wrapped = version 1 · length of the KEK's id 1 · KEK's id · data key's id 8 · nonce 12 · data key 32 · tag 16
 *   sealed  = version 1 · data key's id 8 · nonce 12 · secret · tag 16
 */
export type Keyring = {
  newDataKey(organisation: string): WrappedKey
  unwrap(wrapped: Uint8Array, organisation: string): DataKey
  /** The same data key under the active KEK, so that what it sealed stays readable and the old KEK can go. */
  rewrap(wrapped: Uint8Array, organisation: string): WrappedKey
}

export type WrappedKey = { readonly kekId: string; readonly wrapped: Buffer }
/** An object of the crypto library, so that no log or JSON can show the key. */
export type DataKey = { readonly id: string; readonly key: KeyObject }
export type Kek = { readonly id: string; readonly key: KeyObject }
export type Place = { readonly organisation: string; readonly record: string }

/** Says what is wrong, never what was inside. */
export class EnvelopeError extends Error {
  override readonly name = 'EnvelopeError'
}

const version = 1
const keyBytes = 32
const dataKeyIdBytes = 8
const nonceBytes = 12
const tagBytes = 16
const cipherName = 'aes-256-gcm'

export const createKeyring = ({ keks, activeKekId }: { keks: readonly Kek[]; activeKekId: string }): Keyring => {
  const byId = new Map(keks.map((kek) => [kek.id, kek]))
  if (byId.size !== keks.length) throw new EnvelopeError('Two key-encryption keys have the same id')
  const active = byId.get(activeKekId)
  if (!active) throw new EnvelopeError(`The active key-encryption key ${activeKekId} is not among the keys`)

  const wrap = ({ id, key }: DataKey, organisation: string): WrappedKey => {
    const kekId = Buffer.from(active.id)
    const head = Buffer.concat([Buffer.from([version, kekId.length]), kekId, Buffer.from(id, 'hex')])
    return { kekId: active.id, wrapped: encrypt(active.key, head, key.export(), ['data key', organisation]) }
  }

  const unwrap = (wrapped: Uint8Array, organisation: string): DataKey => {
    const kekId = kekIdOf(wrapped)
    const kek = byId.get(kekId)
    if (!kek) throw new EnvelopeError(`The key-encryption key ${kekId} is needed and is not among the keys`)
    const headBytes = 2 + Buffer.byteLength(kekId) + dataKeyIdBytes
    const key = decrypt(kek.key, wrapped, headBytes, ['data key', organisation], {
      whenWrong: `The data key does not open with the key-encryption key ${kekId}: that is another key, or the data key was altered or belongs to another organisation`,
    })
    const id = Buffer.from(wrapped.subarray(headBytes - dataKeyIdBytes, headBytes)).toString('hex')
    return { id, key: createSecretKey(key) }
  }

  return {
    newDataKey: (organisation) =>
      wrap(
        { id: randomBytes(dataKeyIdBytes).toString('hex'), key: createSecretKey(randomBytes(keyBytes)) },
        organisation,
      ),
    unwrap,
    rewrap: (wrapped, organisation) => wrap(unwrap(wrapped, organisation), organisation),
  }
}

export const seal = (dataKey: DataKey, secret: Uint8Array, place: Place): Buffer =>
  encrypt(
    dataKey.key,
    Buffer.concat([Buffer.from([version]), Buffer.from(dataKey.id, 'hex')]),
    secret,
    contextOf(place),
  )

export const open = (dataKey: DataKey, sealed: Uint8Array, place: Place): Buffer => {
  const id = dataKeyIdOf(sealed)
  if (id !== dataKey.id)
    throw new EnvelopeError(`The secret was sealed with the data key ${id}, not with ${dataKey.id}`)
  return decrypt(dataKey.key, sealed, 1 + dataKeyIdBytes, contextOf(place), {
    whenWrong: 'The secret does not open: it was altered, or it belongs to another record or organisation',
  })
}

/** Which key-encryption key a wrapped data key needs. */
export const kekIdOf = (wrapped: Uint8Array): string => {
  const length = wrapped[1] ?? 0
  checkShape(wrapped, 2 + length + dataKeyIdBytes + nonceBytes + keyBytes + tagBytes)
  return Buffer.from(wrapped.subarray(2, 2 + length)).toString()
}

/** Which data key a sealed secret needs. */
export const dataKeyIdOf = (sealed: Uint8Array): string => {
  checkShape(sealed, 1 + dataKeyIdBytes + nonceBytes + tagBytes)
  return Buffer.from(sealed.subarray(1, 1 + dataKeyIdBytes)).toString('hex')
}

/** `2026-01:` and 32 random bytes in base64, as an environment carries it. */
export const parseKek = (text: string): Kek => {
  const [, id, base64 = ''] = /^([A-Za-z0-9._-]{1,64}):([A-Za-z0-9+/]+=*)$/.exec(text.trim()) ?? []
  if (id === undefined) throw new EnvelopeError('A key-encryption key is written as its id, a colon, and base64')
  const key = Buffer.from(base64, 'base64')
  if (key.length !== keyBytes || key.toString('base64') !== base64)
    throw new EnvelopeError(`The key-encryption key ${id} is not base64 of ${keyBytes} bytes`)
  // A forgotten placeholder such as AAAA… has the right length.
  if (new Set(key).size < keyBytes / 4) throw new EnvelopeError(`The key-encryption key ${id} is not random`)
  return { id, key: createSecretKey(key) }
}

/** A key a line; empty lines and those with # are passed over. Nobody but its owner may read the file. */
export const readKekFile = (path: string): Kek[] => {
  const stats = statSync(path)
  if (!stats.isFile()) throw new EnvelopeError(`${path} is not a file`)
  if ((stats.mode & 0o077) !== 0) throw new EnvelopeError(`${path} may be read by others: set its mode to 0600`)
  const lines = readFileSync(path, 'utf8').split('\n')
  const keks = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'))
  if (keks.length === 0) throw new EnvelopeError(`${path} holds no key-encryption key`)
  return keks.map(parseKek)
}

const contextOf = ({ organisation, record }: Place): readonly string[] => ['secret', organisation, record]

/** Each part with its length, so that ('a', 'bc') and ('ab', 'c') are two contexts. */
const additionalData = (head: Uint8Array, context: readonly string[]): Buffer =>
  Buffer.concat(
    [Buffer.from(head), ...context.map((part) => Buffer.from(part))].flatMap((part) => {
      const length = Buffer.alloc(4)
      length.writeUInt32BE(part.length)
      return [length, part]
    }),
  )

const encrypt = (key: KeyObject, head: Uint8Array, plain: Uint8Array, context: readonly string[]): Buffer => {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(cipherName, key, nonce, { authTagLength: tagBytes })
  cipher.setAAD(additionalData(head, context))
  return Buffer.concat([head, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

const decrypt = (
  key: KeyObject,
  bytes: Uint8Array,
  headBytes: number,
  context: readonly string[],
  { whenWrong }: { whenWrong: string },
): Buffer => {
  const bodyAt = headBytes + nonceBytes
  const tagAt = bytes.length - tagBytes
  const decipher = createDecipheriv(cipherName, key, bytes.subarray(headBytes, bodyAt), { authTagLength: tagBytes })
  decipher.setAAD(additionalData(bytes.subarray(0, headBytes), context))
  decipher.setAuthTag(bytes.subarray(tagAt))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(bodyAt, tagAt)), decipher.final()])
  } catch (error) {
    throw new EnvelopeError(whenWrong, { cause: error })
  }
}

const checkShape = (bytes: Uint8Array, leastBytes: number): void => {
  if (bytes[0] !== version)
    throw new EnvelopeError(`The form of the bytes is unknown: version ${bytes[0] ?? 'missing'}`)
  if (bytes.length < leastBytes) throw new EnvelopeError('The bytes are too short to be what they should be')
}
