import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { spentOf } from '../../budgets/index.ts'
import { waitingFrom } from '../queue/admit.sql.ts'
import {
  type AcceptRow,
  firstRefusal,
  type Refusal,
  releaseColumns,
  runFields,
  sidesOfA,
  thisMonth,
  timeoutOfRun,
} from './accept.sql.ts'
import { shareOfShard } from './monthly-quota.ts'

/** `shard_exhausted`: the quota shard of the organisation has too few calls left. Its runs are accepted separately. */
export type SharedAcceptRow = Omit<AcceptRow, 'refusal'> & { refusal: Refusal | 'shard_exhausted' | null }

export type AcceptSeveralParameters = {
  /** Rows of `offered`, with their organisations. No two of one organisation may have the same key. */
  runs: Json
  /** The organisations, each once, with the number of their runs and their quota shards. */
  orgs: readonly Uuid[]
  runCounts: readonly number[]
  quotaShards: readonly number[]
  /** The agents of the runs with their organisations, each pair once. */
  agentOrgs: readonly Uuid[]
  agentIds: readonly Uuid[]
  /** What may have a budget, with its organisation: the organisations, the agents and the keys of the runs. */
  budgetOrgs: readonly Uuid[]
  budgetIds: readonly Uuid[]
  defaultTimeoutSeconds: number
  queuedPerSlot: number
  refusesSimulated: boolean
  /** Bytes by plan. */
  storageLimits: Json
}

/**
 * `runs.accept` for runs of several organisations. Each part carries the organisation of the row, each limit is decided for each
 * organisation, and nothing raises. Runs of demo keys and of pipelines are not among them. `acceptedSeveral` follows in the
 * same transaction.
 *
 * Two such statements lock in the same order: the keys by organisation and key, then the counters by organisation.
 */
