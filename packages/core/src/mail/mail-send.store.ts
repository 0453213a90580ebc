import type { Database } from '@ars/platform/db/database'
import { type NoParameters, sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { ClaimedItem } from '@ars/platform/work/queue'
import { workRows } from '../work-rows.store.ts'
import type { MailKind, MailOutcome } from './mail.ts'

/** What nobody waits for behind a screen never delays what somebody does, and no channel of a customer delays a mail. */
const unsent = 'due_at is not null'
export const linkMailWork = workRows('mails', { name: 'link_mails', where: `${unsent} and link is not null` })
export const eventMailWork = workRows('mails', {
  ...{ name: 'event_mails', where: `${unsent} and link is null and destination_id is null` },
})
export const messageWork = workRows('mails', { name: 'messages', where: `${unsent} and destination_id is not null` })

/** A mail that this sender has until its lease ends. */
export type LeasedMail = {
  id: string
  org_id: string
  kind: MailKind
  /** The number of this attempt, from 1. */
  attempts: number
  /** Null: nobody can be written to. The person has left, or the address is not proven. */
  recipient: string | null
  /** A message for a destination and its sealed URL. Null: it is a mail, or the destination is deleted. */
  destination_id: string | null
  url: Buffer | null
  organisation: string
  event_id: string | null
  link: Buffer | null
}

/** Counts the attempt before it is made. Null: the mail has ended, or another sender has it. */
// crosses organisations: one sender for the mails of all.
export const beginMail = async (
  db: Database,
  { id, claim }: Pick<ClaimedItem, 'id' | 'claim'>,
): Promise<LeasedMail | null> => {
  const [mail] = await db.once(null, begin({ id, claim }))
  return mail ?? null
}

// crosses organisations: as above. A mail that was sent has ended, even if another sender has its lease now.
export const endMail = async (
  db: Database,
  { id, attempts }: Pick<LeasedMail, 'id' | 'attempts'>,
  { outcome, error }: { outcome: MailOutcome; error: string | null },
): Promise<boolean> => (await db.once(null, end({ id, attempts, outcome, error }))).length === 1

// crosses organisations: as above.
export const repeatMail = async (
  db: Database,
  { id, attempts }: Pick<LeasedMail, 'id' | 'attempts'>,
  { error, afterSeconds }: { error: string; afterSeconds: number },
): Promise<void> => {
  await db.once(null, repeat({ id, attempts, error, afterSeconds }))
}

// crosses organisations: a metric for the operator.
export const countWaitingMails = async (db: Database): Promise<number> =>
  (await db.once(null, countWaiting()))[0]?.mails ?? 0

const begin = statement<{ id: Uuid; claim: string }, LeasedMail>(
  'mail.begin',
  sql`update mails m set attempts = m.attempts + 1
     from organisations o
    where m.id = :id and m.claim = :claim::bigint and m.due_at is not null and o.id = m.org_id
   returning m.id, m.org_id, m.kind, m.attempts, m.event_id, m.link, m.destination_id, o.name as organisation,
     (select a.url from alert_destinations a where a.id = m.destination_id) as url,
     coalesce(m.address, (select u.email from users u join members p on p.user_id = u.id and p.org_id = m.org_id
       where u.id = m.user_id and u.email_proven_at is not null)) as recipient`,
)

const end = statement<{ id: Uuid; attempts: number; outcome: MailOutcome; error: string | null }, { id: Uuid }>(
  'mail.end',
  sql`update mails set due_at = null, ended_at = app_now(), outcome = :outcome, error = :error,
       user_id = null, address = null, link = null
    where id = :id and due_at is not null and (attempts = :attempts or :outcome = 'sent') returning id`,
)

const repeat = statement<{ id: Uuid; attempts: number; error: string; afterSeconds: number }>(
  'mail.repeat',
  sql`update mails set due_at = app_now() + make_interval(secs => :afterSeconds), held_until = null, tries = 0, error = :error
    where id = :id and due_at is not null and attempts = :attempts`,
)

const countWaiting = statement<NoParameters, { mails: number }>(
  'mail.count_waiting',
  sql`select count(*)::integer as mails from mails where due_at is not null`,
)
