import type { Database, Tx } from '@ars/platform/db/database'
import { dynamicSql, type RawBuilder, toStatement } from '@ars/platform/db/dynamic-sql'
import { preferIndexes } from '@ars/platform/db/plan'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { ClaimedItem } from '@ars/platform/work/queue'
import { workRows } from '../../work-rows.store.ts'
import { type Recovery, searchedToTheEnd } from './recovery.ts'

export const recoveryWork = workRows('webhook_recoveries', { name: 'recoveries', where: 'due_at is not null' })

export const findRecovery = async (
  db: Database,
  org: string,
  { webhookId, id }: { webhookId: string; id: string },
): Promise<Recovery | null> => {
  const [, found] = await db.batch(org, [preferIndexes(), find({ org, webhookId, id })])
  return found[0] ?? null
}

/** The caller holds the lock of the webhook, so that the recovery does not change. */
export const readRecovery = async (
  tx: Tx,
  org: string,
  { webhookId, id }: { webhookId: string; id: string },
): Promise<Recovery | null> => {
  await tx.query(preferIndexes())
  const [row] = await tx.query(find({ org, webhookId, id }))
  return row ?? null
}

/** Null: it has ended, or another worker has it. */
export const readClaimedRecovery = async (
  tx: Tx,
  org: string,
  { id, claim }: Pick<ClaimedItem, 'id' | 'claim'>,
): Promise<Recovery | null> => {
  await tx.query(preferIndexes())
  const [row] = await tx.query(findHeld({ org, id, claim }))
  return row ?? null
}

export type RecoveryPage = { webhookId: string; after: string | null; before: string | null; limit: number }

/** Newest first. With `before` the order is oldest first, and the caller reverses it. */
export const listRecoveries = (db: Database, org: string, page: RecoveryPage): Promise<Recovery[]> => {
  const conditions = [
    dynamicSql`r.org_id = ${org}`,
    dynamicSql`r.webhook_id = ${page.webhookId}`,
    page.after && dynamicSql`r.id < ${page.after}`,
    page.before && dynamicSql`r.id > ${page.before}`,
  ].filter((condition): condition is RawBuilder<unknown> => condition !== null && condition !== '')
  const order = dynamicSql.raw(page.before === null ? 'desc' : 'asc')
  const query = dynamicSql`select ${dynamicSql.raw(columns)} from ${dynamicSql.raw(source)}
    where ${dynamicSql.join(conditions, dynamicSql` and `)} order by r.id ${order} limit ${page.limit}`
  return db.once(org, toStatement<Recovery>(query))
}

/** `until` null, or later than now, means now. Null: another recovery of the webhook is running. */
export const insertRecovery = async (
  tx: Tx,
  org: string,
  { id, webhookId, since, until }: { id: string; webhookId: string; since: Date; until: Date | null },
): Promise<Recovery | null> => {
  const [row] = await tx.query(insert({ org, id, webhookId, since, until }))
  return row ?? null
}

/** Events that a recovery sends are no longer offered for recovery. */
export const settleMissed = async (
  tx: Tx,
  org: string,
  { webhookId, since, until }: { webhookId: string; since: Date; until: Date },
): Promise<void> => {
  await tx.query(settle({ org, webhookId, since, until }))
}

/** `next` null: the search is complete. False: another worker has it, or the recovery is no longer running at `cursor`. */
export const advanceRecovery = async (
  tx: Tx,
  org: string,
  { id, claim, cursor, next, found }: Pick<ClaimedItem, 'id' | 'claim'> & Found,
): Promise<boolean> =>
  (await tx.query(advance({ org, id, claim, cursor, nextCursor: next ?? searchedToTheEnd, found }))).length > 0

type Found = { cursor: string | null; next: string | null; found: number }

/** Stops the search. The recovery ends when its last delivery has ended. */
export const cancelRecovery = async (tx: Tx, org: string, id: string): Promise<void> => {
  await tx.query(cancel({ org, id }))
}

/** Stores the counts of its deliveries, and the end of the recovery when none of them is pending. */
export const settleRecovery = async (tx: Tx, org: string, { id, delivered, failed }: Recovery): Promise<boolean> => {
  const [row] = await tx.query(keepCounts({ org, id, delivered, failed }))
  return row?.has_ended ?? false
}

/** Ends the waiting deliveries of a recovery. Attempts in flight end normally. The caller holds the lock of the queue. */
export const endWaitingOfRecovery = async (
  tx: Tx,
  org: string,
  asked: { webhookId: string; id: string; error: string; limit: number },
): Promise<void> => {
  await tx.query(endWaiting({ org, webhookId: asked.webhookId, id: asked.id, error: asked.error, limit: asked.limit }))
}

