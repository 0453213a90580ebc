/*
 * The SQL that reads a run back from its three rows; what it selects is a `RunRow`. `$1` is always the organisation.
 * Which ids are asked for is said of each partitioned table: a join alone would open all of its partitions, whether or
 * not the run can be in them. `limit` keeps each join a look-up; the planner would otherwise read whole tables.
 */

type Within = (column: string) => string

const ownColumns = `r.id, r.agent_id, r.agent_version, r.input, r.metadata, r.created_at, r.deployment_id,
          r.parent_run_id, r.pipeline_run_id`

const columns = (actions: string): string => `${ownColumns},
          coalesce(e.status, h.status) as status, e.output, e.error,
          coalesce(e.input_tokens, h.input_tokens) as input_tokens,
          coalesce(e.output_tokens, h.output_tokens) as output_tokens,
          case when e.run_id is null then h.cost_usd else e.cost_usd end as cost_usd,
          coalesce(e.waiting_ms, h.waiting_ms + case when h.waiting_since is null then 0
            else (extract(epoch from app_now() - h.waiting_since) * 1000)::bigint end) as waiting_ms,
          coalesce(e.started_at, h.started_at) as started_at, e.finished_at,
          ${actions} as actions`

const openActions = (within: Within): string => `case when h.status = 'requires_action' then (
            select json_agg(json_build_object('id', a.id, 'type', a.type, 'message', a.message, 'tool_call', a.tool_call,
                     'response_schema', a.response_schema, 'expires_at', a.expires_at) order by a.id)
              from run_actions a
             where a.org_id = $1 and a.run_id = r.id and ${within('a.run_id')} and a.resolution is null
          ) end`

/** What moves and what came of it. */
const parts = (within: Within): string => `left join lateral (
       select h.status, h.input_tokens, h.output_tokens, h.cost_usd, h.waiting_ms, h.waiting_since, h.started_at
         from run_heads h where h.org_id = $1 and h.run_id = r.id limit 1
     ) h on true
     left join lateral (
       select e.run_id, e.status, e.output, e.error, e.input_tokens, e.output_tokens, e.cost_usd, e.waiting_ms,
              e.started_at, e.finished_at
         from run_results e where e.org_id = $1 and e.run_id = r.id and ${within('e.run_id')} limit 1
     ) e on true`

const isRun: Within = (column) => `${column} = $2`
const isAmong: Within = (column) => `${column} between $3 and $4`
const isBetween: Within = (column) => `${column} > $2 and ${column} < $3`

/** The run `$2`. */
export const selectRun = `select ${columns(openActions(isRun))}
     from runs r ${parts(isRun)} where r.org_id = $1 and r.id = $2`

/** The runs `$2`, of which `$3` is the first and `$4` the last. */
export const selectRuns = `select ${columns(openActions(isAmong))}
     from unnest($2::uuid[]) as asked (id)
     cross join lateral (
       select ${ownColumns} from runs r where r.org_id = $1 and r.id = asked.id and ${isAmong('r.id')} limit 1
     ) r ${parts(isAmong)}`

/** For runs between `$2` and `$3`, chosen by a query that goes between `chosen` and `beside`. What they ask of people is not read. */
export const selectPage = {
  columns: columns('null::json'),
  chosen: `select ${ownColumns} from runs r`,
  beside: parts(isBetween),
} as const
