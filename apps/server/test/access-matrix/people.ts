import type { Role } from '@ars/contract'
import { systemClock } from '@ars/platform/clock'
import { randomBytes, sha256 } from '@ars/platform/crypto'
import { createIdMaker, fromUuid, toUuid } from '@ars/platform/id'
import type { App, Tenant } from '../app.ts'

/** An organisation of the matrix. Every text that belongs to it contains the marker. */
export type Organisation = Tenant & { readonly marker: string; readonly person: Person }

type Person = { readonly userId: string; readonly memberId: string }
type Place = Pick<Tenant, 'org'> & { readonly marker: string }

export const newId = createIdMaker(systemClock)

let people = 0

/** A member, inserted as after an accepted invitation. Returns the ids as customers see them. */
export const plantPerson = async (app: App, { org, marker }: Place, role: Role): Promise<Person> => {
  const [userId, memberId] = [newId('usr'), newId('mem')]
  const email = `${marker}-person-${++people}@example.com`
  await app.query('insert into users (id, email, name) values ($1, $2, $3)', [toUuid(userId), email, marker])
  await app.query('insert into members (id, org_id, user_id, role) values ($1, $2, $3, $4)', [
    toUuid(memberId),
    org,
    toUuid(userId),
    role,
  ])
  return { userId, memberId }
}

/** A browser session, inserted without a login: a password hash takes time, and attempts are throttled. */
export const plantSession = async (
  app: App,
  { org, marker }: Place,
  { userId }: Pick<Person, 'userId'>,
): Promise<{ id: string; cookie: string }> => {
  const id = newId('ses')
  const token = randomBytes(32).toString('base64url')
  await app.query(
    `insert into sessions (id, org_id, user_id, hash, expires_at, user_agent)
     values ($1, $2, $3, $4, app_now() + interval '1 day', $5)`,
    [toUuid(id), org, toUuid(userId), sha256(token), marker],
  )
  return { id: fromUuid('ses', toUuid(id)), cookie: `__Host-ars_session=${token}` }
}
