import { fittingFrame, fittingPage } from '@ars/platform/db/fitting-page'
import type { RunView } from './run.ts'
import { tokenColumns } from './tokens.ts'

/*
 * The SQL that reads a run from its three rows, as a `RunRow`. `:org` is always the organisation. Each partitioned table
 * gets a condition on the ids: a join alone would open all partitions. `limit` keeps each join a lookup; the planner
 * would otherwise read whole tables.
 */

type Within = (column: string) => string

const ownColumns = `r.id, r.agent_id, r.agent_version, r.input, r.metadata, r.created_at, r.deployment_id,
          r.parent_run_id, r.pipeline_run_id, r.created_by, r.created_by_type, r.erased_at`

const columns = (actions: string): string => `${ownColumns},
          coalesce(e.status, h.status) as status, e.output, e.error,
          ${tokenColumns((column) => `coalesce(e.${column}, h.${column}) as ${column}`)},
          case when e.run_id is null then h.cost_usd else e.cost_usd end as cost_usd,
          coalesce(e.waiting_ms, h.waiting_ms + case when h.waiting_since is null then 0
            else (extract(epoch from app_now() - h.waiting_since) * 1000)::bigint end) as waiting_ms,
          coalesce(e.started_at, h.started_at) as started_at, e.finished_at,
          ${actions} as actions`

const openActions = (within: Within, org = ':org'): string => `case when h.status = 'requires_action' then (
            select json_agg(json_build_object('id', a.id, 'type', a.type, 'message', a.message, 'tool_call', a.tool_call,
                     'response_schema', a.response_schema, 'created_at', a.created_at, 'expires_at', a.expires_at) order by a.id)
              from run_actions a
             where a.org_id = ${org} and a.run_id = r.id and ${within('a.run_id')} and a.resolution is null
          ) end`

/** The head and the result of the run. */
const parts = (within: Within, org = ':org'): string => `left join lateral (
       select h.status, ${tokenColumns((column) => `h.${column}`)}, h.cost_usd, h.waiting_ms, h.waiting_since, h.started_at
         from run_heads h where h.org_id = ${org} and h.run_id = r.id limit 1
     ) h on true
     left join lateral (
       select e.run_id, e.status, e.output, e.error, ${tokenColumns((column) => `e.${column}`)}, e.cost_usd, e.waiting_ms,
              e.started_at, e.finished_at, e.output_bytes
         from run_results e where e.org_id = ${org} and e.run_id = r.id and ${within('e.run_id')} limit 1
     ) e on true`

const isRun: Within = (column) => `${column} = :id`
const isAmong: Within = (column) => `${column} between :firstId and :lastId`
const isBetween: Within = (column) => `${column} > $2 and ${column} < $3`

/** The run `:id`. */
export const selectRun = `select ${columns(openActions(isRun))}
     from runs r ${parts(isRun)} where r.org_id = :org and r.id = :id`

const previewChars = 200

const names = `id, agent_id, agent_version, input, metadata, created_at, deployment_id, parent_run_id, pipeline_run_id,
          created_by, created_by_type, erased_at, status, output, error, ${tokenColumns()}, cost_usd, waiting_ms, started_at,
          finished_at, actions`

const preview = (column: string): string => `to_json(left(${column}::text, ${previewChars})) as ${column}`

const shownColumns: Readonly<Record<RunView, string>> = {
  full: names,
  summary: names.replace(' input,', ` ${preview('input')},`).replace(' output,', ` ${preview('output')},`),
}

const payloadBytes = 'r.input_bytes + coalesce(e.output_bytes, 0)'

const runsOf = (view: RunView): string =>
  fittingPage(
    `select ${columns(openActions(isAmong))}, asked.number,
            ${payloadBytes} + case when h.status = 'requires_action' then (select coalesce(sum(
              pg_column_size(a.tool_call) + pg_column_size(a.response_schema)), 0) from run_actions a
                where a.org_id = :org and a.run_id = r.id and ${isAmong('a.run_id')} and a.resolution is null) else 0 end as bytes
       from unnest(:ids::uuid[]) with ordinality as asked (id, number)
       cross join lateral (
         select ${ownColumns}, r.input_bytes from runs r
          where r.org_id = :org and r.id = asked.id and ${isAmong('r.id')} limit 1
       ) r ${parts(isAmong)}`,
    { inner: `${names}, number`, columns: shownColumns[view], order: 'number' },
  )

/** The first of the runs `:ids` that fit into `:maxBytes`. `:firstId` is the first and `:lastId` the last of them. */
export const selectRuns = { full: runsOf('full'), summary: runsOf('summary') } as const

const pageOf = (view: RunView, order: 'asc' | 'desc'): { begin: string; beside: string; end: string } => {
  const rows = `select ${columns('null::json')}, ${payloadBytes} as bytes from (select ${ownColumns}, r.input_bytes from runs r`
  const frame = fittingFrame({ inner: names, columns: shownColumns[view], order: `id ${order}` })
  return { begin: frame.begin + rows, beside: `) r ${parts(isBetween, '$1')} ${frame.middle}`, end: frame.end }
}

/**
 * For runs between `$2` and `$3`: `begin`, the conditions and the order of the page, `beside`, the maximum of bytes,
 * `end`. Their open actions are not read.
 */
export const selectPage = {
  full: { asc: pageOf('full', 'asc'), desc: pageOf('full', 'desc') },
  summary: { asc: pageOf('summary', 'asc'), desc: pageOf('summary', 'desc') },
} as const
