import { limits } from '@ars/contract'
import type { Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { isMailAddress } from '@ars/platform/mail/mailbox'
import type { LinkMailKind, Recipient } from './mail.ts'

/** A mail with a link. `link` is sealed for this mail and `recipient` is counted (`MailDesk`). */
export type NewMail = {
  id: string
  kind: LinkMailKind
  link: Buffer
  recipient: Recipient
  /** A member, who gets it only if the address is proven, or an address. Only an invitation and a proof name an address. */
  to: { user: string } | { address: string }
}

/** Why a mail was not written. `unreachable`: nobody can be written to. */
export type MailHeld = 'unreachable' | 'recipient' | 'repeated' | 'organisation'

/**
 * Runs in the transaction of the cause, which goes on without the mail: the link is passed on by hand. Null: the mail was written.
 */
// crosses organisations: an address is protected from the mails of all of them together. Only a keyed hash of it is read.
export const queueMail = async (
  tx: Tx,
  org: string,
  { id, kind, link, recipient, to }: NewMail,
): Promise<MailHeld | null> => {
  const userId = 'user' in to ? to.user : null
  const address = 'address' in to ? to.address : null
  if (address !== null && !isMailAddress(address)) return 'unreachable'
  const [subject] = recipient.address
  const [invited] = recipient.invited
  if (!subject || !invited) return 'unreachable'
  // Two mails at once must not both take the last place.
  await tx.query(lock({ subject }))
  const [row] = await tx.query(
    add({
      org,
      id,
      kind,
      link,
      userId,
      address,
      subject,
      invited,
      subjects: recipient.address,
      repeats: recipient.invited,
    }),
  )
  return row?.held ?? null
}

type NewRow = {
  org: Uuid
  id: Uuid
  kind: LinkMailKind
  link: Buffer
  userId: Uuid | null
  address: string | null
  subject: Buffer
  subjects: readonly Buffer[]
  invited: Buffer
  repeats: readonly Buffer[]
}

const lock = statement<{ subject: Buffer }>(
  'mail.lock_recipient',
  sql`select pg_advisory_xact_lock(hashtextextended('mail to ' || encode(:subject::bytea, 'hex'), 0)) is null`,
)

const add = statement<NewRow, { held: MailHeld | null }>(
  'mail.add',
  sql`with judged as (
     select case
       when :userId::uuid is not null
         and not exists (select from users u where u.id = :userId and u.email_proven_at is not null) then 'unreachable'
       when (select count(*) from mail_recipients r
              where r.subject = any (:subjects::bytea[]) and r.created_at > app_now() - interval '1 day')
            >= ${limits.linkMailsPerAddressPerDay} then 'recipient'
       when :kind = 'invitation' and exists (select from mail_recipients r
              where r.subject = any (:repeats::bytea[])
                and r.created_at > app_now() - interval '${limits.invitationMailEveryMinutes} minutes') then 'repeated'
       when (select count(*) from (select from mails m
              where m.org_id = :org and m.created_at > app_now() - interval '1 day' and m.event_id is null
              limit ${limits.linkMailsPerDay}) today) >= ${limits.linkMailsPerDay} then 'organisation'
     end as held
   ), counted as (
     insert into mail_recipients (subject)
     select each.subject from judged cross join (values (:subject::bytea, true), (:invited::bytea, :kind = 'invitation')) each (subject, is_counted)
      where judged.held is null and each.is_counted
   ), written as (
     insert into mails (id, org_id, kind, user_id, address, link, due_at)
     select :id, :org, :kind, :userId::uuid, :address::text, :link, app_now() from judged where held is null
   )
   select held from judged`,
)
