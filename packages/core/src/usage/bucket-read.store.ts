import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { type Interval, isDetailed, isWhole, type RowFilter, type Width } from './analytics-period.ts'
import { usageBounds } from './bounds.ts'
import { type Figures, type FiguresRow, figureColumns, toFigures } from './figures.ts'

/** Rows that one question may read. */
export const maxRows = usageBounds.rowsRead.count

export type Point = { startedAt: Date; figures: Figures }

export type AskedRows = { width: Width; from: Date; to: Date; part: RowFilter }
export type AskedSeries = AskedRows & { interval: Interval; timeZone: string }

/** The intervals with figures. Null: that would read too many rows. */
export const readSeries = async (db: Database, org: string, asked: AskedSeries): Promise<Point[] | null> => {
  const { part, ...rest } = asked
  const statement = isWhole(part)
    ? seriesOfTotals({ org, ...rest, maxRows })
    : seriesOfParts({ org, ...rest, ...partOf(part), maxRows })
  const rows = await db.once(org, statement)
  if (rows.some(({ is_cut }) => is_cut)) return null
  return rows.map((row) => ({ startedAt: row.started_at, figures: toFigures(row) }))
}

export type Group = { key: string; figures: Figures }

/** The figures by agent, version or API key. Null: that would read too many rows. */
export const readGroups = async (
  db: Database,
  org: string,
  { by, part, ...asked }: AskedRows & { by: 'agent' | 'version' | 'api_key' },
): Promise<Group[] | null> => {
  const isDetail = by !== 'agent' || isDetailed(part)
  const parameters = { org, by, ...asked, ...partOf(part), scope: isDetail ? 'detail' : 'agent', maxRows }
  const rows = await db.once(org, groups(parameters))
  if (rows.some(({ is_cut }) => is_cut)) return null
  return rows.map((row) => ({ key: row.key, figures: toFigures(row) }))
}

/** How much each agent did, without percentiles. If there are too many rows, the latest are read: see `from`. */
export type AgentTotal = { agentId: string; runs: number; meanLatencyMs: number | null }

export const readAgentTotals = async (
  db: Database,
  org: string,
  { agentIds, ...asked }: { width: Width; from: Date; to: Date; agentIds: readonly string[] | null },
): Promise<{ from: Date; agents: AgentTotal[] }> => {
  const rows = await db.once(org, agentTotals({ org, ...asked, agentIds, maxRows }))
  return {
    from: rows[0]?.first_bucket ?? asked.from,
    agents: rows.map(({ agent_id, runs, timed_runs, latency_ms }) => ({
      agentId: agent_id,
      runs: Number(runs),
      meanLatencyMs: timed_runs === '0' ? null : Number(latency_ms) / Number(timed_runs),
    })),
  }
}

/** Runs that ended on the whole days of a period. */
export const countEndedRuns = async (
  db: Database,
  org: string,
  { from, to, agentId }: { from: Date; to: Date; agentId: string | null },
): Promise<number> => {
  const agentIds = agentId === null ? null : [agentId]
  const { agents } = await readAgentTotals(db, org, { width: 'day', from, to, agentIds })
  return agents.reduce((sum, { runs }) => sum + runs, 0)
}

const partOf = ({ agentIds, agentVersion, apiKeyId }: RowFilter) => ({
  scope: agentVersion === null && apiKeyId === null ? 'agent' : 'detail',
  agentIds,
  agentVersion,
  apiKeyId,
})

type PointRow = FiguresRow & { started_at: Date; is_cut: boolean }
type PartParameters = {
  org: Uuid
  width: Width
  from: Date
  to: Date
  scope: string
  agentIds: readonly Uuid[] | null
  agentVersion: number | null
  apiKeyId: Uuid | null
  maxRows: number
}

const columns = `${figureColumns.join(', ')}, errors, latency, queue`

// One row is one interval, or a part of one: the histograms are added by the caller, which is cheaper than here.
const seriesOfTotals = statement<
  { org: Uuid; width: Width; from: Date; to: Date; interval: Interval; timeZone: string; maxRows: number },
  PointRow
>(
  'usage.series_of_totals',
  sql`select date_trunc(:interval, bucket, :timeZone) as started_at, ${columns}, false as is_cut
     from usage_buckets
    where org_id = :org and width = :width and scope = 'total' and bucket >= :from and bucket < :to
    order by bucket limit :maxRows`,
)

/** The counts of one column of `picked`, added by group. */
const summed = (column: string): string => `(
    select grp, jsonb_object_agg(key, n) as counts from (
      select grp, key, sum(value::bigint) as n from picked, jsonb_each_text(picked.${column}) group by grp, key
    ) ${column}_counts group by grp
  ) ${column} on ${column}.grp is not distinct from f.grp`

/** Adds rows by the expression \`grp\` in the database: they may be many more than the groups. */
const addedBy = (grp: string): string => `with picked as materialized (
    select ${grp} as grp, ${columns} from usage_buckets
     where org_id = :org and width = :width and scope = :scope and bucket >= :from and bucket < :to
       and (:agentIds::uuid[] is null or agent_id = any (:agentIds))
       and (:agentVersion::integer is null or agent_version = :agentVersion)
       and (:apiKeyId::uuid is null or api_key_id = :apiKeyId)
     limit :maxRows + 1
  ), f as (
    select grp, ${figureColumns.map((column) => `sum(${column}) as ${column}`).join(', ')},
           (select count(*) from picked) > :maxRows as is_cut
      from picked group by grp
  )`

const seriesOfParts = statement<PartParameters & { interval: Interval; timeZone: string }, PointRow>(
  'usage.series_of_parts',
  sql`${addedBy('date_trunc(:interval, bucket, :timeZone)')}
  select f.grp as started_at, ${figureColumns.map((column) => `f.${column}`).join(', ')}, f.is_cut, errors.counts as errors,
         latency.counts as latency, queue.counts as queue
    from f left join ${summed('errors')} left join ${summed('latency')} left join ${summed('queue')}
   order by f.grp`,
)

const groups = statement<PartParameters & { by: string }, FiguresRow & { key: string; is_cut: boolean }>(
  'usage.groups',
  sql`${addedBy("case :by when 'agent' then agent_id::text when 'version' then agent_version::text else api_key_id::text end")}
  select f.grp as key, ${figureColumns.map((column) => `f.${column}`).join(', ')}, f.is_cut, errors.counts as errors,
         latency.counts as latency, queue.counts as queue
    from f left join ${summed('errors')} left join ${summed('latency')} left join ${summed('queue')}
   order by f.completed + f.failed + f.cancelled desc, f.grp limit ${usageBounds.groupsTold.count}`,
)

const agentTotals = statement<
  { org: Uuid; width: Width; from: Date; to: Date; agentIds: readonly Uuid[] | null; maxRows: number },
  { agent_id: string; runs: string; timed_runs: string; latency_ms: string; first_bucket: Date }
>(
  'usage.agent_totals',
  sql`with picked as materialized (
    select agent_id, bucket, completed, failed, cancelled, latency_ms from usage_buckets
     where org_id = :org and width = :width and scope = 'agent' and bucket >= :from and bucket < :to
       and (:agentIds::uuid[] is null or agent_id = any (:agentIds))
     order by bucket desc limit :maxRows
  )
  select agent_id, sum(completed + failed + cancelled) as runs, sum(completed + failed) as timed_runs, sum(latency_ms) as latency_ms,
         (select min(bucket) from picked) as first_bucket
    from picked group by agent_id`,
)
