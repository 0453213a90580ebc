import { limits, type Role } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { PeoplePage } from './member.store.ts'
import type { Invitation } from './member.ts'

export const listInvitations = (db: Database, org: string, page: PeoplePage): Promise<Invitation[]> =>
  page.before === null
    ? db.once(org, listOlder({ org, after: page.after, limit: page.limit }))
    : db.once(org, listNewer({ org, before: page.before, limit: page.limit }))

export const findInvitation = async (tx: Tx, org: string, id: string): Promise<Invitation | null> => {
  const [row] = await tx.query(find({ org, id }))
  return row ?? null
}

/** The open invitations to one address, or all of them. */
export const listOpenInvitations = (tx: Tx, org: string, email: string | null): Promise<Invitation[]> =>
  tx.query(listOpen({ org, email, limit: limits.invitationsPerOrganisation + 1 }))

export const insertInvitation = async (
  tx: Tx,
  org: string,
  invitation: {
    id: string
    email: string
    role: Role
    hash: Buffer
    mailHash: Buffer | null
    invitedBy: string | null
  },
): Promise<Invitation> => {
  const [row] = await tx.query(add({ org, ...invitation, validDays: limits.invitationDays }))
  if (!row) throw new Error('The database did not return the invitation that was inserted')
  return row
}

export const revokeInvitations = async (tx: Tx, org: string, ids: readonly string[]): Promise<void> => {
  await tx.query(revoke({ org, ids }))
}

/** Revokes the open invitations of a person who may no longer invite. Answers how many there were. */
export const revokeInvitationsBy = async (tx: Tx, org: string, inviter: string): Promise<number> => {
  const rows = await tx.query(revokeBy({ org, inviterId: inviter }))
  return rows.length
}

/** `by_mail`: the link came by mail, so who follows it reads the mail of the address. */
export type OpenInvitation = { id: string; org_id: string; email: string; role: Role; by_mail: boolean }

// crosses organisations: a link is followed before the organisation is known.
export const findInvitationByHash = async (
  db: Database,
  hashes: { hash: Buffer; mailHash: Buffer | null },
): Promise<OpenInvitation | null> => {
  const [row] = await db.once(null, findByHash(hashes))
  return row ?? null
}

/** False: the invitation is no longer open. */
export const acceptInvitation = async (tx: Tx, org: string, id: string): Promise<boolean> => {
  const rows = await tx.query(accept({ org, id }))
  return rows.length > 0
}

const isOpen = 'i.accepted_at is null and i.revoked_at is null and i.expires_at > app_now()'

const columns = `i.id, i.email, i.role, i.invited_by, i.created_at, i.expires_at,
  exists (select from api_keys k where k.org_id = i.org_id and k.id = i.invited_by) as by_key,
  case when i.accepted_at is not null then 'accepted' when i.revoked_at is not null then 'revoked'
       when i.expires_at <= app_now() then 'expired' else 'open' end as status`

const listOlder = statement<{ org: Uuid; after: Uuid | null; limit: number }, Invitation>(
  'people.list_invitations_older',
  sql`select ${columns} from invitations i
    where i.org_id = :org and (:after::uuid is null or i.id < :after) order by i.id desc limit :limit`,
)

const listNewer = statement<{ org: Uuid; before: Uuid; limit: number }, Invitation>(
  'people.list_invitations_newer',
  sql`select ${columns} from invitations i where i.org_id = :org and i.id > :before order by i.id limit :limit`,
)

const find = statement<{ org: Uuid; id: Uuid }, Invitation>(
  'people.find_invitation',
  sql`select ${columns} from invitations i where i.org_id = :org and i.id = :id`,
)

const listOpen = statement<{ org: Uuid; email: string | null; limit: number }, Invitation>(
  'people.list_open_invitations',
  sql`select ${columns} from invitations i
    where i.org_id = :org and ${isOpen} and (:email::text is null or i.email = :email) order by i.id desc
    limit :limit`,
)

type NewRow = {
  org: Uuid
  id: Uuid
  email: string
  role: string
  hash: Buffer
  mailHash: Buffer | null
  invitedBy: Uuid | null
  validDays: number
}

const add = statement<NewRow, Invitation>(
  'people.add_invitation',
  sql`insert into invitations as i (org_id, id, email, role, hash, mail_hash, invited_by, expires_at)
   values (:org, :id, :email, :role, :hash, :mailHash, :invitedBy, app_now() + make_interval(days => :validDays)) returning ${columns}`,
)

const revoke = statement<{ org: Uuid; ids: readonly Uuid[] }>(
  'people.revoke_invitations',
  sql`update invitations i set revoked_at = app_now() where i.org_id = :org and i.id = any(:ids::uuid[]) and ${isOpen}`,
)

const revokeBy = statement<{ org: Uuid; inviterId: Uuid }>(
  'people.revoke_invitations_by',
  sql`update invitations i set revoked_at = app_now() where i.org_id = :org and i.invited_by = :inviterId and ${isOpen} returning i.id`,
)

const findByHash = statement<{ hash: Buffer; mailHash: Buffer | null }, OpenInvitation>(
  'people.find_invitation_by_hash',
  sql`select i.id, i.org_id, i.email, i.role, coalesce(i.mail_hash = :mailHash::bytea, false) as by_mail
    from invitations i where i.hash = :hash and ${isOpen}`,
)

const accept = statement<{ org: Uuid; id: Uuid }>(
  'people.accept_invitation',
  sql`update invitations i set accepted_at = app_now() where i.org_id = :org and i.id = :id and ${isOpen} returning i.id`,
)
