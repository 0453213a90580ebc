import { limits } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { type RawBuilder, sql, toStatement } from '@ars/platform/db/sql'
import { statement } from '@ars/platform/db/statement'
import type { Webhook, WebhookContent } from './webhook.ts'

export const findWebhook = async (db: Database, org: string, id: string): Promise<Webhook | null> => {
  const [row] = await db.once<Webhook>(org, find(org, id))
  return row ?? null
}

/** Nobody else changes it, and no attempt is begun or ended, until the commit. The lane comes first, as everywhere. */
export const lockWebhook = async (tx: Tx, org: string, id: string): Promise<Webhook | null> => {
  await tx.query(lockLane(org, id))
  await tx.query(lockRow(org, id))
  const [row] = await tx.query<Webhook>(find(org, id))
  return row ?? null
}

export type WebhookPage = {
  after: string | null
  before: string | null
  status: 'healthy' | 'failing' | 'disabled' | null
  limit: number
}

/** Newest first. `before` reads towards the newer ones, and is turned round again by the caller. */
export const listWebhooks = (db: Database, org: string, page: WebhookPage): Promise<Webhook[]> => {
  const conditions = [
    sql`w.org_id = ${org}`,
    page.after && sql`w.id < ${page.after}`,
    page.before && sql`w.id > ${page.before}`,
    page.status && sql.raw(conditionOf[page.status]),
  ].filter((condition): condition is RawBuilder<unknown> => condition !== null && condition !== '')
  const order = sql.raw(page.before === null ? 'desc' : 'asc')
  const query = sql`select ${sql.raw(columns)} from ${sql.raw(source)}
    where ${sql.join(conditions, sql` and `)} order by w.id ${order} limit ${page.limit}`
  return db.once<Webhook>(org, toStatement(query))
}

/** Those who add to one organisation go one after the other from here to the commit, so that a count stays true. */
export const lockWebhooks = async (tx: Tx, org: string): Promise<void> => {
  await tx.query(lockAll(org))
}

export const countWebhooks = async (tx: Tx, org: string): Promise<number> => {
  const [row] = await tx.query<{ webhooks: number }>(count(org))
  return row?.webhooks ?? 0
}

export type NewWebhook = WebhookContent & {
  id: string
  secret: Buffer
  secretHint: string
  author: { by: string; type: 'key' | 'user' }
}

export const insertWebhook = async (tx: Tx, org: string, webhook: NewWebhook): Promise<Webhook> => {
  const { id, url, events, description, active, secret, secretHint, author } = webhook
  await tx.query(add(org, id, url, events, description, active, secret, secretHint, author.by, author.type))
  return read(tx, org, id)
}

export type WebhookChange = WebhookContent & {
  id: string
  /** When it is paused: the time of the oldest event that was waiting for it, and now is not delivered. */
  missedSince: Date | null
  /** What an endpoint owes to its failures is forgotten: it was enabled, or has another address. */
  isAfresh: boolean
}

export const updateWebhook = async (tx: Tx, org: string, change: WebhookChange): Promise<Webhook> => {
  const { id, url, events, description, active, missedSince, isAfresh } = change
  await tx.query(update(org, id, url, events, description, active, missedSince, isAfresh))
  if (isAfresh) await tx.query(beginAfresh(org, id))
  return read(tx, org, id)
}

export type NewSecret = { id: string; secret: Buffer; secretHint: string; overlapHours: number }

/** The secret that was current becomes the old one; one that was old already no longer counts. */
export const replaceSecret = async (tx: Tx, org: string, change: NewSecret): Promise<Webhook> => {
  const { id, secret, secretHint, overlapHours } = change
  await tx.query(rotate(org, id, secret, secretHint, overlapHours))
  return read(tx, org, id)
}

/** Its lane and its recoveries go with it. */
export const deleteWebhook = async (tx: Tx, org: string, id: string): Promise<void> => {
  await tx.query(remove(org, id))
}

const read = async (tx: Tx, org: string, id: string): Promise<Webhook> => {
  const [row] = await tx.query<Webhook>(find(org, id))
  if (!row) throw new Error('A webhook was written and is not there')
  return row
}

const columns = `w.id, w.url, w.events, w.description, w.secret, w.secret_hint, w.disabled_at, w.disabled_reason,
  w.missed_since, l.failing_since, w.created_at`
const source = 'webhooks w join webhook_lanes l on l.org_id = w.org_id and l.webhook_id = w.id'

const conditionOf = {
  healthy: 'w.disabled_at is null and l.failing_since is null',
  failing: 'w.disabled_at is null and l.failing_since is not null',
  disabled: 'w.disabled_at is not null',
} as const

const find = statement('webhooks.find', `select ${columns} from ${source} where w.org_id = $1 and w.id = $2`)

const lockLane = statement(
  'webhooks.lock_lane',
  'select webhook_id from webhook_lanes where org_id = $1 and webhook_id = $2 for update',
)

const lockRow = statement('webhooks.lock_row', 'select id from webhooks where org_id = $1 and id = $2 for update')

const lockAll = statement(
  'webhooks.lock_all',
  `select pg_advisory_xact_lock(hashtextextended('webhooks ' || $1::text, 0)) is null`,
)

const count = statement('webhooks.count', 'select count(*)::integer as webhooks from webhooks where org_id = $1')

const add = statement(
  'webhooks.add',
  `with webhook as (
     insert into webhooks (org_id, id, url, events, description, disabled_at, disabled_reason, missed_since, secret,
       secret_hint, created_by, created_by_type)
     values ($1, $2, $3, $4, $5, case when not $6::boolean then app_now() end, case when not $6 then 'paused' end,
       case when not $6 then app_now() end, $7, $8, $9, $10)
     returning org_id, id
   )
   insert into webhook_lanes (webhook_id, org_id) select id, org_id from webhook`,
)

const update = statement(
  'webhooks.update',
  `update webhooks w
      set url = $3, events = $4, description = $5, updated_at = app_now(),
          disabled_at = case when not $6::boolean then coalesce(w.disabled_at, app_now()) end,
          disabled_reason = case when not $6 then coalesce(w.disabled_reason, 'paused') end,
          missed_since = case when not $6 and w.disabled_at is null
              then least(coalesce(w.missed_since, l.failing_since, app_now()), $7::timestamptz)
            when $8::boolean then coalesce(w.missed_since, l.failing_since)
            else w.missed_since end
     from webhook_lanes l
    where w.org_id = $1 and w.id = $2 and l.org_id = w.org_id and l.webhook_id = w.id`,
)

const beginAfresh = statement(
  'webhooks.begin_afresh',
  `update webhook_lanes
      set failures = 0, rest_until = null, failing_since = null,
          due_at = case when waiting > under_way and under_way < ${limits.deliveriesUnderWayPerWebhook}
            then app_now() else due_at end
    where org_id = $1 and webhook_id = $2`,
)

const rotate = statement(
  'webhooks.rotate',
  `update webhooks
      set old_secret = case when $5::integer > 0 then secret end,
          old_secret_until = case when $5 > 0 then app_now() + make_interval(hours => $5) end,
          secret = $3, secret_hint = $4, updated_at = app_now()
    where org_id = $1 and id = $2`,
)

const remove = statement('webhooks.remove', 'delete from webhooks where org_id = $1 and id = $2')
