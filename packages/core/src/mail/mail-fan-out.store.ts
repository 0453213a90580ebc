import { limits } from '@ars/contract'
import type { Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { EventBatch } from '../events/index.ts'
import { choicesOfAdmins } from './choice.ts'
import { mailedEvents } from './mail.ts'

/**
 * Writes a mail for each member who chose mails about an event of the batch, and a message for each destination of alerts, in the transaction that gives the events their
 * positions: each event is seen once. An organisation gets at most `limits.eventMailsPerDay`.
 */
// crosses organisations: a batch holds events of all organisations; an event is matched only with members of its organisation.
export const fanOutMails = async (
  tx: Tx,
  { ids, firstId, lastId }: EventBatch,
  { isMailOn }: { isMailOn: boolean },
): Promise<number> => {
  const [row] = await tx.query(
    fanOut({ eventIds: ids, firstId, lastId, types: mailedEvents, defaults: choicesOfAdmins, isMailOn }),
  )
  return row?.mails ?? 0
}

type Parameters = {
  eventIds: readonly Uuid[]
  firstId: Uuid
  lastId: Uuid
  types: readonly string[]
  defaults: readonly string[]
  isMailOn: boolean
}

const fanOut = statement<Parameters, { mails: number }>(
  'mail.fan_out',
  sql`with told as (
     select e.id, e.org_id, e.type, e.position,
            -- The choice that covers the event: alerts are chosen by their severity.
            case when e.type like 'alert.%' then 'alert_' || (e.data ->> 'severity') else replace(e.type, '.', '_') end as choice
       from events e
      where e.id = any (:eventIds::uuid[]) and e.id >= :firstId and e.id <= :lastId
        and e.webhook_id is null and e.type = any (:types::text[])
   ), matched as (
     select t.id, t.org_id, t.type, m.user_id, null::uuid as destination_id
       from told t
       join members m on m.org_id = t.org_id
       join users u on u.id = m.user_id and u.email_proven_at is not null
       left join notification_choices c on c.member_id = m.id
      where :isMailOn::boolean
        and t.choice = any (coalesce(c.kinds, case when m.role in ('owner', 'admin') then :defaults::text[] else '{}' end))
     union all
     select t.id, t.org_id, t.type, null, a.id
       from told t join alert_destinations a on a.org_id = t.org_id
      where t.type like 'alert.%'
   ), numbered as (
     -- Destinations first: there are few of them, and the limit must not cut them off.
     select m.id, m.org_id, m.type, m.user_id, m.destination_id,
            row_number() over (partition by m.org_id order by m.destination_id, m.id) as n
       from matched m
   ), made as (
     insert into mails (id, org_id, kind, user_id, destination_id, event_id, due_at)
     select new_uuid(), d.org_id, d.type, d.user_id, d.destination_id, d.id, app_now()
       from numbered d
      where d.n + (select count(*) from (select from mails s
              where s.org_id = d.org_id and s.created_at > app_now() - interval '1 day' and s.event_id is not null
            limit ${limits.eventMailsPerDay}) today) <= ${limits.eventMailsPerDay}
     returning 1
   )
   select count(*)::integer as mails from made`,
)