// Counted while the recovery runs, in the snapshot of `found`. The stored counts are for later.
const columns = `r.id, r.org_id, r.webhook_id, r.since, r.until, r.status, r.cursor, r.found,
  greatest(r.delivered, d.delivered)::integer as delivered, greatest(r.failed, d.failed)::integer as failed,
  r.created_at, r.ended_at`
const source = `webhook_recoveries r left join lateral (
    select count(*) filter (where status = 'succeeded') as delivered, count(*) filter (where status = 'failed') as failed
      from deliveries
     where r.ended_at is null and org_id = r.org_id and recovery_id = r.id
       and id >= least(uuid_floor(r.created_at - interval '1 minute'), r.id)
  ) d on true`

const find = statement<{ org: Uuid; webhookId: Uuid; id: Uuid }, Recovery>(
  'recoveries.find',
  sql`select ${columns} from ${source} where r.org_id = :org and r.webhook_id = :webhookId and r.id = :id`,
)

const findHeld = statement<{ org: Uuid; id: Uuid; claim: string }, Recovery>(
  'recoveries.find_held',
  sql`select ${columns} from ${source}
    where r.org_id = :org and r.id = :id and r.claim = :claim::bigint and r.ended_at is null`,
)

const insert = statement<{ org: Uuid; id: Uuid; webhookId: Uuid; since: Date; until: Date | null }, Recovery>(
  'recoveries.insert',
  sql`insert into webhook_recoveries (org_id, id, webhook_id, since, until)
   values (:org, :id, :webhookId, :since, least(:until::timestamptz, app_now()))
   on conflict (webhook_id) where status = 'running' do nothing
   returning id, org_id, webhook_id, since, until, status, cursor, found, delivered, failed, created_at, ended_at`,
)

// A recovery that starts later changes nothing. One that ends before the endpoint was enabled leaves the rest on offer.
const settle = statement<{ org: Uuid; webhookId: Uuid; since: Date; until: Date }>(
  'recoveries.settle_missed',
  sql`update webhooks set missed_since = case when :until::timestamptz < updated_at then :until end
    where org_id = :org and id = :webhookId and missed_since >= :since and missed_since <= :until`,
)

const advance = statement<{
  org: Uuid
  id: Uuid
  claim: string
  cursor: string | null
  nextCursor: string
  found: number
}>(
  'recoveries.advance',
  sql`update webhook_recoveries set cursor = :nextCursor, found = found + :found
    where org_id = :org and id = :id and claim = :claim::bigint and cursor is not distinct from :cursor and status = 'running'
   returning id`,
)

const cancel = statement<{ org: Uuid; id: Uuid }>(
  'recoveries.cancel',
  sql`update webhook_recoveries set status = 'cancelled', due_at = app_now()
    where org_id = :org and id = :id and status = 'running'`,
)

const keepCounts = statement<{ org: Uuid; id: Uuid; delivered: number; failed: number }, { has_ended: boolean }>(
  'recoveries.keep_counts',
  sql`update webhook_recoveries r
      set delivered = :delivered, failed = :failed,
          status = case when r.status = 'running' and :delivered::integer + :failed::integer = r.found and r.cursor = '${searchedToTheEnd}'
            then 'completed' else r.status end,
          ended_at = case when :delivered + :failed = r.found and (r.status = 'cancelled' or r.cursor = '${searchedToTheEnd}')
            then app_now() end,
          due_at = case when :delivered + :failed = r.found and (r.status = 'cancelled' or r.cursor = '${searchedToTheEnd}')
            then null else r.due_at end
    where r.org_id = :org and r.id = :id and r.ended_at is null
   returning r.ended_at is not null as has_ended`,
)

const endWaiting = statement<{ org: Uuid; webhookId: Uuid; id: Uuid; error: string; limit: number }>(
  'recoveries.end_waiting',
  sql`with waiting as (
     select h.delivery_id
       from webhook_recoveries r
       join deliveries d on d.org_id = r.org_id and d.recovery_id = r.id and d.status = 'pending'
        and d.id >= least(uuid_floor(r.created_at - interval '1 minute'), r.id)
       join delivery_heads h on h.org_id = r.org_id and h.delivery_id = d.id and h.lease_until is null
      where r.org_id = :org and r.id = :id
      limit :limit
   ), ended as (
     delete from delivery_heads
      where org_id = :org and lease_until is null and delivery_id in (select delivery_id from waiting)
     returning delivery_id
   ), closed as (
     update deliveries set status = 'failed', error = :error, ended_at = app_now()
      where org_id = :org and id in (select delivery_id from ended)
   )
   update webhook_lanes
      set waiting = waiting - (select count(*) from ended)::integer,
          due_at = case when waiting > (select count(*) from ended) then due_at end
    where org_id = :org and webhook_id = :webhookId`,
)
