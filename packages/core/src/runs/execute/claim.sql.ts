import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { oneOrganisation, type RowScope, type Several, severalOrganisations } from './row-scope.sql.ts'
import type { TextNumbers } from './step-row.sql.ts'

/** What a worker gets with its claim. Every later write of this attempt carries `epoch`, `attempt` and the id of the claim. */
export type Claim = {
  attempt: number
  claims: number
  seq: number
  claimed_at: Date
  started_at: Date
  created_at: Date
  cost_usd: number | null
  waiting_ms: number
  /** Messages that were sent to the run so far. */
  messages: number
  /** Of its input and its stored steps. */
  stored_bytes: number
  agent_id: string
  agent_version: number
  kind: 'llm' | 'remote'
  config: Record<string, unknown>
  output_schema: Record<string, unknown> | null
  limits: Record<string, unknown>
  input: Record<string, unknown>
  metadata: Record<string, string>
  deployment_id: string | null
  parent_run_id: string | null
  pipeline_run_id: string | null
  created_by: string
  created_by_type: 'key' | 'user'
  /** Null: the run is in no trace. */
  trace_context: string | null
  /** The budgets that it counts against. Null: none. */
  budget_ids: string[] | null
  /** The policies with which the run was accepted, and those that are in force now. Null: none. */
  policy_set_id: string | null
  current_set_id: string | null
  policy_key_id: string | null
}

export type ClaimParameters = {
  org: Uuid
  steps: Json
  /** The runs of `steps`. As an array, so that the planner uses the index for any number of rows. */
  runIds: readonly Uuid[]
  /** The least and the greatest of `runIds`: only the partitions between them are opened. */
  firstId: Uuid | null
  lastId: Uuid | null
  maxClaimsUnsuspected: number
}

/**
 * A claim that is offered again after its answer was lost finds its id in the head. It then gets the attempt that it has
 * already, writes no event and is not counted as an interruption. Its `progress_at` stays, and so tells it from a new claim.
 */
const claimText = ({ locks, fields, columns, isOwn, orgOf }: RowScope): string => sql`with ${locks}head as (
    update run_heads h
       set status = 'running', claim_id = n.claim_id,
           attempt = h.attempt + case when h.claim_id = n.claim_id then 0 else 1 end,
           claims = h.claims + case when h.claim_id = n.claim_id then 0 else 1 end,
           progress_at = case when h.claim_id = n.claim_id then h.progress_at else app_now() end,
           started_at = coalesce(h.started_at, app_now()), retry_at = null, note = null,
           seq = h.seq + case when h.claim_id = n.claim_id then 0 when h.attempt = 0 then 2 else 1 end
      from json_to_recordset(:steps::json) as n (${fields}run_id uuid, epoch integer, segment integer, step integer, claim_id uuid, alone boolean)
     where h.run_id = any (:runIds::uuid[]) and ${isOwn} and h.run_id = n.run_id and h.epoch = n.epoch and h.segment = n.segment
       and h.step = n.step - 1 and h.status in ('queued', 'running')
       and (h.claims < :maxClaimsUnsuspected::integer or n.alone or h.claim_id = n.claim_id)
    returning h.run_id, h.org_id, n.epoch, n.segment, n.step, h.attempt, h.claims, h.seq, h.progress_at = app_now() as is_new, h.started_at, h.created_at,
              h.cost_usd, h.waiting_ms, h.messages, h.stored_bytes, h.next_type, h.budget_ids
  ), sent as (
    delete from outbox o using head
     where o.run_id = any (:runIds::uuid[]) and o.org_id = head.org_id and o.run_id = head.run_id and o.epoch = head.epoch and o.segment = head.segment

  -- Read once for all, because a lookup for each run may be planned with an index in which it passes all runs of the day.
  ), run as materialized (
    select r.id, r.org_id, r.agent_id, r.agent_version, r.input, r.metadata, r.deployment_id, r.parent_run_id, r.pipeline_run_id,
           r.created_by, r.created_by_type, r.trace_context, r.policy_set_id, r.policy_key_id
      from runs r where r.id = any (:runIds::uuid[]) and r.id between :firstId::uuid and :lastId::uuid

  -- The agent is read in the version that the run was accepted with. The limit keeps this a lookup of one row.
  ), claimed as (
    select h.run_id, h.org_id, h.step, h.next_type, h.attempt, h.claims, h.seq, h.is_new, h.started_at, h.created_at,
           h.cost_usd, h.waiting_ms, h.messages, least(h.stored_bytes, 2147483647)::integer as stored_bytes, r.agent_id, r.agent_version,
           r.input, r.metadata, r.deployment_id, r.parent_run_id, r.pipeline_run_id, r.created_by, r.created_by_type, r.trace_context, v.kind, v.config,
           v.output_schema, v.limits, h.budget_ids, r.policy_set_id, r.policy_key_id
      from head h
      join run r on r.id = h.run_id and r.org_id = ${orgOf('h')}
      cross join lateral (
        select v.kind, v.config, v.output_schema, v.limits from agent_versions v
         where v.org_id = ${orgOf('h')} and v.agent_id = r.agent_id and v.version = r.agent_version limit 1
      ) v

  -- The first claim of a run adds run.started. A step that is claimed again invalidates the deltas it streamed before.
  ), event as (
    insert into run_events (run_id, seq, org_id, type, data)
    select run_id, seq - 1, org_id, 'run.started', null from claimed where is_new and attempt = 1
    union all
    select run_id, seq, org_id, 'run.step.started', json_build_object('step', step,
             'step_type', coalesce(next_type, case kind when 'llm' then 'model' else 'remote' end),
             'model', case when next_type is null and kind = 'llm' then config ->> 'model' end) from claimed where is_new and claims = 1
    union all
    select run_id, seq, org_id, 'run.output.reset', json_build_object('step', step) from claimed where is_new and claims > 1
  )
  select ${columns}run_id, attempt, claims, seq, started_at, created_at, cost_usd, waiting_ms, messages, stored_bytes,
         app_now() as claimed_at, agent_id, agent_version, input, metadata, deployment_id, parent_run_id, pipeline_run_id,
         created_by, created_by_type, trace_context, kind, config, output_schema, limits, budget_ids, policy_set_id, policy_key_id,
         (select o.policy_set_id from organisations o where o.id = ${orgOf('claimed')}) as current_set_id
    from claimed`

export const claimStatement = statement<ClaimParameters, TextNumbers<Claim>>('runs.claim', claimText(oneOrganisation))

/** For runs of several organisations, as the role of batches. */
export const claimSeveral = statement<Several<ClaimParameters>, TextNumbers<Claim> & { org_id: string }>(
  'runs.claim_several',
  claimText(severalOrganisations),
)
