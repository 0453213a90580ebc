import type { Database, Tx } from '@ars/platform/db/database'
import { preferIndexes } from '@ars/platform/db/plan'
import { type RawBuilder, sql, toStatement } from '@ars/platform/db/sql'
import { statement } from '@ars/platform/db/statement'
import { type Recovery, searchedToTheEnd } from './recovery.ts'

export const findRecovery = async (
  db: Database,
  org: string,
  { webhookId, id }: { webhookId: string; id: string },
): Promise<Recovery | null> => {
  const [, found] = (await db.batch(org, [preferIndexes(), find(org, webhookId, id)])) as [unknown, Recovery[]]
  return found[0] ?? null
}

/** As it is now; under the lock of its webhook nobody else changes it. */
export const readRecovery = async (
  tx: Tx,
  org: string,
  { webhookId, id }: { webhookId: string; id: string },
): Promise<Recovery | null> => {
  await tx.query(preferIndexes())
  const [row] = await tx.query<Recovery>(find(org, webhookId, id))
  return row ?? null
}

export type RecoveryPage = { webhookId: string; after: string | null; before: string | null; limit: number }

/** Newest first. `before` reads towards the newer ones, and is turned round again by the caller. */
export const listRecoveries = (db: Database, org: string, page: RecoveryPage): Promise<Recovery[]> => {
  const conditions = [
    sql`r.org_id = ${org}`,
    sql`r.webhook_id = ${page.webhookId}`,
    page.after && sql`r.id < ${page.after}`,
    page.before && sql`r.id > ${page.before}`,
  ].filter((condition): condition is RawBuilder<unknown> => condition !== null && condition !== '')
  const order = sql.raw(page.before === null ? 'desc' : 'asc')
  const query = sql`select ${sql.raw(columns)} from ${sql.raw(source)}
    where ${sql.join(conditions, sql` and `)} order by r.id ${order} limit ${page.limit}`
  return db.once<Recovery>(org, toStatement(query))
}

/** `until` null, or later than now: now. Null: another one is running. */
export const insertRecovery = async (
  tx: Tx,
  org: string,
  { id, webhookId, since, until }: { id: string; webhookId: string; since: Date; until: Date | null },
): Promise<Recovery | null> => {
  const [row] = await tx.query<Recovery>(insert(org, id, webhookId, since, until))
  return row ?? null
}

/** What a recovery brings is no longer offered to be recovered. */
export const settleMissed = async (
  tx: Tx,
  org: string,
  { webhookId, since, until }: { webhookId: string; since: Date; until: Date },
): Promise<void> => {
  await tx.query(settle(org, webhookId, since, until))
}

/** `next` null: everything was looked at. False: somebody else has gone on from `cursor`, or it runs no longer. */
export const advanceRecovery = async (
  tx: Tx,
  org: string,
  { id, cursor, next, found }: { id: string; cursor: string | null; next: string | null; found: number },
): Promise<boolean> => (await tx.query(advance(org, id, cursor, next ?? searchedToTheEnd, found))).length > 0

/** Nothing more is looked for. It has ended when the last of its deliveries has. */
export const cancelRecovery = async (tx: Tx, org: string, id: string): Promise<void> => {
  await tx.query(cancel(org, id))
}

/** Writes down how its deliveries stand, and that it has ended when none of them is pending. */
export const settleRecovery = async (tx: Tx, org: string, { id, delivered, failed }: Recovery): Promise<boolean> => {
  const [row] = await tx.query<{ has_ended: boolean }>(keepCounts(org, id, delivered, failed))
  return row?.has_ended ?? false
}

/** Ends what waits because of a recovery. Attempts that are under way come to their own end. Under the lock of the lane. */
export const endWaitingOfRecovery = async (
  tx: Tx,
  org: string,
  asked: { webhookId: string; id: string; error: string; limit: number },
): Promise<void> => {
  await tx.query(endWaiting(org, asked.webhookId, asked.id, asked.error, asked.limit))
}

/** Of several workers one has it until the commit; false: another has. Nobody waits. */
export const takeRecovery = async (tx: Tx, org: string, id: string): Promise<boolean> => {
  const [row] = await tx.query<{ is_taken: boolean }>(take(org, id))
  return row?.is_taken ?? false
}

