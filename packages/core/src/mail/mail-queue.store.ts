import { limits } from '@ars/contract'
import type { Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { isMailAddress } from '@ars/platform/mail/mailbox'
import type { LinkMailKind } from './mail.ts'

/** A mail with a link. `link` is sealed for this mail (`MailDesk`). */
export type NewMail = {
  id: string
  kind: LinkMailKind
  link: Buffer
  /** A member, who gets it only if the address is proven, or an address. Only an invitation and a proof name an address. */
  to: { user: string } | { address: string }
}

/**
 * Runs in the transaction of the cause. False: nothing was written, because the organisation has sent too many today or
 * nobody can be written to, and the link is passed on by hand.
 */
export const queueMail = async (tx: Tx, org: string, { id, kind, link, to }: NewMail): Promise<boolean> => {
  const userId = 'user' in to ? to.user : null
  const address = 'address' in to ? to.address : null
  if (address !== null && !isMailAddress(address)) return false
  return (await tx.query(add({ org, id, kind, link, userId, address }))).length === 1
}

type NewRow = { org: Uuid; id: Uuid; kind: LinkMailKind; link: Buffer; userId: Uuid | null; address: string | null }

const add = statement<NewRow, { id: Uuid }>(
  'mail.add',
  sql`insert into mails (id, org_id, kind, user_id, address, link, due_at)
   select :id, :org, :kind, :userId::uuid, :address::text, :link, app_now()
    where (select count(*) from (select from mails m
            where m.org_id = :org and m.created_at > app_now() - interval '1 day' and m.event_id is null
            limit ${limits.linkMailsPerDay}) today) < ${limits.linkMailsPerDay}
      and (:userId::uuid is null or exists (select from users u where u.id = :userId and u.email_proven_at is not null))
   returning id`,
)
