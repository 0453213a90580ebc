import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { batchLine } from '../../batches/index.ts'
import { countSpend, spentOf } from '../../budgets/index.ts'
import { claimItems, itemFields } from '../../pipelines/index.ts'
import { waitingFrom } from '../queue/admit.sql.ts'
import { tokenColumns } from '../run/tokens.ts'
import { shareOfShard } from './monthly-quota.ts'

/** Why a run was not accepted. */
export type Refusal =
  /** Another run holds the idempotency key. */
  | 'key_taken'
  /** There is no active agent with this id. */
  | 'no_agent'
  /** The input was not checked against the schema of the version that the run would get. */
  | 'input_unchecked'
  /** Other policies are in force than those that judged the input. */
  | 'policies_changed'
  /** The timeout is longer than the organisation or the key allows. */
  | 'timeout_not_allowed'
  /** Too many runs of the organisation wait to be admitted. */
  | 'queue_full'
  /** The demo key has used its calls of the month. */
  | 'demo_calls_used'
  /** A budget with the action `refuse` is used up. */
  | 'budget_exhausted'
  /** The organisation stores more than its plan allows. */
  | 'storage_full'
  /** The agent uses a simulated model, and the operator has switched those off. */
  | 'model_off'
  /** The item of the pipeline run has a run already, or is closed. */
  | 'item_taken'

export type Accepted = { created_at: Date; agent_version: number; deployment_id: string | null }

/** With a `refusal`, only `id` is set. */
export type AcceptRow = Accepted & { id: string; refusal: Refusal | null }

export type AcceptParameters = {
  org: Uuid
  /** Rows of `offered`, below. No two may have the same key. */
  runs: Json
  runCount: number
  /** The agents of the runs, each once. */
  agentIds: readonly Uuid[]
  /** What may have a budget: the organisation, the agents and the keys of the runs. */
  budgetIds: readonly Uuid[]
  defaultTimeoutSeconds: number
  quotaShard: number
  demoCallsPerMonth: number
  queuedPerSlot: number
  refusesSimulated: boolean
  /** Bytes by plan. */
  storageLimits: Json
}

/** The month that a call belongs to: the month of the statement that counts it, in UTC. */
export const thisMonth = `date_trunc('month', app_now() at time zone 'utc')::date`

/** The live and the canary release of an agent `a`. An agent that never had a deployment runs its own version. */
export const releaseColumns = `coalesce(a.live_version, a.version) as live_version, a.live_deployment_id, a.canary_version,
               a.canary_deployment_id, a.canary_percent`

/** The buckets of each version; `versionAt` is the same rule. Without a canary, the row of the canary has no version. */
export const sidesOfA = `values (a.canary_version, a.canary_deployment_id, 0, a.canary_percent * 100),
               (a.live_version, a.live_deployment_id, coalesce(a.canary_percent, 0) * 100, 10000)`

/** The fields of a run that is offered. */
export const runFields = `id uuid, agent_id uuid, input json, metadata jsonb, timeout_seconds integer,
                 max_timeout_seconds integer, bucket integer, checked_version integer, created_by uuid, created_by_type text,
                 owner_id uuid, demo_key_id uuid, budget_key_id uuid, key text, fingerprint text, trace_context text, policy_set_id uuid`

/** Of an offered run `n`, the side `s` of its agent and the limits `o` of its organisation. */
export const timeoutOfRun = `coalesce(n.timeout_seconds, least(coalesce((s.limits ->> 'timeout_seconds')::integer, :defaultTimeoutSeconds::integer),
                 o.run_timeout_max_seconds, n.max_timeout_seconds))`

/** The first reason to refuse an offered run `n`; `g` has its budgets. `ofDemoKey` is one more case. */
export const firstRefusal = (ofDemoKey: string): string => `case when s.agent_id is null then 'no_agent'
                    when s.is_refused then 'model_off'
                    when (s.takes_any_input or s.version = n.checked_version) is not true then 'input_unchecked'
                    when o.policy_set_id is distinct from n.policy_set_id then 'policies_changed'
                    when n.timeout_seconds > least(o.run_timeout_max_seconds, n.max_timeout_seconds) then 'timeout_not_allowed'
                    when o.is_full then 'storage_full'
                    ${ofDemoKey}
                    when g.refuses then 'budget_exhausted'
                    end`