export const acceptSeveral = statement<AcceptSeveralParameters, SharedAcceptRow>(
  'runs.accept_several',
  sql`with allowed as materialized (
    -- queue_room: how many more runs may wait. call_room: how many calls the quota shard has left.
    select o.id as org_id, w.quota_shard, o.run_timeout_max_seconds, o.is_full, o.calls, o.policy_set_id,
           o.calls - coalesce((select c.calls from call_counts c
             where c.org_id = o.id and c.month = ${thisMonth} and c.slot = w.quota_shard), 0) as call_room,
           case when o.room >= w.run_count then o.room else o.room + greatest(0, o.concurrent_runs - (
             select count(*) from run_heads where org_id = o.id and is_admitted)) end as queue_room
      from unnest(:orgs::uuid[], :runCounts::integer[], :quotaShards::smallint[]) as w (id, run_count, quota_shard)
      cross join lateral (
        select id, concurrent_runs, run_timeout_max_seconds, policy_set_id, stored_bytes >= (:storageLimits::json ->> plan)::bigint as is_full,
               ${shareOfShard('w.quota_shard')} as calls,
               :queuedPerSlot::integer * concurrent_runs - (select count(*) from (
                 select from run_heads where org_id = w.id and waits_for is not null and deadline_at > '-infinity' and moved_in >= ${waitingFrom}
                  limit (:queuedPerSlot::integer + 1) * concurrent_runs) waiting) as room
          from organisations where id = w.id limit 1) o

  -- The releases of each agent, looked up one by one, as in runs.accept.
  ), sides as materialized (
    select a.org_id, a.id as agent_id, a.is_watched, s.version, s.deployment_id, s.first_bucket, s.end_bucket, v.limits, v.is_refused,
           v.input_schema is null as takes_any_input,
           bool_or(v.limits ->> 'max_concurrent_runs' is not null) over (partition by a.org_id, a.id) as has_limit
      from unnest(:agentOrgs::uuid[], :agentIds::uuid[]) as wanted (org_id, id)
      cross join lateral (
        select a.org_id, a.id, a.canary_version is not null as is_watched, ${releaseColumns}
          from agents a where a.org_id = wanted.org_id and a.id = wanted.id and a.status = 'active' limit 1
      ) a
      cross join lateral (${sidesOfA}) as s (version, deployment_id, first_bucket, end_bucket)
      cross join lateral (
        -- The configuration may be large, so it is read only if it matters.
        select v.limits, v.input_schema,
               case when :refusesSimulated::boolean then v.config ->> 'model' like 'simulated/%' else false end as is_refused
          from agent_versions v
         where v.org_id = a.org_id and v.agent_id = a.id and v.version = s.version limit 1
      ) v

  -- Most organisations have no budget, and then nothing is read here but the index.
  ), budget as materialized (
    select b.org_id, b.subject_id, case when b.action = 'refuse' then b.monthly_usd <= ${spentOf('b.subject_id', 'b.org_id')} end as refuses
      from unnest(:budgetOrgs::uuid[], :budgetIds::uuid[]) as wanted (org_id, id)
      cross join lateral (
        select b.org_id, b.subject_id, b.action, b.monthly_usd from budgets b
         where b.org_id = wanted.org_id and b.subject_id = wanted.id and b.monthly_usd is not null limit 1
      ) b

  -- The runs as they were asked for, with their release and the first reason to refuse them.
  ), asked as (
    select org_id, id, agent_id, input, metadata, created_by, created_by_type, owner_id, key, fingerprint, trace_context, version,
           deployment_id, is_watched, has_limit, timeout_seconds, budget_ids, policy_set_id, policy_key_id,
           coalesce(refusal, case when place > queue_room then 'queue_full' when place > call_room then 'shard_exhausted' end) as refusal
      from (
        select org_id, id, agent_id, input, metadata, created_by, created_by_type, owner_id, key, fingerprint, trace_context, version,
               deployment_id, is_watched, has_limit, timeout_seconds, budget_ids, policy_set_id, policy_key_id, queue_room, call_room,
               refusal, row_number() over (partition by org_id, refusal order by id) as place
          from (
            select n.org_id, n.id, n.agent_id, n.input, n.metadata, n.created_by, n.created_by_type, n.owner_id, n.key, n.fingerprint,
                   n.trace_context, s.version, s.deployment_id, s.is_watched, s.has_limit, o.queue_room, o.call_room, g.budget_ids,
                   o.policy_set_id, case when o.policy_set_id is not null then n.budget_key_id end as policy_key_id,
                   ${timeoutOfRun} as timeout_seconds,
                   ${firstRefusal('')} as refusal
              from json_to_recordset(:runs::json) as n (org_id uuid, ${runFields})
              join allowed o on o.org_id = n.org_id
              left join sides s on s.org_id = n.org_id and s.agent_id = n.agent_id and n.bucket >= s.first_bucket and n.bucket < s.end_bucket
              cross join lateral (
                select array_agg(subject_id order by subject_id) as budget_ids, bool_or(refuses) as refuses
                  from budget where org_id = n.org_id and subject_id in (n.org_id, n.agent_id, n.budget_key_id)
              ) g
          ) offered
      ) placed

  -- Keys are claimed in order, so that two batches cannot deadlock.
  ), claim as (
    insert into idempotency_keys as k (org_id, thing, key, fingerprint, subject_id, expires_at)
    select org_id, 'run', key, decode(fingerprint, 'hex'), id, app_now() + interval '24 hours'
      from asked where refusal is null and key is not null order by org_id, key
    on conflict (org_id, thing, key) do update
      set fingerprint = excluded.fingerprint, subject_id = excluded.subject_id, expires_at = excluded.expires_at
      where k.expires_at <= app_now()
    returning org_id, subject_id

  -- The runs that nothing stands against.
  ), chosen as materialized (
    select org_id, id, agent_id, version, deployment_id, is_watched, has_limit, input, metadata, timeout_seconds, created_by,
           created_by_type, owner_id, trace_context, budget_ids, policy_set_id, policy_key_id, octet_length(input::text) as input_bytes
      from asked a where refusal is null and (key is null or (org_id, id) in (select org_id, subject_id from claim))

  -- Each accepted run increments its quota shard. Another batch may have used the last calls since the shard was read: then there
  -- is no row here, and the organisation gets no runs. The statement after this one takes its keys back.
  ), counted as (
    insert into call_counts as c (org_id, month, slot, calls)
    select o.org_id, ${thisMonth}, o.quota_shard, count(*) from chosen join allowed o on o.org_id = chosen.org_id
     group by o.org_id, o.quota_shard, o.calls having count(*) <= o.calls order by o.org_id
    on conflict (org_id, month, slot) do update set calls = c.calls + excluded.calls
      where c.calls + excluded.calls <= (select o.calls from allowed o where o.org_id = c.org_id)
    returning org_id
  ), run as (
    insert into runs (id, org_id, agent_id, agent_version, deployment_id, is_watched, input, input_bytes, metadata, timeout_seconds,
           created_by, created_by_type, owner_id, trace_context, policy_set_id, policy_key_id)
    select id, org_id, agent_id, version, deployment_id, is_watched, input, input_bytes, metadata, timeout_seconds, created_by,
           created_by_type, owner_id, trace_context, policy_set_id, policy_key_id
      from chosen where org_id in (select org_id from counted)
    returning id, org_id, created_at, agent_version, deployment_id

  -- Each run waits in the narrowest line that limits it.
  ), head as (
    insert into run_heads (run_id, org_id, agent_id, status, waits_for, created_at, progress_at, deadline_at, stored_bytes, budget_ids)
    select id, org_id, agent_id, 'queued', case when has_limit then agent_id else org_id end, app_now(), app_now(),
           app_now() + make_interval(secs => timeout_seconds), input_bytes, budget_ids
      from chosen where org_id in (select org_id from counted)
  )
  select id, created_at, agent_version, deployment_id, null as refusal from run
  union all
  select id, null, null, null, coalesce(refusal, case when id in (select id from chosen) then 'shard_exhausted' else 'key_taken' end)
    from asked where id not in (select id from run)`,
)

