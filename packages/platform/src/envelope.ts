import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { randomBytes, sha256 } from './crypto.ts'
import { createKeyProgram, type Environment, faultOfProgram, type KeyProgram } from './envelope-program.ts'

/**
 * Secrets at rest. An organisation has a data key; it is stored only wrapped by a key-encryption key (KEK), which is stored
 * outside the database. Everything is AES-256-GCM with a random nonce, bound to its context: a ciphertext that is
 * copied to another record or another organisation does not open there.
 *
 *   wrapped = version 1 · length of the KEK's id 1 · KEK's id · data key's id 8 · nonce 12 · data key 32 · tag 16
 *   sealed  = version 1 · data key's id 8 · nonce 12 · secret · tag 16
 *
 * If a program holds the KEK, its output follows the data key's id, and the version is 2. The program wraps the data
 * key and the SHA-256 of the context, so that the binding does not depend on the program.
 */
export type Keyring = {
  /** The KEK for new data keys. */
  readonly activeKekId: string
  readonly kekIds: readonly string[]
  newDataKey(organisation: string): Promise<WrappedKey & { readonly dataKey: DataKey }>
  unwrap(wrapped: Uint8Array, organisation: string): Promise<DataKey>
  /** The same data key wrapped with the active KEK, so that the old KEK can be removed. */
  rewrap(wrapped: Uint8Array, organisation: string): Promise<WrappedKey>
  /**
   * Keys for another purpose, one for each KEK that this process holds, the active one first. They are equal in all
   * processes with the same KEKs. Empty: a program holds the active KEK, and it only wraps and unwraps.
   */
  derive(purpose: string): readonly DerivedKey[]
}

export type WrappedKey = { readonly kekId: string; readonly wrapped: Buffer }
/** A key object of the crypto library, so that neither a log nor JSON can show the key. */
export type DataKey = { readonly id: string; readonly key: KeyObject }
/** `id` tells which KEK it comes from, without naming it. */
export type DerivedKey = { readonly id: string; readonly key: KeyObject }
export type Kek = LocalKek | OutsideKek
export type LocalKek = { readonly id: string; readonly key: KeyObject }
export type OutsideKek = { readonly id: string; readonly program: KeyProgram }
export type SealContext = { readonly organisation: string; readonly record: string }

/** The message describes the fault, never the contents. */
export class EnvelopeError extends Error {
  override readonly name = 'EnvelopeError'
}

const version = 1
const outsideVersion = 2
const keyBytes = 32
const dataKeyIdBytes = 8
const nonceBytes = 12
const tagBytes = 16
const digestBytes = 32
const cipherName = 'aes-256-gcm'

export const createKeyring = ({ keks, activeKekId }: { keks: readonly Kek[]; activeKekId: string }): Keyring => {
  const byId = new Map(keks.map((kek) => [kek.id, kek]))
  if (byId.size !== keks.length) throw new EnvelopeError('Two key-encryption keys have the same id')
  const active = byId.get(activeKekId)
  if (!active) throw new EnvelopeError(`The active key-encryption key ${activeKekId} is not among the keys`)

  const wrap = async ({ id, key }: DataKey, organisation: string): Promise<WrappedKey> => {
    const kekId = Buffer.from(active.id)
    const isOutside = 'program' in active
    const head = Buffer.concat([
      Buffer.from([isOutside ? outsideVersion : version, kekId.length]),
      kekId,
      Buffer.from(id, 'hex'),
    ])
    const context = ['data key', organisation]
    const wrapped = isOutside
      ? await wrapOutside(active, head, { key, context, organisation })
      : encrypt(active.key, head, key.export(), context)
    return { kekId: active.id, wrapped }
  }

  const unwrap = async (wrapped: Uint8Array, organisation: string): Promise<DataKey> => {
    const kekId = kekIdOf(wrapped)
    const kek = byId.get(kekId)
    if (!kek) throw new EnvelopeError(`The key-encryption key ${kekId} is needed and is not among the keys`)
    const headBytes = 2 + Buffer.byteLength(kekId) + dataKeyIdBytes
    const context = ['data key', organisation]
    const whenWrong = `The data key does not open with the key-encryption key ${kekId}: that is another key, or the data key was altered or belongs to another organisation`
    if ('program' in kek !== (wrapped[0] === outsideVersion)) throw new EnvelopeError(whenWrong)
    const key =
      'program' in kek
        ? await unwrapOutside(kek, wrapped, { headBytes, context, organisation, whenWrong })
        : decrypt(kek.key, wrapped, headBytes, context, { whenWrong })
    const id = Buffer.from(wrapped.subarray(headBytes - dataKeyIdBytes, headBytes)).toString('hex')
    return { id, key: createSecretKey(key) }
  }

  return {
    activeKekId,
    kekIds: keks.map(({ id }) => id),
    newDataKey: async (organisation) => {
      const id = randomBytes(dataKeyIdBytes).toString('hex')
      const dataKey = { id, key: createSecretKey(randomBytes(keyBytes)) }
      return { ...(await wrap(dataKey, organisation)), dataKey }
    },
    unwrap,
    rewrap: async (wrapped, organisation) => wrap(await unwrap(wrapped, organisation), organisation),
    derive: (purpose) => {
      if ('program' in active) return []
      const local = [active, ...keks.filter((kek) => kek !== active)].filter((kek) => 'key' in kek)
      return local.map((kek) => deriveKey(kek, purpose))
    },
  }
}