/**
 * Puts runs into the queue. Each part depends on the one before it: without an agent no claim, without a claim no run,
 * without a run no call. The statements of `accepted` follow it in the same transaction.
 */
const acceptText = ({
  columns,
  offered,
  fields,
  claim,
  isClaimed,
  chosen,
  taken,
}: ItemText): string => sql`with allowed as (
    -- queue_room: how many more runs may wait. Free places of the organisation count only when they matter: a full cell leaves
    -- places free for ever, and then as many more runs wait.
    select o.run_timeout_max_seconds, o.is_full, o.calls, o.policy_set_id,
           case when o.room >= :runCount then o.room else o.room + greatest(0, o.concurrent_runs - (
             select count(*) from run_heads where org_id = :org and is_admitted)) end as queue_room
      from (
        select concurrent_runs, run_timeout_max_seconds, policy_set_id, stored_bytes >= (:storageLimits::json ->> plan)::bigint as is_full,
               ${shareOfShard(':quotaShard::smallint')} as calls,
               :queuedPerSlot::integer * concurrent_runs - (select count(*) from (
                 select from run_heads where org_id = :org and waits_for is not null and deadline_at > '-infinity' and moved_in >= ${waitingFrom}
                  limit (:queuedPerSlot::integer + 1) * concurrent_runs) waiting) as room
          from organisations where id = :org) o

  -- The releases of each agent. They are read here, so that an agent that was archived or rolled back in this moment
  -- gets no run of the old version. The ids arrive as an array and are looked up one by one (limit): the planner
  -- expects many rows, and would otherwise read all agents and versions of the organisation.
  ), sides as materialized (
    select a.id as agent_id, a.is_watched, s.version, s.deployment_id, s.first_bucket, s.end_bucket, v.limits, v.is_refused,
           v.input_schema is null as takes_any_input,
           bool_or(v.limits ->> 'max_concurrent_runs' is not null) over (partition by a.id) as has_limit
      from unnest(:agentIds::uuid[]) as wanted (id)
      cross join lateral (
        select a.id, a.canary_version is not null as is_watched, ${releaseColumns}
          from agents a where a.org_id = :org and a.id = wanted.id and a.status = 'active' limit 1
      ) a
      cross join lateral (${sidesOfA}) as s (version, deployment_id, first_bucket, end_bucket)
      cross join lateral (
        -- The configuration may be large, so it is read only if it matters.
        select v.limits, v.input_schema,
               case when :refusesSimulated::boolean then v.config ->> 'model' like 'simulated/%' else false end as is_refused
          from agent_versions v
         where v.org_id = :org and v.agent_id = a.id and v.version = s.version limit 1
      ) v

  -- Most organisations have no budget, and then nothing is read here but the index.
  ), budget as materialized (
    select b.subject_id, case when b.action = 'refuse' then b.monthly_usd <= ${spentOf('b.subject_id')} end as refuses
      from budgets b where b.org_id = :org and b.subject_id = any (:budgetIds::uuid[]) and b.monthly_usd is not null

  -- The runs as they were asked for, with their release and the first reason to refuse them.
  ), asked as (
    select id, agent_id, input, metadata, created_by, created_by_type, owner_id, demo_key_id, key, fingerprint, trace_context, version,
           deployment_id, is_watched, has_limit, timeout_seconds, budget_ids, policy_set_id, policy_key_id,${columns}
           coalesce(refusal, case when row_number() over (partition by refusal order by id) > queue_room then 'queue_full' end) as refusal
      from (
        select n.id, n.agent_id, n.input, n.metadata, n.created_by, n.created_by_type, n.owner_id, n.demo_key_id, n.key, n.fingerprint,
               n.trace_context, s.version, s.deployment_id, s.is_watched, s.has_limit, o.queue_room, g.budget_ids, o.policy_set_id,${offered}
               case when o.policy_set_id is not null then n.budget_key_id end as policy_key_id,
               ${timeoutOfRun} as timeout_seconds,
               ${firstRefusal(`when n.demo_key_id is not null and :demoCallsPerMonth::integer <= coalesce((
                      select calls from demo_key_calls
                       where org_id = :org and key_id = n.demo_key_id and month = ${thisMonth}), 0) then 'demo_calls_used'`)} as refusal
          from json_to_recordset(:runs::json) as n (${runFields}${fields})
          cross join allowed o
          left join sides s on s.agent_id = n.agent_id and n.bucket >= s.first_bucket and n.bucket < s.end_bucket
          cross join lateral (
            select array_agg(subject_id order by subject_id) as budget_ids, bool_or(refuses) as refuses
              from budget where subject_id in (:org, n.agent_id, n.budget_key_id)
          ) g
      ) offered

  -- Keys are claimed in order, so that two batches cannot deadlock.
  ), claim as (
    insert into idempotency_keys as k (org_id, thing, key, fingerprint, subject_id, expires_at)
    select :org, 'run', key, decode(fingerprint, 'hex'), id, app_now() + interval '24 hours'
      from asked where refusal is null and key is not null order by key
    on conflict (org_id, thing, key) do update
      set fingerprint = excluded.fingerprint, subject_id = excluded.subject_id, expires_at = excluded.expires_at
      where k.expires_at <= app_now()
    returning subject_id

  ${claim}-- The runs that nothing stands against.
  ), chosen as (
    select id, agent_id, version, deployment_id, is_watched, has_limit, input, metadata, timeout_seconds, created_by,
           created_by_type, owner_id, demo_key_id, trace_context, budget_ids, policy_set_id, policy_key_id,${columns}
           octet_length(input::text) as input_bytes
      from asked where refusal is null and (key is null or id in (select subject_id from claim))${isClaimed}
  ), run as (
    insert into runs (id, org_id, agent_id, agent_version, deployment_id, is_watched, input, input_bytes, metadata, timeout_seconds,
           created_by, created_by_type, owner_id, trace_context, policy_set_id, policy_key_id${chosen})
    select id, :org, agent_id, version, deployment_id, is_watched, input, input_bytes, metadata, timeout_seconds, created_by,
           created_by_type, owner_id, trace_context, policy_set_id, policy_key_id${chosen} from chosen
    returning id, created_at, agent_version, deployment_id

  -- Each run waits in the narrowest line that limits it.
  ), head as (
    insert into run_heads (run_id, org_id, agent_id, status, waits_for, demo_key_id, created_at, progress_at, deadline_at, stored_bytes,
           budget_ids)
    select id, :org, agent_id, 'queued', coalesce(demo_key_id, case when has_limit then agent_id else :org end), demo_key_id, app_now(),
           app_now(), app_now() + make_interval(secs => timeout_seconds), input_bytes, budget_ids from chosen

  -- Each accepted run increments its quota shard. If the shard is exhausted, there is no row here, and refuse_calls()
  -- raises, so that the whole statement is rolled back.
  ), counted as (
    insert into call_counts as c (org_id, month, slot, calls)
    select :org, ${thisMonth}, :quotaShard, count(*) from chosen having count(*) between 1 and (select calls from allowed)
    on conflict (org_id, month, slot) do update set calls = c.calls + excluded.calls
      where c.calls + excluded.calls <= (select calls from allowed)
    returning slot
  )
  select id, created_at, agent_version, deployment_id, null as refusal from run
   where case when exists (select from counted) then true else refuse_calls() end
  union all
  select id, null, null, null, coalesce(refusal, ${taken}) from asked where id not in (select id from chosen)`

