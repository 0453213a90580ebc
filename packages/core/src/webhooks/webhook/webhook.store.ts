import { limits } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { dynamicSql, type RawBuilder, toStatement } from '@ars/platform/db/dynamic-sql'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { Webhook, WebhookContent } from './webhook.ts'

export const findWebhook = async (db: Database, org: string, id: string): Promise<Webhook | null> => {
  const [row] = await db.once(org, find({ org, id }))
  return row ?? null
}

/** Until the commit the webhook does not change, and no attempt starts or ends. The queue is locked first, as everywhere. */
export const lockWebhook = async (tx: Tx, org: string, id: string): Promise<Webhook | null> => {
  await tx.query(lockQueue({ org, id }))
  await tx.query(lockRow({ org, id }))
  const [row] = await tx.query(find({ org, id }))
  return row ?? null
}

export type WebhookPage = {
  after: string | null
  before: string | null
  status: readonly ('healthy' | 'failing' | 'disabled')[] | null
  limit: number
}

/** Newest first. With `before` the order is oldest first, and the caller reverses it. */
export const listWebhooks = (db: Database, org: string, page: WebhookPage): Promise<Webhook[]> => {
  const conditions = [
    dynamicSql`w.org_id = ${org}`,
    page.after && dynamicSql`w.id < ${page.after}`,
    page.before && dynamicSql`w.id > ${page.before}`,
    page.status && dynamicSql.raw(`(${page.status.map((status) => conditionOf[status]).join(' or ')})`),
  ].filter((condition): condition is RawBuilder<unknown> => condition !== null && condition !== '')
  const order = dynamicSql.raw(page.before === null ? 'desc' : 'asc')
  const query = dynamicSql`select ${dynamicSql.raw(columns)} from ${dynamicSql.raw(source)}
    where ${dynamicSql.join(conditions, dynamicSql` and `)} order by w.id ${order} limit ${page.limit}`
  return db.once<Webhook>(org, toStatement(query))
}

/** Serialises additions to an organisation until the commit, so that a count stays correct. */
export const lockWebhooks = async (tx: Tx, org: string): Promise<void> => {
  await tx.query(lockAll({ org }))
}

export const countWebhooks = async (tx: Tx, org: string): Promise<number> => {
  const [row] = await tx.query(count({ org }))
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
  await tx.query(
    add({
      org,
      id,
      url,
      events,
      description,
      active,
      secret,
      secretHint,
      createdBy: author.by,
      createdByType: author.type,
    }),
  )
  return read(tx, org, id)
}

export type WebhookChange = WebhookContent & {
  id: string
  /** For a webhook that is paused: the time of the oldest event that waited and is not delivered now. */
  missedSince: Date | null
  /** Failures and pauses are reset: the webhook was enabled, or has another address. */
  resetsFailures: boolean
}

export const updateWebhook = async (tx: Tx, org: string, change: WebhookChange): Promise<Webhook> => {
  const { id, url, events, description, active, missedSince, resetsFailures } = change
  await tx.query(update({ org, id, url, events, description, active, missedSince, resetsFailures }))
  if (resetsFailures) await tx.query(resetFailures({ org, id }))
  return read(tx, org, id)
}

export type NewSecret = { id: string; secret: Buffer; secretHint: string; overlapHours: number }

/** The current secret becomes the old one. The old secret is no longer valid. */
export const replaceSecret = async (tx: Tx, org: string, change: NewSecret): Promise<Webhook> => {
  const { id, secret, secretHint, overlapHours } = change
  await tx.query(rotate({ org, id, secret, secretHint, overlapHours }))
  return read(tx, org, id)
}

/** Deletes the webhook with its queue and its recoveries. */
export const deleteWebhook = async (tx: Tx, org: string, id: string): Promise<void> => {
  await tx.query(remove({ org, id }))
}

const read = async (tx: Tx, org: string, id: string): Promise<Webhook> => {
  const [row] = await tx.query(find({ org, id }))
  if (!row) throw new Error('The database did not return the webhook that was written')
  return row
}

const columns = `w.id, w.url, w.events, w.description, w.secret, w.secret_hint, w.disabled_at, w.disabled_reason,
  w.missed_since, l.failing_since, h.succeeded as succeeded_last_day, h.failed as failed_last_day, w.created_at`
