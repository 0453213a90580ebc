import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { platformBounds } from '../bounds.ts'
import { pooledRandomBytes } from '../crypto.ts'
import type { DerivedKey } from '../envelope.ts'
import type { Log } from '../log/log.ts'

/**
 * Seals messages that travel over Redis, which is not trusted: it sees no contents, and a message that it invents,
 * alters or moves to another subject does not open. Each subject has its own key, derived from the installation's, so
 * random nonces cannot repeat. A repeated message opens again; its reader must not depend on its freshness.
 *
 *   s1.<key id>.<base64 of nonce 12 · AES-256-GCM of the text · tag 16>
 */
export type MessageSeal = {
  /** `subject`: what the message is about, such as an organisation and a run. */
  seal(subject: readonly string[], text: string): string
  /** Null: it was not sealed for this subject, or with none of our keys. It is counted, and logged once a minute. */
  open(subject: readonly string[], message: string): string | null
  /** Messages that did not open. */
  refused(): number
}

export const messagePurpose = 'messages over Redis'

const cipherName = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const maxMessageChars = platformBounds.redisMessage.chars
const maxKeys = platformBounds.redisKeysKnown.count
const logEveryMs = 60_000
const prefix = 's1.'
const idEnd = prefix.length + 8

/** The first key seals; all of them open, so that processes before and after a rotation understand each other. */
export const createMessageSeal = (keys: readonly DerivedKey[], log: Log): MessageSeal | undefined => {
  const extracted = keys.map(({ id, key }) => ({ id, key: extractKey(key) }))
  const [active] = extracted
  if (!active) return undefined
  const byId = new Map(extracted.map((key) => [key.id, key]))
  const ofSubjects = new Map<string, KeyObject>()
  let refused = 0
  let loggedAtMs = Number.NEGATIVE_INFINITY

  const keyOf = ({ id, key }: DerivedKey, subject: readonly string[]): KeyObject => {
    const name = JSON.stringify([id, ...subject])
    const known = ofSubjects.get(name)
    if (known) return known
    const made = expandKey(key, name)
    const oldest = ofSubjects.size < maxKeys ? undefined : ofSubjects.keys().next().value
    if (oldest !== undefined) ofSubjects.delete(oldest)
    ofSubjects.set(name, made)
    return made
  }

  const decrypt = (subject: readonly string[], message: string): string | null => {
    if (message.length > maxMessageChars) return null
    if (!message.startsWith(prefix) || message[idEnd] !== '.') return null
    const key = byId.get(message.slice(prefix.length, idEnd))
    const bytes = Buffer.from(message.slice(idEnd + 1), 'base64')
    if (!key || bytes.length < nonceBytes + tagBytes) return null
    const tagAt = bytes.length - tagBytes
    const decipher = createDecipheriv(cipherName, keyOf(key, subject), bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    })
    decipher.setAuthTag(bytes.subarray(tagAt))
    try {
      return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, tagAt)), decipher.final()]).toString()
    } catch {
      return null
    }
  }

  const note = (subject: readonly string[]): void => {
    refused++
    if (performance.now() - loggedAtMs < logEveryMs) return
    loggedAtMs = performance.now()
    log.warn('a message from Redis does not open and is ignored', { subject, refused })
  }

  return {
    seal: (subject, text) => {
      const nonce = pooledRandomBytes(nonceBytes)
      const cipher = createCipheriv(cipherName, keyOf(active, subject), nonce, { authTagLength: tagBytes })
      const sealed = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
      return `${prefix}${active.id}.${Buffer.concat(sealed).toString('base64')}`
    },
    open: (subject, message) => {
      const text = decrypt(subject, message)
      if (text === null) note(subject)
      return text
    },
    refused: () => refused,
  }
}

// HKDF with SHA-256 and without salt, in its two steps (RFC 5869): each run has a subject, and Node's own function does the
// first step again for each and takes several times as long.
const extractKey = (key: KeyObject): KeyObject =>
  createSecretKey(createHmac('sha256', Buffer.alloc(32)).update(key.export()).digest())

const lastBlock = Buffer.from([1])

const expandKey = (extracted: KeyObject, info: string): KeyObject =>
  createSecretKey(createHmac('sha256', extracted).update(info).update(lastBlock).digest())
