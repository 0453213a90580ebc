import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { firstGateRank, ranks } from '../queue/queue.ts'
import { shareOfShard } from './monthly-quota.ts'

/** Why a run was not accepted. */
export type Refusal =
  /** Another run holds the idempotency key. */
  | 'key_taken'
  /** There is no active agent with this id. */
  | 'no_agent'
  /** The input was not checked against the schema of the version that the run would get. */
  | 'input_unchecked'
  /** The timeout is longer than the organisation or the key allows. */
  | 'timeout_not_allowed'
  /** Too many runs of the organisation wait for a slot. */
  | 'queue_full'
  /** The organisation stores more than its plan allows. */
  | 'storage_full'
  /** The agent uses a simulated model, and the operator has switched those off. */
  | 'model_off'

/** `started`: the run has its slots and an order for the engine. Otherwise it waits in the queue. */
export type Accepted = { created_at: Date; agent_version: number; deployment_id: string | null; started: boolean }

/** With a `refusal`, only `id` is set. */
export type AcceptRow = Accepted & { id: string; refusal: Refusal | null }

export type AcceptParameters = {
  org: Uuid
  /** Rows of `offered`, below. No two may have the same key. */
  runs: Json
  runCount: number
  /** The agents of the runs, each once. */
  agentIds: readonly Uuid[]
  defaultTimeoutSeconds: number
  quotaShard: number
  relayAfterMs: number
  cellSlots: number
  sharedCellSlots: number
  lightOrgRuns: number
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

/** Each part depends on the one before it: without an agent no claim, without a claim no run, without a run no call. */
const acceptText = (labels: string): string =>
  sql`with allowed as (
    select concurrent_runs, run_timeout_max_seconds, stored_bytes >= (:storageLimits::json ->> plan)::bigint as is_full,
           ${shareOfShard(':quotaShard::smallint')} as calls
      from organisations where id = :org

  -- Free slots of the organisation. None while runs wait in its queue, so that a new run does not overtake them.
  ), own_slots as (
    select number, row_number() over () as n from (
      select s.number from org_slots s
       where s.org_id = :org and s.run_id is null and s.number <= (select concurrent_runs from allowed)
         and not exists (select from run_heads where org_id = :org and rank < ${firstGateRank})
       limit :runCount for update skip locked) free

  -- Free slots of the cell that every organisation may use, unless other organisations wait for them.
  ), shared_slots as (
    select number from cell_slots
     where run_id is null and number <= :sharedCellSlots and not (select contended from cell)
     limit :runCount for update skip locked

  -- The other slots of the cell are reserved for organisations with few runs in progress.
  ), reserved_slots as (
    select number from cell_slots
     where run_id is null and number > :sharedCellSlots and number <= :cellSlots and (select count(*) from shared_slots) < :runCount
     limit greatest(0, :lightOrgRuns - (select count(*) from org_slots where org_id = :org and run_id is not null)
                       - (select count(*) from shared_slots))
       for update skip locked
  ), free_cell_slots as (
    select number, row_number() over () as n
      from (select number from shared_slots union all select number from reserved_slots) free

  -- A run needs one slot of each kind.
  ), pairs as (
    select o.n, o.number as slot, c.number as cell_slot from own_slots o join free_cell_slots c on c.n = o.n
  ), queue_room as (
    select (select :queuedPerSlot * concurrent_runs from allowed)
           - (select count(*) from (select from run_heads where org_id = :org and rank is not null
                limit (select :queuedPerSlot * concurrent_runs from allowed)) waiting) as runs
  ), room as (
    select case when (select count(*) from pairs) >= :runCount then :runCount
                else (select count(*) from pairs) + (select runs from queue_room) end as runs

  -- The releases of each agent. They are read here, so that an agent that was archived or rolled back in this moment
  -- gets no run of the old version. The ids arrive as an array and are looked up one by one (limit): the planner
  -- expects many rows, and would otherwise read all agents and versions of the organisation.
  ), sides as materialized (
    select a.id as agent_id, a.is_watched, s.version, s.deployment_id, s.first_bucket, s.end_bucket, v.limits, v.is_refused,
           v.input_schema is null as takes_any_input,
           bool_or(v.limits ->> 'max_concurrent_runs' is not null) over (partition by a.id) as has_gate
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

  -- The runs as they were asked for, with their release and the first reason to refuse them.
  ), offered as (
    select n.id, n.agent_id, n.input, n.metadata, n.created_by, n.created_by_type, n.owner_id, n.key, n.fingerprint, s.version, s.deployment_id, s.is_watched, s.has_gate,
           coalesce(n.timeout_seconds, least(coalesce((s.limits ->> 'timeout_seconds')::integer, :defaultTimeoutSeconds::integer),
             o.run_timeout_max_seconds, n.max_timeout_seconds)) as timeout_seconds,
           case when s.agent_id is null then 'no_agent'
                when s.is_refused then 'model_off'
                when (s.takes_any_input or s.version = n.checked_version) is not true then 'input_unchecked'
                when n.timeout_seconds > least(o.run_timeout_max_seconds, n.max_timeout_seconds) then 'timeout_not_allowed'
                when o.is_full then 'storage_full'
                end as refusal
      from json_to_recordset(:runs::json) as n (id uuid, agent_id uuid, input json, metadata jsonb, timeout_seconds integer,
             max_timeout_seconds integer, bucket integer, checked_version integer, created_by uuid, created_by_type text,
             owner_id uuid, key text, fingerprint text)
      cross join allowed o
      left join sides s on s.agent_id = n.agent_id and n.bucket >= s.first_bucket and n.bucket < s.end_bucket

  -- Runs of an agent with a gate cannot start at once, so only the room of the queue counts for them.
  ), asked as (
    select id, agent_id, input, metadata, created_by, created_by_type, owner_id, key, fingerprint, version, deployment_id,
           is_watched, has_gate, timeout_seconds,
           coalesce(refusal, case when row_number() over (partition by refusal, has_gate order by id)
             > case when has_gate then (select runs from queue_room) else (select runs from room) end then 'queue_full' end) as refusal
      from offered

  -- Keys are claimed in order, so that two batches cannot deadlock.
  ), claim as (
    insert into idempotency_keys as k (org_id, thing, key, fingerprint, subject_id, expires_at)
    select :org, 'run', key, decode(fingerprint, 'hex'), id, app_now() + interval '24 hours'
      from asked where refusal is null and key is not null order by key
    on conflict (org_id, thing, key) do update
      set fingerprint = excluded.fingerprint, subject_id = excluded.subject_id, expires_at = excluded.expires_at
      where k.expires_at <= app_now()
    returning subject_id
  ), chosen as (
    select id, agent_id, version, deployment_id, is_watched, has_gate, input, metadata, timeout_seconds, created_by,
           created_by_type, owner_id, octet_length(input::text) as input_bytes,
           row_number() over (partition by has_gate order by id) as n
      from asked where refusal is null and (key is null or id in (select subject_id from claim))
  ), run as (
    insert into runs (id, org_id, agent_id, agent_version, deployment_id, is_watched, input, input_bytes, metadata, timeout_seconds,
           created_by, created_by_type, owner_id)
    select id, :org, agent_id, version, deployment_id, is_watched, input, input_bytes, metadata, timeout_seconds, created_by,
           created_by_type, owner_id from chosen
    returning id, created_at, agent_version, deployment_id

  -- A run with a pair of slots starts; the others get a rank in the queue, or at the gate of their agent.
  ), placed as (
    select c.id, c.agent_id, c.timeout_seconds, c.input_bytes, p.slot, p.cell_slot,
           case when c.has_gate then ${ranks.newAtGate} when p.n is null then ${ranks.new} end as rank
      from chosen c left join pairs p on p.n = c.n and not c.has_gate
  ), head as (
    insert into run_heads (run_id, org_id, agent_id, status, slot, cell_slot, rank, created_at, progress_at, deadline_at, stored_bytes)
    select id, :org, agent_id, 'queued', slot, cell_slot, rank, app_now(), app_now(),
           app_now() + make_interval(secs => timeout_seconds), input_bytes from placed
  ), own_taken as (
    update org_slots s set run_id = placed.id from placed where s.org_id = :org and s.number = placed.slot
  ), cell_taken as (
    update cell_slots s set run_id = placed.id from placed where s.number = placed.cell_slot
  ${labels}), first_event as (
    insert into run_events (run_id, seq, org_id, type) select id, 1, :org, 'run.created' from chosen
  ), ordered as (
    insert into outbox (run_id, epoch, segment, org_id, step, due_at)
    select id, 1, 1, :org, 1, app_now() + make_interval(secs => :relayAfterMs::double precision / 1000)
      from placed where slot is not null

  -- Each accepted run increments its quota shard. If the shard is exhausted, there is no row here, and refuse_calls()
  -- raises, so that the whole statement is rolled back.
  ), counted as (
    insert into call_counts as c (org_id, month, slot, calls)
    select :org, ${thisMonth}, :quotaShard, count(*) from chosen having count(*) between 1 and (select calls from allowed)
    on conflict (org_id, month, slot) do update set calls = c.calls + excluded.calls
      where c.calls + excluded.calls <= (select calls from allowed)
    returning slot
  )
  select run.id, run.created_at, run.agent_version, run.deployment_id, placed.slot is not null as started, null as refusal
    from run join placed on placed.id = run.id
   where case when exists (select from counted) then true else refuse_calls() end
  union all
  select id, null, null, null, false, coalesce(refusal, 'key_taken') from asked where id not in (select id from chosen)`

export const acceptUnlabelledRuns = statement<AcceptParameters, AcceptRow>('runs.accept', acceptText(''))

/** Most runs have no metadata, and their statement does without the table of labels. */
export const acceptLabelledRuns = statement<AcceptParameters, AcceptRow>(
  'runs.accept_labelled',
  acceptText(sql`), labels as (
    insert into run_labels (org_id, key, value, run_id)
    select :org, l.key, l.value, c.id from chosen c cross join jsonb_each_text(c.metadata) l
  `),
)
