import { limits, type SessionRecord, type Session as WireSession } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import type { Person } from './person.ts'
import { organisationToWire, userToWire } from './person.ts'
import { scopesOf } from './role.ts'

/** A session as stored. */
export type Session = {
  id: string
  org_id: string
  user_id: string
  created_at: Date
  seen_at: Date
  expires_at: Date
  ended_at: Date | null
  address: string | null
  user_agent: string | null
}

const sessionCookie = '__Host-ars_session'

/** The browser sends it to this host only, over TLS only, and hides it from scripts. */
export const cookieFor = (token: string, lifeSeconds: number): string =>
  `${sessionCookie}=${token}; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=${lifeSeconds}`

export const cookieThatEnds = cookieFor('', 0)

export const sessionMaxSeconds = limits.sessionMaxDays * 86_400

/** Random bytes in a session and in a link; they contain no information. */
export const tokenBytes = 32

/** A malformed value is rejected without a lookup. */
export const isWellFormedToken = (token: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(token)

/** Tells users who they are and which organisation they act for. */
export const sessionToWire = (person: Person, session: { id: string; expires_at: Date }): WireSession => ({
  object: 'session',
  type: 'session',
  id: fromUuid('ses', session.id),
  user: userToWire(person.user),
  organisation: organisationToWire(person.organisation),
  role: person.organisation.role,
  scopes: [...scopesOf(person.organisation.role)],
  organisations: person.organisations.map(({ id, name, role }) => ({ id: fromUuid('org', id), name, role })),
  expires_at: session.expires_at.toISOString(),
})

export const recordToWire = (session: Session, currentId: string | null): SessionRecord => ({
  id: fromUuid('ses', session.id),
  object: 'session_record',
  organisation_id: fromUuid('org', session.org_id),
  is_current: session.id === currentId,
  created_at: session.created_at.toISOString(),
  seen_at: session.seen_at.toISOString(),
  expires_at: session.expires_at.toISOString(),
  ended_at: session.ended_at?.toISOString() ?? null,
  address: session.address,
  user_agent: session.user_agent,
})
