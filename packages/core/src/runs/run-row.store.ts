import type { Run } from './run.ts'

/** A run read back from its three rows, and the actions that are open. `selectRuns` selects it, `toRun` turns it into a run. */
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

/**
 * `within` says of a column that holds run ids which ones are asked for, in terms of parameters. It is said of each
 * partitioned table: a join alone would open all of their partitions, whether or not the run can be in them.
 */
export const selectRuns = (within: (column: string) => string): string => `select ${columns(within('a.run_id'))}
     from runs r
     left join run_heads h on h.run_id = r.id
     left join run_results e on e.run_id = r.id and ${within('e.run_id')}
    where r.org_id = $1 and ${within('r.id')}`

const columns = (isAsked: string): string => `r.id, r.agent_id, r.agent_version, r.input, r.metadata, r.created_at,
          r.deployment_id, r.parent_run_id, r.pipeline_run_id,
          coalesce(e.status, h.status) as status, e.output, e.error,
          coalesce(e.input_tokens, h.input_tokens) as input_tokens,
          coalesce(e.output_tokens, h.output_tokens) as output_tokens,
          case when e.run_id is null then h.cost_usd else e.cost_usd end as cost_usd,
          coalesce(e.waiting_ms, h.waiting_ms + case when h.waiting_since is null then 0
            else (extract(epoch from app_now() - h.waiting_since) * 1000)::bigint end) as waiting_ms,
          coalesce(e.started_at, h.started_at) as started_at, e.finished_at,
          case when h.status = 'requires_action' then (
            select json_agg(json_build_object('id', a.id, 'type', a.type, 'message', a.message, 'tool_call', a.tool_call,
                     'response_schema', a.response_schema, 'expires_at', a.expires_at) order by a.id)
              from run_actions a
             where a.org_id = r.org_id and a.run_id = r.id and ${isAsked} and a.resolution is null
          ) end as actions`
