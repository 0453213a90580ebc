import { limits, type Role } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import type { Page } from './member.store.ts'
import type { Invitation } from './member.ts'

export const listInvitations = (db: Database, org: string, page: Page): Promise<Invitation[]> =>
  page.before === null
    ? db.once<Invitation>(org, listOlder(org, page.after, page.limit))
    : db.once<Invitation>(org, listNewer(org, page.before, page.limit))

export const findInvitation = async (tx: Tx, org: string, id: string): Promise<Invitation | null> => {
  const [row] = await tx.query<Invitation>(find(org, id))
  return row ?? null
}

/** Those to one address, or all: what waits for an answer. */
export const listOpenInvitations = (tx: Tx, org: string, email: string | null): Promise<Invitation[]> =>
  tx.query<Invitation>(listOpen(org, email, limits.invitationsPerOrganisation + 1))

export const insertInvitation = async (
  tx: Tx,
  org: string,
  invitation: { id: string; email: string; role: Role; hash: Buffer; invitedBy: string | null },
): Promise<Invitation> => {
  const { id, email, role, hash, invitedBy } = invitation
  const [row] = await tx.query<Invitation>(add(org, id, email, role, hash, invitedBy, limits.invitationDays))
  if (!row) throw new Error('The database did not answer with the invitation that was inserted')
  return row
}

export const revokeInvitations = async (tx: Tx, org: string, ids: readonly string[]): Promise<void> => {
  await tx.query(revoke(org, ids))
}

/** What somebody has offered ends with the right to offer it. Answers how many were open. */
export const revokeInvitationsBy = async (tx: Tx, org: string, inviter: string): Promise<number> => {
  const rows = await tx.query(revokeBy(org, inviter))
  return rows.length
}

export type OpenInvitation = { id: string; org_id: string; email: string; role: Role }

// crosses organisations: whoever follows a link belongs to none yet; the link says which.
export const findInvitationByHash = async (db: Database, hash: Buffer): Promise<OpenInvitation | null> => {
  const [row] = await db.once<OpenInvitation>(null, findByHash(hash))
  return row ?? null
}

/** False: it was used, withdrawn or has expired meanwhile. */
export const acceptInvitation = async (tx: Tx, org: string, id: string): Promise<boolean> => {
  const rows = await tx.query(accept(org, id))
  return rows.length > 0
}

const isOpen = 'i.accepted_at is null and i.revoked_at is null and i.expires_at > app_now()'

const columns = `i.id, i.email, i.role, i.invited_by, i.created_at, i.expires_at,
  exists (select from api_keys k where k.org_id = i.org_id and k.id = i.invited_by) as by_key,
  case when i.accepted_at is not null then 'accepted' when i.revoked_at is not null then 'revoked'
       when i.expires_at <= app_now() then 'expired' else 'open' end as status`

const listOlder = statement(
  'people.list_invitations_older',
  `select ${columns} from invitations i
    where i.org_id = $1 and ($2::uuid is null or i.id < $2) order by i.id desc limit $3`,
)

const listNewer = statement(
  'people.list_invitations_newer',
  `select ${columns} from invitations i where i.org_id = $1 and i.id > $2 order by i.id limit $3`,
)

const find = statement(
  'people.find_invitation',
  `select ${columns} from invitations i where i.org_id = $1 and i.id = $2`,
)

const listOpen = statement(
  'people.list_open_invitations',
  `select ${columns} from invitations i
    where i.org_id = $1 and ${isOpen} and ($2::text is null or i.email = $2) order by i.id desc limit $3`,
)

const add = statement(
  'people.add_invitation',
  `insert into invitations as i (org_id, id, email, role, hash, invited_by, expires_at)
   values ($1, $2, $3, $4, $5, $6, app_now() + make_interval(days => $7)) returning ${columns}`,
)

const revoke = statement(
  'people.revoke_invitations',
  `update invitations i set revoked_at = app_now() where i.org_id = $1 and i.id = any($2::uuid[]) and ${isOpen}`,
)

const revokeBy = statement(
  'people.revoke_invitations_by',
  `update invitations i set revoked_at = app_now() where i.org_id = $1 and i.invited_by = $2 and ${isOpen} returning i.id`,
)

const findByHash = statement(
  'people.find_invitation_by_hash',
  `select i.id, i.org_id, i.email, i.role from invitations i where i.hash = $1 and ${isOpen}`,
)

const accept = statement(
  'people.accept_invitation',
  `update invitations i set accepted_at = app_now() where i.org_id = $1 and i.id = $2 and ${isOpen} returning i.id`,
)
