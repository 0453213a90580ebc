import type { Role } from '@agent-run-service/sdk'
import { systemClock } from '@ars/platform/clock'
import { randomBytes, sha256 } from '@ars/platform/crypto'
import { createIdMaker, toUuid } from '@ars/platform/id'
import type { App, Tenant } from '../../server/test/app.ts'

/** A member of an organisation who is logged in. */
export type Person = { name: string; email: string; role: Role; userId: string; memberId: string; token: string }

const newId = createIdMaker(systemClock)
const names: Readonly<Record<Role, string>> = {
  owner: 'Olivia Owner',
  admin: 'Adam Admin',
  developer: 'Dora Developer',
  viewer: 'Victor Viewer',
}
let people = 0

/** Inserts the rows that an accepted invitation and a login leave. A real login takes time for the password's hash. */
export const addPerson = async (app: App, { org }: Tenant, role: Role): Promise<Person> => {
  const [userId, memberId, token] = [newId('usr'), newId('mem'), randomBytes(32).toString('base64url')]
  const name = names[role]
  const email = `${role}-${++people}@example.com`
  await app.query('insert into users (id, email, name) values ($1, $2, $3)', [toUuid(userId), email, name])
  const member = [toUuid(memberId), org, toUuid(userId), role]
  await app.query('insert into members (id, org_id, user_id, role) values ($1, $2, $3, $4)', member)
  await app.query(
    `insert into sessions (id, org_id, user_id, hash, expires_at, user_agent)
     values ($1, $2, $3, $4, app_now() + interval '1 day', 'Chromium')`,
    [toUuid(newId('ses')), org, toUuid(userId), sha256(token)],
  )
  return { name, email, role, userId, memberId, token }
}
