import type { Clock } from '@ars/platform/clock'
import type { Database, Tx } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import { networkOf } from '@ars/platform/network'
import { PasswordLineFull, type Passwords } from '@ars/platform/password'
import { createSampler } from '@ars/platform/sampler'
import { auditOf } from '../audit/index.ts'
import { Fault } from '../fault.ts'
import { countAttempt, countOwnAttempt, uncountAttempt } from './attempt.store.ts'
import { accountSubject, addressSubject, type Count, judgeAttempts } from './attempt.ts'
import { recordAll } from './audit-note.service.ts'
import { peopleBounds } from './bounds.ts'
import { normalisePassword, passwordRefusal } from './password.ts'
import { listOrganisationsOf, listUsersByEmail } from './user.store.ts'
import type { Visitor } from './visitor.ts'
import { isWeakPassword } from './weak-password.service.ts'

export type PasswordService = {
  /**
   * Counts an attempt for the account and the address, and rejects when there were too many. It runs before the
   * account is looked up, so that known and unknown accounts are rejected alike.
   */
  countTry(visitor: Visitor, email: string): Promise<void>
  /** A wrong password of this account: recorded after the response, at most once a minute for an account. */
  noteFailure(visitor: Visitor, email: string): void
  /** Counts an attempt of a known browser or a live session, whatever strangers have tried. */
  countOwn(visitor: Visitor, email: string, subject: Buffer): Promise<void>
  /** Which of the hashes fits; null: none. It takes equally long for none, one and two. */
  verify(hashes: readonly string[], password: string): Promise<number | null>
  /** Rejects passwords that are easy to guess. */
  hashNew(password: string, email: string): Promise<string>
  /** The password was correct: this attempt does not count. */
  uncount(tx: Tx, subject: Buffer): Promise<void>
  close(): Promise<void>
}

type Deps = { auth: Database; passwords: Passwords; clock: Clock; newId: IdMaker; log: Log }
type LoginAct = { action: 'login.failed' | 'login.refused'; reason: string }

/** Strangers can name any account. Failures of further accounts are not recorded in the same minute. */
const maxSampledAccounts = peopleBounds.accountsSampled.count

/** Rejections that are being recorded; further ones are only logged. */
const maxNotes = peopleBounds.refusalNotes.count
/** Accounts with one e-mail address whose organisations are told. */
const maxAccounts = peopleBounds.accountsTold.count

export const createPasswordService = ({ auth, passwords, clock, newId, log }: Deps): PasswordService => {
  const notes = new Set<Promise<void>>()
  const failures = createSampler({ clock, perMinute: 1, maxKeys: maxSampledAccounts })

  const noteRefusal = async (visitor: Visitor, email: string, act: LoginAct): Promise<void> => {
    for (const user of await listUsersByEmail(auth, email, maxAccounts)) {
      await auth.transaction(null, async (tx) => {
        const id = fromUuid('usr', user.id)
        const entryOf = () =>
          auditOf({ ...visitor, actor: { type: 'user', id } }, toUuid(newId('aud')), {
            action: act.action,
            subject: id,
            after: { reason: act.reason },
          })
        await recordAll(
          tx,
          (await listOrganisationsOf(tx, user.id)).map((org) => ({ org, entry: entryOf() })),
        )
      })
    }
  }

  /** Recorded after the response, so that the response time does not reveal whether the account exists. */
  const noteLater = (visitor: Visitor, email: string, act: LoginAct): void => {
    if (notes.size >= maxNotes) {
      log.warn('refused logins are not all audited')
      return
    }
    const note = noteRefusal(visitor, email, act)
      .catch((error: unknown) => log.warn('a refused login could not be audited', { error }))
      .finally(() => notes.delete(note))
    notes.add(note)
  }

  const judge = async (visitor: Visitor, email: string, count: () => Promise<Count>): Promise<void> => {
    if (!passwords.hasRoom()) throw busy()
    const verdict = judgeAttempts(await count())
    if (verdict.allowed) return
    if (verdict.isNews) noteLater(visitor, email, { action: 'login.refused', reason: 'too many attempts' })
    const { retryAfterSeconds } = verdict
    throw new Fault('rate_limited', 'Too many attempts to log in; wait before the next one', { retryAfterSeconds })
  }

  return {
    countTry: (visitor, email) =>
      judge(visitor, email, () =>
        countAttempt(auth, { address: addressSubject(networkOf(visitor.address)), account: accountSubject(email) }),
      ),
    countOwn: (visitor, email, subject) => judge(visitor, email, () => countOwnAttempt(auth, subject)),
    noteFailure: (visitor, email) => {
      if (failures.admits(email)) noteLater(visitor, email, { action: 'login.failed', reason: 'wrong password' })
    },
    verify: (hashes, password) => passwords.verify(hashes, normalisePassword(password)).catch(explain),
    hashNew: (password, email) => {
      const refusal = passwordRefusal(password, email, isWeakPassword)
      if (refusal !== null) return Promise.reject(new Fault('password_refused', refusal))
      return passwords.hash(normalisePassword(password)).catch(explain)
    },
    uncount: uncountAttempt,
    close: async () => {
      await Promise.all(notes)
    },
  }
}

const busy = (cause?: unknown): Fault =>
  new Fault('unavailable', 'Too many people log in at this moment', { reason: 'shed', retryAfterSeconds: 2, cause })

const explain = (error: unknown): never => {
  throw error instanceof PasswordLineFull ? busy(error) : error
}