const deriveKey = ({ id, key }: LocalKek, purpose: string): DerivedKey => ({
  id: sha256(`${purpose}:${id}`).toString('hex').slice(0, 8),
  key: createSecretKey(Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), purpose, keyBytes))),
})

type Outside = { context: readonly string[]; organisation: string }

const wrapOutside = async (
  { id, program }: OutsideKek,
  head: Buffer,
  { key, context, organisation }: Outside & { key: KeyObject },
): Promise<Buffer> => {
  const plain = Buffer.concat([key.export(), sha256(additionalData(head, context))])
  const answer = await program.wrap(plain, organisation)
  // Losing a data key loses every secret of the organisation, so unwrapping is tested before it is stored.
  const returned = await program.unwrap(answer, organisation)
  if (answer.includes(key.export()) || !isEqual(returned, plain))
    throw new EnvelopeError(`The program of the key-encryption key ${id} does not give back what it was given to wrap`)
  return Buffer.concat([head, answer])
}

const unwrapOutside = async (
  { program }: OutsideKek,
  wrapped: Uint8Array,
  { headBytes, context, organisation, whenWrong }: Outside & { headBytes: number; whenWrong: string },
): Promise<Buffer> => {
  const plain = await program.unwrap(wrapped.subarray(headBytes), organisation)
  const sealContext = sha256(additionalData(wrapped.subarray(0, headBytes), context))
  if (!isEqual(plain.subarray(keyBytes), sealContext)) throw new EnvelopeError(whenWrong)
  return plain.subarray(0, keyBytes)
}

const isEqual = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b)

export const seal = (dataKey: DataKey, secret: Uint8Array, sealContext: SealContext): Buffer =>
  encrypt(
    dataKey.key,
    Buffer.concat([Buffer.from([version]), Buffer.from(dataKey.id, 'hex')]),
    secret,
    contextOf(sealContext),
  )

export const open = (dataKey: DataKey, sealed: Uint8Array, sealContext: SealContext): Buffer => {
  const id = dataKeyIdOf(sealed)
  if (id !== dataKey.id)
    throw new EnvelopeError(`The secret was sealed with the data key ${id}, not with ${dataKey.id}`)
  return decrypt(dataKey.key, sealed, 1 + dataKeyIdBytes, contextOf(sealContext), {
    whenWrong: 'The secret does not open: it was altered, or it belongs to another record or organisation',
  })
}

/** Which key-encryption key a wrapped data key needs. */
export const kekIdOf = (wrapped: Uint8Array): string => {
  const length = wrapped[1] ?? 0
  const body = wrapped[0] === outsideVersion ? keyBytes + digestBytes : nonceBytes + keyBytes + tagBytes
  checkShape(wrapped, 2 + length + dataKeyIdBytes + body, [version, outsideVersion])
  return Buffer.from(wrapped.subarray(2, 2 + length)).toString()
}