/** The runs that the statement before has accepted, with their organisations. */
type NewRuns = { runOrgs: readonly Uuid[]; runIds: readonly Uuid[] }

export const acceptedSeveral = {
  /** Also takes back the keys that this transaction has claimed for runs that were not accepted. */
  event: statement<NewRuns & { keyOrgs: readonly Uuid[]; keys: readonly string[]; keyRuns: readonly Uuid[] }>(
    'runs.accepted_several_event',
    sql`with made as materialized (
          select h.org_id, h.run_id from unnest(:runOrgs::uuid[], :runIds::uuid[]) as n (org_id, run_id)
            join run_heads h on h.run_id = any (:runIds::uuid[]) and h.run_id = n.run_id and h.org_id = n.org_id
        ), taken_back as (
          delete from idempotency_keys k
           using unnest(:keyOrgs::uuid[], :keys::text[], :keyRuns::uuid[]) as n (org_id, key, run_id)
           where n.run_id not in (select run_id from made) and k.org_id = n.org_id and k.thing = 'run' and k.key = n.key
             and k.subject_id = n.run_id and k.xmin = pg_current_xact_id()::xid
        )
        insert into run_events (run_id, seq, org_id, type)
        select run_id, 1, org_id, 'run.created' from made on conflict do nothing`,
  ),
  /** Most runs have no metadata, and their batch does without it. */
  labels: statement<NewRuns & { firstId: Uuid | null; lastId: Uuid | null }>(
    'runs.accepted_several_labels',
    sql`insert into run_labels (org_id, key, value, run_id)
        select r.org_id, l.key, l.value, r.id from unnest(:runOrgs::uuid[], :runIds::uuid[]) as n (org_id, id)
          join runs r on r.id = any (:runIds::uuid[]) and r.id = n.id and r.org_id = n.org_id and r.id between :firstId and :lastId
         cross join jsonb_each_text(r.metadata) l
        on conflict do nothing`,
  ),
} as const
