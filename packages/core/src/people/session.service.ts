import {
  Answer,
  type Me,
  type OrganisationId,
  type SessionId,
  type SessionRecord,
  type Session as WireSession,
} from '@ars/contract'
import { randomBytes, sha256 } from '@ars/platform/crypto'
import type { Database, Tx } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import { type AuditEntry, auditOf, recordAudit } from '../audit/index.ts'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { pageSize, toList } from '../page.ts'
import { recordAll } from './audit-note.service.ts'
import { peopleBounds } from './bounds.ts'
import { findRole } from './member.store.ts'
import { lockMembers } from './member-lock.service.ts'
import { findOrganisation } from './organisation.store.ts'
import { organisationToWire, type Person, personIn } from './person.ts'
import {
  endSession,
  endSessionByHash,
  endSurplusSessions,
  findOwnSession,
  insertSession,
  listOwnSessions,
} from './session.store.ts'
import {
  cookieFor,
  cookieThatEnds,
  isWellFormedToken,
  recordToWire,
  type Session,
  sessionMaxSeconds,
  sessionToWire,
  tokenBytes,
} from './session.ts'
import type { SessionLookup } from './session-lookup.service.ts'
import { findUser, lockUser } from './user.store.ts'
import type { Visitor } from './visitor.ts'

export type SessionService = {
  /**
   * Starts a session in the transaction that decided it. The id is always new, and the session that the browser had
   * ends. `notes` are written to the logs together with the rest, last.
   */
  start(tx: Tx, visitor: Visitor, start: Start): Promise<Started>
  logout(ctx: Ctx): Promise<Answer<SessionRecord>>
  me(ctx: Ctx): Promise<Me>
  /** The session of the request. Refuses keys and tokens. */
  current(ctx: Ctx): Promise<WireSession>
  switchOrganisation(ctx: Ctx, org: OrganisationId): Promise<Answer<WireSession>>
  list(ctx: Ctx, page: ListSessions): Promise<ReturnType<typeof toList<SessionRecord>>>
  end(ctx: Ctx, id: SessionId): Promise<SessionRecord>
}

type Start = {
  person: Person
  /** The latest end. Null: the maximum lifetime of a session. */
  expiresAt: Date | null
  notes?: readonly { org: string; entry: AuditEntry }[]
  /** Further cookies of the response. */
  cookies?: readonly string[]
}
/** `replaced`: the session that ended with it, to be dropped from caches after the commit. */
type Started = { answer: Answer<WireSession>; replaced: Session | null }
type ListSessions = { limit?: number | undefined; after?: SessionId | undefined; before?: SessionId | undefined }
type Deps = { auth: Database; newId: IdMaker; lookup: SessionLookup }

const maxUserAgentChars = peopleBounds.userAgent.chars