/** Which data key a wrapped one is. */
export const wrappedKeyIdOf = (wrapped: Uint8Array): string => {
  const at = 2 + Buffer.byteLength(kekIdOf(wrapped))
  return Buffer.from(wrapped.subarray(at, at + dataKeyIdBytes)).toString('hex')
}

/** Which data key a sealed secret needs. */
export const dataKeyIdOf = (sealed: Uint8Array): string => {
  checkShape(sealed, 1 + dataKeyIdBytes + nonceBytes + tagBytes, [version])
  return Buffer.from(sealed.subarray(1, 1 + dataKeyIdBytes)).toString('hex')
}

/**
 * Parses `2026-01:` and 32 random bytes in base64, or `2026-01:command:` and the path of a program that holds the key
 * and runs in this environment.
 */
export const parseKek = (text: string, environment: Environment = {}): Kek => {
  const [, outsideId, path = ''] = /^([A-Za-z0-9._-]{1,64}):command:(.+)$/.exec(text.trim()) ?? []
  return outsideId === undefined ? parseLocalKek(text) : namedProgram({ kekId: outsideId, path, environment })
}

const namedProgram = (named: { kekId: string; path: string; environment: Environment }): OutsideKek => {
  const fault = faultOfProgram(named.path)
  if (fault !== undefined) throw new EnvelopeError(`The program of the key-encryption key ${named.kekId}: ${fault}`)
  return { id: named.kekId, program: createKeyProgram(named) }
}

const parseLocalKek = (text: string): LocalKek => {
  const [, id, base64 = ''] = /^([A-Za-z0-9._-]{1,64}):([A-Za-z0-9+/]+=*)$/.exec(text.trim()) ?? []
  if (id === undefined) throw new EnvelopeError('Write a key-encryption key as its id, a colon and base64')
  const key = Buffer.from(base64, 'base64')
  if (key.length !== keyBytes || key.toString('base64') !== base64)
    throw new EnvelopeError(`The key-encryption key ${id} is not base64 of ${keyBytes} bytes`)
  // A forgotten placeholder such as AAAA… has the right length.
  if (new Set(key).size < keyBytes / 4) throw new EnvelopeError(`The key-encryption key ${id} is not random`)
  return { id, key: createSecretKey(key) }
}

/**
 * One key per line; empty lines and comments (#) are ignored. Only its owner may read the file, or root and the group of the
 * process: so Kubernetes mounts a Secret for a process that is not root.
 */
export const readKekFile = (path: string, environment: Environment = {}): Kek[] => {
  const stats = statSync(path)
  if (!stats.isFile()) throw new EnvelopeError(`${path} is not a file`)
  const others = othersOf(stats, process.getuid?.())
  if ((stats.mode & others) !== 0) throw new EnvelopeError(`${path} may be read by others: set its mode to 0600`)
  const lines = readFileSync(path, 'utf8').split('\n')
  const keks = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'))
  if (keks.length === 0) throw new EnvelopeError(`${path} holds no key-encryption key`)
  return keks.map((kek) => parseKek(kek, environment))
}

/** The bits of a mode by which somebody else could read or change a file. */
export const othersOf = ({ uid }: { uid: number }, processUid: number | undefined): number =>
  uid === 0 && processUid !== 0 ? 0o037 : 0o077

const contextOf = ({ organisation, record }: SealContext): readonly string[] => ['secret', organisation, record]

/** Each part with its length, so that ('a', 'bc') and ('ab', 'c') differ. */
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

const checkShape = (bytes: Uint8Array, leastBytes: number, versions: readonly number[]): void => {
  if (!versions.includes(bytes[0] ?? 0))
    throw new EnvelopeError(`The bytes have an unknown format: version ${bytes[0] ?? 'missing'}`)
  if (bytes.length < leastBytes) throw new EnvelopeError('The bytes are too short')
}