type ItemText = Record<'columns' | 'offered' | 'fields' | 'claim' | 'isClaimed' | 'chosen' | 'taken', string>

export const acceptStatement = statement<AcceptParameters, AcceptRow>(
  'runs.accept',
  acceptText({ columns: '', offered: '', fields: '', claim: '', isClaimed: '', chosen: '', taken: `'key_taken'` }),
)

/** For runs of which at least one belongs to a pipeline run. */
export const acceptItems = statement<AcceptParameters & { pipelineRunIds: readonly Uuid[] }, AcceptRow>(
  'runs.accept_items',
  acceptText({
    columns: ' pipeline_run_id, pipeline_step, pipeline_item, pipeline_attempt,',
    offered: ' n.pipeline_run_id, n.pipeline_step, n.pipeline_item, n.pipeline_attempt,',
    fields: `, ${itemFields}`,
    claim: claimItems('asked'),
    isClaimed: ' and (pipeline_run_id is null or id in (select run_id from item))',
    chosen: ', pipeline_run_id',
    taken: `case when pipeline_run_id is null then 'key_taken' else 'item_taken' end`,
  }),
)

type NewRuns = { org: Uuid; runIds: readonly Uuid[]; firstId: Uuid | null; lastId: Uuid | null }

/** What else belongs to the runs that the statement before has accepted. Each is harmless when it is repeated. */
export const accepted = {
  event: statement<{ org: Uuid; runIds: readonly Uuid[] }>(
    'runs.accepted_event',
    sql`insert into run_events (run_id, seq, org_id, type)
        select run_id, 1, :org, 'run.created' from run_heads where org_id = :org and run_id = any (:runIds::uuid[])
        on conflict do nothing`,
  ),
  /** Most runs have no metadata, and their batch does without it. */
  labels: statement<NewRuns>(
    'runs.accepted_labels',
    sql`insert into run_labels (org_id, key, value, run_id)
        select :org, l.key, l.value, r.id from runs r cross join jsonb_each_text(r.metadata) l
         where r.org_id = :org and r.id = any (:runIds::uuid[]) and r.id between :firstId and :lastId
        on conflict do nothing`,
  ),
  /** What policies found in the inputs. Most runs have no policies, and their batch does without it. */
  findings: statement<{ org: Uuid; findings: Json }>(
    'runs.accepted_findings',
    sql`with found as (
          select f.run_id, row_number() over (partition by f.run_id order by f.n) as n, f.data
            from rows from (json_to_recordset(:findings::json) as (run_id uuid, data json)) with ordinality as f (run_id, data, n)
        ), head as (
          update run_heads h set seq = h.seq + f.most from (select run_id, max(n)::integer as most from found group by run_id) f
           where h.org_id = :org and h.run_id = f.run_id and h.seq = 1
          returning h.run_id
        )
        insert into run_events (run_id, seq, org_id, type, data)
        select f.run_id, 1 + f.n, :org, 'run.guardrail', f.data from found f join head on head.run_id = f.run_id`,
  ),
  /** The numbers of the values that were hidden in the inputs. */
  redactions: statement<{ org: Uuid; redactions: Json }>(
    'runs.accepted_redactions',
    sql`insert into run_redactions (run_id, kind, hash, org_id, number)
        select n.run_id, n.kind, decode(n.hash, 'hex'), :org, n.number
          from json_to_recordset(:redactions::json) as n (run_id uuid, kind text, hash text, number integer)
          join run_heads h on h.org_id = :org and h.run_id = n.run_id
        on conflict do nothing`,
  ),
  /** What models have cost that judged the inputs. Most runs have no such rule, and their batch does without it. */
  checkSpend: statement<{ org: Uuid; spends: Json }>(
    'runs.accepted_check_spend',
    sql`with head as (
          update run_heads h set ${tokenColumns((column) => `${column} = n.${column}`)}, cost_usd = n.cost_usd
            from json_to_recordset(:spends::json) as n (run_id uuid, ${tokenColumns((column) => `${column} bigint`)}, cost_usd numeric)
           where h.org_id = :org and h.run_id = n.run_id and h.attempt = 0 and h.input_tokens = 0 and h.cost_usd = 0
          returning h.budget_ids, h.cost_usd
        )
        ${countSpend('select b.id as subject_id, head.cost_usd from head cross join unnest(head.budget_ids) as b (id)')}`,
  ),
  batchLine: statement<{ org: Uuid; runIds: readonly Uuid[] }>(
    'runs.accepted_batch_line',
    sql`update run_heads set waits_for = '${batchLine}' where org_id = :org and run_id = any (:runIds::uuid[])`,
  ),
  demoCalls: statement<{ org: Uuid; runIds: readonly Uuid[] }>(
    'runs.accepted_demo_calls',
    sql`insert into demo_key_calls as c (org_id, key_id, month, calls)
        select :org, demo_key_id, ${thisMonth}, count(*) from run_heads
         where org_id = :org and run_id = any (:runIds::uuid[]) and demo_key_id is not null
         group by demo_key_id order by demo_key_id
        on conflict (org_id, key_id, month) do update set calls = c.calls + excluded.calls`,
  ),
} as const