export const createSessions = ({ auth, newId, lookup }: Deps): SessionService => {
  const noteOf = (
    visitor: Visitor,
    { org_id, id, user_id }: Session,
    action: 'session.started' | 'session.ended',
  ): { org: string; entry: AuditEntry } => {
    const actor = { type: 'user', id: fromUuid('usr', user_id) } as const
    const act = { action, subject: fromUuid('ses', id) }
    return { org: org_id, entry: auditOf({ ...visitor, actor }, toUuid(newId('aud')), act) }
  }

  const start: SessionService['start'] = async (tx, visitor, { person, expiresAt, notes = [], cookies = [] }) => {
    const { sessionToken } = visitor
    await lockPerson(tx, person)
    const role = await findRole(tx, person.organisation.id, person.user.id)
    if (role === null) throw new Fault('unauthorized', 'The e-mail address or the password is wrong')
    const replaced =
      sessionToken !== undefined && isWellFormedToken(sessionToken)
        ? await endSessionByHash(tx, sha256(sessionToken))
        : null
    const token = randomBytes(tokenBytes).toString('base64url')
    const session = await insertSession(tx, person.organisation.id, {
      id: toUuid(newId('ses')),
      user: person.user.id,
      hash: sha256(token),
      expiresAt,
      address: visitor.address,
      userAgent: visitor.userAgent?.slice(0, maxUserAgentChars) ?? null,
    })
    await endSurplusSessions(tx, person.user.id)
    const ended = replaced ? [noteOf(visitor, replaced, 'session.ended')] : []
    await recordAll(tx, [...notes, ...ended, noteOf(visitor, session, 'session.started')])
    const lifeSeconds = Math.floor((session.expires_at.getTime() - session.created_at.getTime()) / 1_000)
    const headers = { 'set-cookie': [cookieFor(token, Math.min(lifeSeconds, sessionMaxSeconds)), ...cookies] }
    return { answer: new Answer(sessionToWire(person, session), { headers }), replaced }
  }

  /** Ends an active session and records it in its organisation's log. Null: it has ended already. */
  const endOne = async (ctx: Ctx, session: Session): Promise<Session | null> => {
    const ended = await auth.transaction(session.org_id, async (tx) => {
      const row = await endSession(tx, session.org_id, session.id)
      if (row) await recordAudit(tx, row.org_id, noteOf(ctx, row, 'session.ended').entry)
      return row
    })
    lookup.forget({ session: session.id })
    return ended
  }

  const findOwn = async (ctx: Ctx, id: SessionId): Promise<Session> => {
    const session = await findOwnSession(auth, ownSession(ctx).user, toUuid(id))
    if (!session) throw new Fault('not_found', `No session ${id}`)
    return session
  }

  const end = async (ctx: Ctx, id: SessionId): Promise<SessionRecord> => {
    const session = await findOwn(ctx, id)
    const ended = await endOne(ctx, session)
    return recordToWire(ended ?? (await findOwn(ctx, id)), ownSession(ctx).id)
  }

  const personOf = async (user: string, org: string): Promise<Person | null> => {
    const known = await findUser(auth, user)
    return known && personIn(known, known.organisations, org)
  }

  const current = async (ctx: Ctx): Promise<WireSession> => {
    const { id, user } = ownSession(ctx)
    const [person, session] = await Promise.all([personOf(user, ctx.org), findOwnSession(auth, user, id)])
    if (!person || !session) throw new Fault('unauthorized', 'The session has ended')
    return sessionToWire(person, session)
  }

  return {
    start,
    end,
    current,
    logout: async (ctx) => {
      const record = await end(ctx, fromUuid('ses', ownSession(ctx).id))
      return new Answer(record, { headers: { 'set-cookie': cookieThatEnds } })
    },
    me: async (ctx) => {
      if (ctx.credential === 'session') return current(ctx)
      const organisation = ctx.organisation
        ? {
            id: ctx.org,
            name: ctx.organisation.name,
            plan: ctx.organisation.plan,
            max_key_lifetime_days: ctx.organisation.maxKeyLifetimeDays,
          }
        : await findOrganisation(auth, ctx.org)
      if (!organisation) throw new Fault('unauthorized', 'The organisation is gone')
      return {
        object: 'me',
        type: ctx.credential === 'token' ? 'session_token' : 'api_key',
        id: ctx.actor.id,
        organisation: organisationToWire(organisation),
        scopes: [...ctx.scopes],
      }
    },
    switchOrganisation: async (ctx, wanted) => {
      const { id, user } = ownSession(ctx)
      const [person, session] = await Promise.all([personOf(user, toUuid(wanted)), findOwnSession(auth, user, id)])
      if (!person || !session) throw new Fault('not_found', `You belong to no organisation ${wanted}`)
      const { answer } = await auth.transaction(person.organisation.id, async (tx) => {
        await lockPerson(tx, person)
        // The role that logs people in may end any session, whatever organisation the transaction is for.
        const ended = await endSession(tx, session.org_id, session.id)
        if (!ended) throw new Fault('unauthorized', 'The session has ended')
        const notes = [noteOf(ctx, session, 'session.ended')]
        return start(tx, { ...ctx, sessionToken: undefined }, { person, expiresAt: session.expires_at, notes })
      })
      lookup.forget({ session: id })
      return answer
    },
    list: async (ctx, page) => {
      const { id, user } = ownSession(ctx)
      const rows = await listOwnSessions(auth, user, {
        after: page.after === undefined ? null : toUuid(page.after),
        before: page.before === undefined ? null : toUuid(page.before),
        limit: pageSize(page) + 1,
      })
      return toList(
        rows.map((row) => recordToWire(row, id)),
        page,
      )
    },
  }
}

/**
 * Removing a member or changing a password takes one of these locks and ends all sessions: none can start afterwards.
 * They are taken in this order and before anything else. Answers the current password hash.
 */
export const lockPerson = async (tx: Tx, { organisation, user }: Person): Promise<string | null> => {
  await lockMembers(tx, organisation.id)
  return lockUser(tx, user.id)
}

/** The requesting session and its user, as UUIDs. */
export const ownSession = (ctx: Ctx): { id: string; user: string } => {
  // The contract says which operations are for sessions only.
  if (ctx.sessionId === null) throw new Error('An operation on the own session admits a caller without one')
  return { id: toUuid(ctx.sessionId), user: toUuid(ctx.actor.id) }
}