// At most 24 rows of hours for each webhook, by their primary key.
const source = `webhooks w
  join webhook_lanes l on l.org_id = w.org_id and l.webhook_id = w.id
  cross join lateral (
    select coalesce(sum(succeeded), 0)::integer as succeeded, coalesce(sum(failed), 0)::integer as failed
      from webhook_hours
     where org_id = w.org_id and webhook_id = w.id and hour > app_now() - interval '24 hours') h`

const conditionOf = {
  healthy: 'w.disabled_at is null and l.failing_since is null',
  failing: 'w.disabled_at is null and l.failing_since is not null',
  disabled: 'w.disabled_at is not null',
} as const

const find = statement<{ org: Uuid; id: Uuid }, Webhook>(
  'webhooks.find',
  sql`select ${columns} from ${source} where w.org_id = :org and w.id = :id`,
)

const lockQueue = statement<{ org: Uuid; id: Uuid }>(
  'webhooks.lock_lane',
  sql`select webhook_id from webhook_lanes where org_id = :org and webhook_id = :id for update`,
)

const lockRow = statement<{ org: Uuid; id: Uuid }>(
  'webhooks.lock_row',
  sql`select id from webhooks where org_id = :org and id = :id for update`,
)

const lockAll = statement<{ org: Uuid }>(
  'webhooks.lock_all',
  sql`select pg_advisory_xact_lock(hashtextextended('webhooks ' || :org::text, 0)) is null`,
)

const count = statement<{ org: Uuid }, { webhooks: number }>(
  'webhooks.count',
  sql`select count(*)::integer as webhooks from webhooks where org_id = :org`,
)

const add = statement<{
  org: Uuid
  id: Uuid
  url: string
  events: readonly string[]
  description: string | null
  active: boolean
  secret: Buffer
  secretHint: string
  createdBy: Uuid
  createdByType: string
}>(
  'webhooks.add',
  sql`with webhook as (
     insert into webhooks (org_id, id, url, events, description, disabled_at, disabled_reason, missed_since, secret,
       secret_hint, created_by, created_by_type)
     values (:org, :id, :url, :events, :description, case when not :active::boolean then app_now() end, case when not :active then 'paused' end,
       case when not :active then app_now() end, :secret, :secretHint, :createdBy, :createdByType)
     returning org_id, id
   )
   insert into webhook_lanes (webhook_id, org_id) select id, org_id from webhook`,
)

const update = statement<{
  org: Uuid
  id: Uuid
  url: string
  events: readonly string[]
  description: string | null
  active: boolean
  missedSince: Date | null
  resetsFailures: boolean
}>(
  'webhooks.update',
  sql`update webhooks w
      set url = :url, events = :events, description = :description, updated_at = app_now(),
          disabled_at = case when not :active::boolean then coalesce(w.disabled_at, app_now()) end,
          disabled_reason = case when not :active then coalesce(w.disabled_reason, 'paused') end,
          missed_since = case when not :active and w.disabled_at is null
              then least(coalesce(w.missed_since, l.failing_since, app_now()), :missedSince::timestamptz)
            when :resetsFailures::boolean then coalesce(w.missed_since, l.failing_since)
            else w.missed_since end
     from webhook_lanes l
    where w.org_id = :org and w.id = :id and l.org_id = w.org_id and l.webhook_id = w.id`,
)

const resetFailures = statement<{ org: Uuid; id: Uuid }>(
  'webhooks.begin_afresh',
  sql`update webhook_lanes
      set failures = 0, rest_until = null, failing_since = null,
          due_at = case when waiting > under_way and under_way < ${limits.deliveriesUnderWayPerWebhook}
            then app_now() else due_at end
    where org_id = :org and webhook_id = :id`,
)

const rotate = statement<{ org: Uuid; id: Uuid; secret: Buffer; secretHint: string; overlapHours: number }>(
  'webhooks.rotate',
  sql`update webhooks
      set old_secret = case when :overlapHours::integer > 0 then secret end,
          old_secret_until = case when :overlapHours > 0 then app_now() + make_interval(hours => :overlapHours) end,
          secret = :secret, secret_hint = :secretHint, updated_at = app_now()
    where org_id = :org and id = :id`,
)

const remove = statement<{ org: Uuid; id: Uuid }>(
  'webhooks.remove',
  sql`delete from webhooks where org_id = :org and id = :id`,
)
