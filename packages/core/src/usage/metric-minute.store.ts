import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { noId } from './bucket-key.ts'
import type { Histogram } from './histogram.ts'

/** The figures of a minute, for rules that watch them. */
export type MetricMinute = {
  minute: Date
  completed: number
  failed: number
  cancelled: number
  tokens: number
  costUsd: number
  errors: Readonly<Record<string, number>>
  latency: Histogram
  queue: Histogram
  deliveriesSucceeded: number
  deliveriesFailed: number
}

/** A stretch of minutes of an organisation (`agentId` null) or of one agent. */
export type AskedMinutes = { agentId: string | null; from: Date; to: Date }

/** The minutes with figures in [from, to). They are kept for 8 days. */
export const listMinutes = async (db: Database, org: string, asked: AskedMinutes): Promise<MetricMinute[]> => {
  const [minutes] = await listManyMinutes(db, [{ org, ...asked }])
  return minutes ?? []
}

/** The same for several questions at once, in their order. */
// crosses organisations: a background job watches the figures of all organisations.
export const listManyMinutes = async (
  db: Database,
  asked: readonly (AskedMinutes & { org: string })[],
): Promise<MetricMinute[][]> => {
  const one = asked.length === 1 ? (asked[0]?.org ?? null) : null
  const rows = await db.once(
    one,
    minutes({
      orgIds: asked.map(({ org }) => org),
      agentIds: asked.map(({ agentId }) => agentId),
      froms: asked.map(({ from }) => from),
      tos: asked.map(({ to }) => to),
    }),
  )
  const lists: MetricMinute[][] = asked.map(() => [])
  for (const row of rows)
    lists[row.number - 1]?.push({
      minute: row.bucket,
      completed: Number(row.completed),
      failed: Number(row.failed),
      cancelled: Number(row.cancelled),
      tokens: Number(row.tokens),
      costUsd: Number(row.cost_usd),
      errors: row.errors,
      latency: row.latency,
      queue: row.queue,
      deliveriesSucceeded: Number(row.deliveries_succeeded),
      deliveriesFailed: Number(row.deliveries_failed),
    })
  return lists
}

type MinuteRow = {
  number: number
  bucket: Date
  completed: string
  failed: string
  cancelled: string
  tokens: string
  cost_usd: string
  errors: Record<string, number>
  latency: Histogram
  queue: Histogram
  deliveries_succeeded: string
  deliveries_failed: string
}

const minutes = statement<
  { orgIds: readonly Uuid[]; agentIds: readonly (Uuid | null)[]; froms: readonly Date[]; tos: readonly Date[] },
  MinuteRow
>(
  'usage.minutes',
  sql`select a.number::integer, u.bucket, u.completed, u.failed, u.cancelled, u.input_tokens + u.output_tokens as tokens, u.cost_usd,
          u.errors, u.latency, u.queue, u.deliveries_succeeded, u.deliveries_failed
     from unnest(:orgIds::uuid[], :agentIds::uuid[], :froms::timestamptz[], :tos::timestamptz[])
            with ordinality as a (org_id, agent_id, starts, ends, number)
     join usage_buckets u on u.org_id = a.org_id and u.width = 'minute'
      and u.scope = case when a.agent_id is null then 'total' else 'agent' end
      and u.agent_id = coalesce(a.agent_id, '${noId}') and u.bucket >= a.starts and u.bucket < a.ends
    order by a.number, u.bucket`,
)
