import type { Answer, OrganisationId, Session as WireSession } from '@ars/contract'
import { sha256 } from '@ars/platform/crypto'
import type { Database } from '@ars/platform/db/database'
import { type IdMaker, toUuid } from '@ars/platform/id'
import { checksPerPassword } from '@ars/platform/password'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { accountSubject, deviceSubject, ownSubject } from './attempt.ts'
import { notesOfPerson, recordAll } from './audit-note.service.ts'
import { rememberDevice } from './device.service.ts'
import { deleteDevices, findDevice } from './device.store.ts'
import { normaliseEmail } from './email.ts'
import type { PasswordService } from './password.service.ts'
import { type Person, personIn } from './person.ts'
import { consumeReset, findReset, voidResets } from './reset.store.ts'
import { lockPerson, ownSession, type SessionService } from './session.service.ts'
import { endSessionsOfUser } from './session.store.ts'
import { isWellFormedToken } from './session.ts'
import type { SessionLookup } from './session-lookup.service.ts'
import { findUser, listUsersByEmail, lockUser, setPassword } from './user.store.ts'
import type { Visitor } from './visitor.ts'

export type LoginService = {
  login(visitor: Visitor, body: Login): Promise<Answer<WireSession>>
  changePassword(ctx: Ctx, body: { current_password: string; new_password: string }): Promise<Answer<WireSession>>
  /** With a link. Answers whose password was set, and the cookie with which strangers cannot lock this person out. */
  resetPassword(
    visitor: Visitor,
    body: { token: string; password: string },
  ): Promise<{ user: Person['user']; cookie: string }>
}

type Login = { email: string; password: string; organisation_id?: OrganisationId | undefined }

type Deps = {
  auth: Database
  newId: IdMaker
  passwords: PasswordService
  sessions: SessionService
  lookup: SessionLookup
}

export const createLogin = ({ auth, newId, passwords, sessions, lookup }: Deps): LoginService => {
  /** Known by its cookie: the account that this browser has logged in to before, if it is meant now. */
  const findKnown = async (visitor: Visitor, email: string, org: string | undefined) => {
    const { deviceToken } = visitor
    if (deviceToken === undefined || !isWellFormedToken(deviceToken)) return null
    const hash = sha256(deviceToken)
    const user = await findDevice(auth, { hash, email, org })
    return user === null ? null : { user, hash, token: deviceToken }
  }

  return {
    login: async (visitor, body) => {
      const email = normaliseEmail(body.email)
      const wanted = body.organisation_id === undefined ? undefined : toUuid(body.organisation_id)
      const device = await findKnown(visitor, email, wanted)
      const subject = device ? deviceSubject(device.hash) : accountSubject(email)
      if (device) await passwords.countOwn(visitor, email, subject)
      else await passwords.countTry(visitor, email)
      // The attempts of a known browser are for its own account: for others it would be an allowance to guess.
      const users = await listUsersByEmail(auth, email, checksPerPassword, { org: wanted, user: device?.user })
      const hashes = users.map(({ password_hash }) => password_hash ?? '')
      const fitting = await passwords.verify(hashes, body.password)
      const user = fitting === null ? undefined : users[fitting]
      const person = user ? personIn(user, user.organisations, wanted) : null
      if (!user || !person) {
        passwords.noteFailure(visitor, email)
        throw wrongLogin()
      }
      const { answer, replaced } = await auth.transaction(person.organisation.id, async (tx) => {
        // The password was changed after it was read: the given one is the old one.
        if ((await lockPerson(tx, person)) !== user.password_hash) throw wrongLogin()
        await passwords.uncount(tx, subject)
        const cookies = [await rememberDevice(tx, user.id, device)]
        return sessions.start(tx, visitor, { person, expiresAt: null, cookies })
      })
      if (replaced) lookup.forget({ session: replaced.id })
      return answer
    },
    changePassword: async (ctx, body) => {
      const { user: id } = ownSession(ctx)
      const user = await findUser(auth, id)
      const person = user && personIn(user, user.organisations, ctx.org)
      if (!user || !person) throw new Fault('unauthorized', 'The session has ended')
      const subject = ownSubject(id)
      await passwords.countOwn(ctx, user.email, subject)
      const fitting = await passwords.verify([user.password_hash ?? ''], body.current_password)
      // Not 401: the session is valid, and the page must be able to distinguish this from the end of the session.
      if (fitting === null)
        throw new Fault('password_wrong', 'The current password is wrong', { param: 'current_password' })
      const hash = await passwords.hashNew(body.new_password, user.email)
      const { answer } = await auth.transaction(ctx.org, async (tx) => {
        if ((await lockPerson(tx, person)) !== user.password_hash) throw wrongPassword()
        await setPassword(tx, id, hash)
        await voidResets(tx, id)
        await passwords.uncount(tx, subject)
        await deleteDevices(tx, id)
        const ended = await endSessionsOfUser(tx, id)
        const notes = await notesOfPerson(
          tx,
          { visitor: ctx, newId, user: id },
          { action: 'password.changed', after: { sessions_ended: ended } },
        )
        const cookies = [await rememberDevice(tx, id)]
        return sessions.start(tx, { ...ctx, sessionToken: undefined }, { person, expiresAt: null, notes, cookies })
      })
      lookup.forget({ user: id })
      return answer
    },
    resetPassword: async (visitor, { token, password }) => {
      const reset = await findReset(auth, sha256(token))
      if (!reset) throw linkInvalid()
      const hash = await passwords.hashNew(password, reset.email)
      const cookie = await auth.transaction(null, async (tx) => {
        await lockUser(tx, reset.user_id)
        if (!(await consumeReset(tx, reset.id))) throw linkInvalid()
        await setPassword(tx, reset.user_id, hash)
        await voidResets(tx, reset.user_id)
        await deleteDevices(tx, reset.user_id)
        const ended = await endSessionsOfUser(tx, reset.user_id)
        const act = { action: 'password.reset', after: { sessions_ended: ended } }
        const kept = await rememberDevice(tx, reset.user_id)
        await recordAll(tx, await notesOfPerson(tx, { visitor, newId, user: reset.user_id }, act))
        return kept
      })
      lookup.forget({ user: reset.user_id })
      return { user: { id: reset.user_id, email: reset.email, name: reset.name }, cookie }
    },
  }
}

/** One error for all reasons, so that a caller learns nothing about which accounts exist. */
export const wrongLogin = (): Fault => new Fault('unauthorized', 'The e-mail address or the password is wrong')

const wrongPassword = (): Fault =>
  new Fault('unauthorized', 'The current password is wrong', { param: 'current_password' })

/** One error for all reasons here too. */
export const linkInvalid = (): Fault =>
  new Fault('link_invalid', 'The link was used, withdrawn or has expired, or it never existed', { param: 'token' })