// crosses organisations: recoveries go on by themselves, whoever has asked for them.
export const listOpenRecoveries = (
  db: Database,
  page: { after: string | null; limit: number },
): Promise<Pick<Recovery, 'id' | 'org_id' | 'webhook_id'>[]> => db.once(null, listOpen(page.after, page.limit))

// Counted while it is under way, in the snapshot that holds `found`; what was written down is for the time after that.
const columns = `r.id, r.org_id, r.webhook_id, r.since, r.until, r.status, r.cursor, r.found,
  greatest(r.delivered, d.delivered)::integer as delivered, greatest(r.failed, d.failed)::integer as failed,
  r.created_at, r.ended_at`
const source = `webhook_recoveries r left join lateral (
    select count(*) filter (where status = 'succeeded') as delivered, count(*) filter (where status = 'failed') as failed
      from deliveries
     where r.ended_at is null and org_id = r.org_id and recovery_id = r.id
       and id >= least(uuid_floor(r.created_at - interval '1 minute'), r.id)
  ) d on true`

const find = statement(
  'recoveries.find',
  `select ${columns} from ${source} where r.org_id = $1 and r.webhook_id = $2 and r.id = $3`,
)

const insert = statement(
  'recoveries.insert',
  `insert into webhook_recoveries (org_id, id, webhook_id, since, until)
   values ($1, $2, $3, $4, least($5::timestamptz, app_now()))
   on conflict (webhook_id) where status = 'running' do nothing
   returning id, org_id, webhook_id, since, until, status, cursor, found, delivered, failed, created_at, ended_at`,
)

// One that begins later leaves the offer as it is. One that ends before the endpoint was enabled leaves the rest.
const settle = statement(
  'recoveries.settle_missed',
  `update webhooks set missed_since = case when $4::timestamptz < updated_at then $4 end
    where org_id = $1 and id = $2 and missed_since >= $3 and missed_since <= $4`,
)

const advance = statement(
  'recoveries.advance',
  `update webhook_recoveries set cursor = $4, found = found + $5
    where org_id = $1 and id = $2 and cursor is not distinct from $3 and status = 'running'
   returning id`,
)

const cancel = statement(
  'recoveries.cancel',
  `update webhook_recoveries set status = 'cancelled' where org_id = $1 and id = $2 and status = 'running'`,
)

const keepCounts = statement(
  'recoveries.keep_counts',
  `update webhook_recoveries r
      set delivered = $3, failed = $4,
          status = case when r.status = 'running' and $3::integer + $4::integer = r.found and r.cursor = '${searchedToTheEnd}'
            then 'completed' else r.status end,
          ended_at = case when $3 + $4 = r.found and (r.status = 'cancelled' or r.cursor = '${searchedToTheEnd}')
            then app_now() end
    where r.org_id = $1 and r.id = $2 and r.ended_at is null
   returning r.ended_at is not null as has_ended`,
)

const endWaiting = statement(
  'recoveries.end_waiting',
  `with waiting as (
     select h.delivery_id
       from webhook_recoveries r
       join deliveries d on d.org_id = r.org_id and d.recovery_id = r.id and d.status = 'pending'
        and d.id >= least(uuid_floor(r.created_at - interval '1 minute'), r.id)
       join delivery_heads h on h.org_id = r.org_id and h.delivery_id = d.id and h.lease_until is null
      where r.org_id = $1 and r.id = $3
      limit $5
   ), ended as (
     delete from delivery_heads
      where org_id = $1 and lease_until is null and delivery_id in (select delivery_id from waiting)
     returning delivery_id
   ), closed as (
     update deliveries set status = 'failed', error = $4, ended_at = app_now()
      where org_id = $1 and id in (select delivery_id from ended)
   )
   update webhook_lanes
      set waiting = waiting - (select count(*) from ended)::integer,
          due_at = case when waiting > (select count(*) from ended) then due_at end
    where org_id = $1 and webhook_id = $2`,
)

const take = statement(
  'recoveries.take',
  `select pg_try_advisory_xact_lock(hashtextextended('recovery ' || $1::text || $2::text, 0)) as is_taken`,
)

const listOpen = statement(
  'recoveries.list_open',
  `select id, org_id, webhook_id from webhook_recoveries
    where ended_at is null and ($1::uuid is null or id > $1) order by id limit $2`,
)
