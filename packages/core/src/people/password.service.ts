import type { Database, Tx } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import { PasswordLineFull, type Passwords } from '@ars/platform/password'
import { auditOf } from '../audit/index.ts'
import { Fault } from '../fault.ts'
import { countAttempt, forgiveAccount } from './attempt.store.ts'
import { accountSubject, addressSubject, judgeAttempts } from './attempt.ts'
import { recordAll } from './audit-note.service.ts'
import { normalisePassword, passwordRefusal } from './password.ts'
import { findUserByEmail, listOrganisationsOf } from './user.store.ts'
import type { Visitor } from './visitor.ts'

export type PasswordService = {
  /**
   * Counts an attempt for the account and the address, and rejects when there were too many. It runs before the
   * account is looked up, so that known and unknown accounts are rejected alike.
   */
  countTry(visitor: Visitor, email: string): Promise<void>
  /** With null (the account does not exist) it takes equally long. */
  verify(hash: string | null, password: string): Promise<boolean>
  /** Rejects passwords that are easy to guess. */
  hashNew(password: string, email: string): Promise<string>
  /** The password was correct: earlier attempts no longer count. */
  forgive(tx: Tx, email: string): Promise<void>
  close(): Promise<void>
}

type Deps = { auth: Database; passwords: Passwords; newId: IdMaker; log: Log }

/** Rejections that are being recorded; further ones are only logged. */
const maxNotes = 100

export const createPasswordService = ({ auth, passwords, newId, log }: Deps): PasswordService => {
  const notes = new Set<Promise<void>>()

  const noteRefusal = async (visitor: Visitor, email: string): Promise<void> => {
    const user = await findUserByEmail(auth, email)
    if (!user) return
    await auth.transaction(null, async (tx) => {
      const id = fromUuid('usr', user.id)
      const entryOf = () =>
        auditOf({ ...visitor, actor: { type: 'user', id } }, toUuid(newId('aud')), {
          action: 'login.refused',
          subject: id,
          after: { reason: 'too many attempts' },
        })
      await recordAll(
        tx,
        (await listOrganisationsOf(tx, user.id)).map((org) => ({ org, entry: entryOf() })),
      )
    })
  }

  /** Recorded after the response, so that the response time does not reveal whether the account exists. */
  const noteLater = (visitor: Visitor, email: string): void => {
    if (notes.size >= maxNotes) {
      log.warn('refused logins are not all audited')
      return
    }
    const note = noteRefusal(visitor, email)
      .catch((error: unknown) => log.warn('a refused login could not be audited', { error }))
      .finally(() => notes.delete(note))
    notes.add(note)
  }

  return {
    countTry: async (visitor, email) => {
      if (!passwords.hasRoom()) throw busy()
      const verdict = judgeAttempts(
        await countAttempt(auth, { address: addressSubject(visitor.address), account: accountSubject(email) }),
      )
      if (verdict.allowed) return
      if (verdict.isNews) noteLater(visitor, email)
      const { retryAfterSeconds } = verdict
      throw new Fault('rate_limited', 'Too many attempts to log in; wait before the next one', { retryAfterSeconds })
    },
    verify: (hash, password) => passwords.verify(hash, normalisePassword(password)).catch(explain),
    hashNew: (password, email) => {
      const refusal = passwordRefusal(password, email)
      if (refusal !== null) return Promise.reject(new Fault('password_refused', refusal))
      return passwords.hash(normalisePassword(password)).catch(explain)
    },
    forgive: (tx, email) => forgiveAccount(tx, accountSubject(email)),
    close: async () => {
      await Promise.all(notes)
    },
  }
}

const busy = (cause?: unknown): Fault =>
  new Fault('unavailable', 'Too many people log in at this moment', { retryAfterSeconds: 2, cause })

const explain = (error: unknown): never => {
  throw error instanceof PasswordLineFull ? busy(error) : error
}
