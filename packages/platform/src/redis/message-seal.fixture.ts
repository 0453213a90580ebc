import { randomBytes } from '../crypto.ts'
import { createKeyring, parseKek } from '../envelope.ts'
import { createLog } from '../log/log.ts'
import { createMessageSeal, type MessageSeal, messagePurpose } from './message-seal.ts'

export const newKek = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`

/** As a process with these keys has it, the first one active. */
export const sealOf = (keks: readonly string[], log = createLog({ level: 'silent' })): MessageSeal => {
  const keys = keks.map((kek) => parseKek(kek))
  const seal = createMessageSeal(
    createKeyring({ keks: keys, activeKekId: keys[0]?.id ?? '' }).derive(messagePurpose),
    log,
  )
  if (!seal) throw new Error('There is no key')
  return seal
}
