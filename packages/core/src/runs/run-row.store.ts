import type { Run } from './run.ts'

/** A run read back from its three rows, and the actions that are open. `toRun` makes it a run. */
export type RunRow = Omit<Run, 'input_tokens' | 'output_tokens' | 'waiting_ms' | 'cost_usd'> & {
  input_tokens: string
  output_tokens: string
  waiting_ms: string
  cost_usd: string | null
}

export const toRun = (row: RunRow): Run => ({
  ...row,
  input_tokens: Number(row.input_tokens),
  output_tokens: Number(row.output_tokens),
  waiting_ms: Number(row.waiting_ms),
  cost_usd: row.cost_usd === null ? null : Number(row.cost_usd),
  actions: (row.actions ?? []).map((action) => ({ ...action, expires_at: new Date(action.expires_at) })),
})

/** One run: `$1` is the organisation and `$2` the run. */
export const selectRun = (): string => {
  const within = (column: string) => `${column} = $2`
  return `select ${runColumns(openActions(within))} from runs r ${runParts(within)} where r.org_id = $1 and r.id = $2`
}

/** Some runs: `$1` is the organisation, `$2` are the runs, `$3` and `$4` the first and the last of them. */
export const selectRuns = (): string => {
  const within = (column: string) => `${column} between $3 and $4`
  return `select ${runColumns(openActions(within))}
     from unnest($2::uuid[]) as asked (id)
     cross join lateral (
       select ${ownColumns} from runs r where r.org_id = $1 and r.id = asked.id and ${within('r.id')} limit 1
     ) r ${runParts(within)}`
}

export const ownColumns = `r.id, r.agent_id, r.agent_version, r.input, r.metadata, r.created_at,
          r.deployment_id, r.parent_run_id, r.pipeline_run_id`

/** `actions` is SQL for the open actions; whoever can do without them until they are needed says null. */
export const runColumns = (actions: string): string => `${ownColumns},
          coalesce(e.status, h.status) as status, e.output, e.error,
          coalesce(e.input_tokens, h.input_tokens) as input_tokens,
          coalesce(e.output_tokens, h.output_tokens) as output_tokens,
          case when e.run_id is null then h.cost_usd else e.cost_usd end as cost_usd,
          coalesce(e.waiting_ms, h.waiting_ms + case when h.waiting_since is null then 0
            else (extract(epoch from app_now() - h.waiting_since) * 1000)::bigint end) as waiting_ms,
          coalesce(e.started_at, h.started_at) as started_at, e.finished_at,
          ${actions} as actions`

/**
 * What moves and what came of it, beside the runs `r` of organisation `$1`. `within` says of a column that holds run ids
 * which ones are asked for. It is said of each partitioned table: a join alone would open all of its partitions, whether
 * or not the run can be in them. `limit` keeps each join a look-up; the planner would otherwise read whole tables.
 */
export const runParts = (within: (column: string) => string): string => `left join lateral (
       select h.status, h.input_tokens, h.output_tokens, h.cost_usd, h.waiting_ms, h.waiting_since, h.started_at
         from run_heads h where h.org_id = $1 and h.run_id = r.id limit 1
     ) h on true
     left join lateral (
       select e.run_id, e.status, e.output, e.error, e.input_tokens, e.output_tokens, e.cost_usd, e.waiting_ms,
              e.started_at, e.finished_at
         from run_results e where e.org_id = $1 and e.run_id = r.id and ${within('e.run_id')} limit 1
     ) e on true`

const openActions = (within: (column: string) => string): string => `case when h.status = 'requires_action' then (
            select json_agg(json_build_object('id', a.id, 'type', a.type, 'message', a.message, 'tool_call', a.tool_call,
                     'response_schema', a.response_schema, 'expires_at', a.expires_at) order by a.id)
              from run_actions a
             where a.org_id = $1 and a.run_id = r.id and ${within('a.run_id')} and a.resolution is null
          ) end`
