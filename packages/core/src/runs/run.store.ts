import { limits } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import { thisMonth } from './call.store.ts'
import { shareOf, slotOf } from './call.ts'
import { firstGateRank, ranks, sharesOf } from './queue.ts'
import type { Release } from './release.ts'
import type { Run } from './run.ts'
import { selectRun } from './run-row.store.ts'
import { type RunRow, toRun } from './run-row.ts'

export type NewRun = {
  id: string
  agentId: string
  input: unknown
  metadata: Record<string, string>
  /** Null: the agent's own, or the default. */
  timeoutSeconds: number | null
  /** What the key allows at the most; undefined: what the organisation allows. */
  timeoutMostSeconds?: number | undefined
  /** Of 10,000: which side of a canary release it falls on, see `bucketOf`. */
  bucket: number
  /** The version of the agent whose input schema the input was held against and fits; null: none was. */
  checkedVersion: number | null
  idempotency: { key: string; fingerprint: Buffer } | undefined
}

/** `started`: it has its slots and an order to the engine; otherwise it waits in the queue. */
export type Accepted = { created_at: Date; agent_version: number; deployment_id: string | null; started: boolean }

/**
 * Accepts runs: for each the key's claim, the call, the run, its first event, its slots if there are any free, and
 * the order to the engine, all in one transaction and one round trip. Here a run gets its version, and it keeps it.
 * Null: that run's key is taken, there is no such active agent, its input must be held against the schema of that
 * version first, or it asks for more time than it may have; the caller looks which. 'full': too many of this
 * organisation wait already. No two may carry the same key. Rejects with the code `slotFullCode`, and does nothing, when
 * the slot of the counter has not so many calls left.
 */
export const acceptRuns = async (
  db: Database,
  org: string,
  runs: readonly NewRun[],
  {
    relayAfterMs,
    cellSlots,
    callSlot = slotOf(runs[0]?.id ?? '00'),
  }: { relayAfterMs: number; cellSlots: number; callSlot?: number },
): Promise<(Accepted | 'full' | null)[]> => {
  const asked = runs.map((run) => ({
    id: run.id,
    agent_id: run.agentId,
    input: run.input,
    metadata: run.metadata,
    timeout_seconds: run.timeoutSeconds,
    timeout_most: run.timeoutMostSeconds,
    bucket: run.bucket,
    checked_version: run.checkedVersion,
    key: run.idempotency?.key,
    fingerprint: run.idempotency?.fingerprint.toString('hex'),
  }))
  const cell = sharesOf(cellSlots)
  const statementOf = runs.some(({ metadata }) => Object.keys(metadata).length > 0) ? acceptLabelled : accept
  const rows = await db.once<Accepted & { id: string; refused: boolean }>(
    org,
    statementOf(
      org,
      JSON.stringify(asked),
      limits.runTimeoutDefaultSeconds,
      callSlot,
      relayAfterMs,
      asked.length,
      cell.all,
      limits.queuedPerSlot,
      cell.common,
      cell.light,
      [...new Set(runs.map(({ agentId }) => agentId))],
    ),
  )
  const accepted = new Map(rows.map(({ id, refused, ...row }) => [id, refused ? ('full' as const) : row]))
  return runs.map(({ id }) => accepted.get(id) ?? null)
}

/** What is out of an agent, and what its side with this bucket takes. Null: there is no such agent. */
export const findRelease = async (
  db: Database,
  org: string,
  { agentId, bucket }: { agentId: string; bucket: number },
): Promise<Release | null> => {
  const [row] = await db.once<Release>(org, findSide(org, agentId, bucket))
  return row ?? null
}

/** How long a run of the organisation may take at the most. */
export const findTimeoutMost = async (db: Database, org: string): Promise<number> => {
  const [row] = await db.once<{ run_timeout_max_seconds: number }>(org, findTimeout(org))
  return row?.run_timeout_max_seconds ?? 0
}

/** Which agent a run is of. Null: there is no such run. */
export const findAgentOfRun = async (db: Database, org: string, id: string): Promise<string | null> => {
  const [row] = await db.once<{ agent_id: string }>(org, findAgent(org, id))
  return row?.agent_id ?? null
}

export const findRun = async (db: Database, org: string, id: string): Promise<Run | null> => {
  const [row] = await db.once<RunRow>(org, find(org, id))
  return row ? toRun(row) : null
}

/** The code of the error that `refuse_calls()` raises. */
export const slotFullCode = 'ARQ01'

// What is out of an agent. The row of one that never had a deployment is itself what runs.
const releaseColumns = `coalesce(a.live_version, a.version) as live_version, a.live_deployment_id, a.canary_version,
               a.canary_deployment_id, a.canary_percent`

// Which buckets fall on which version; `versionAt` says the same. Without a canary its row has no version.
const sidesOfA = `values (a.canary_version, a.canary_deployment_id, 0, a.canary_percent * 100),
               (a.live_version, a.live_deployment_id, coalesce(a.canary_percent, 0) * 100, 10000)`

// The agent is read in the same statement, so that one archived in this very moment takes no run, and none gets a version
// that was rolled back before. The agents come a second time as an array, each once, and are looked up one by one
// (`limit`): the planner, which expects many, would otherwise read all of the organisation and all that they ever were. Each part hangs on
// the one before: no agent, no claim; no claim, no run. Keys are claimed in order, so that two batches cannot wait for
// each other. Slots are taken in pairs, whichever come first, one of the organisation and one of the cell; whoever finds none waits in
// the queue. Nobody passes by those who wait there already, but for organisations that have little under way: some places
// of the cell are kept for them. A run whose agent has a limit of its own waits at the agent's gate, though slots are free. Who
// has a run is counted; when the slot has not so many calls left, all of it is taken back.
const acceptText = (labels: string): string =>
  `with allowed as (
    select concurrent_runs, run_timeout_max_seconds, ${shareOf('$4::smallint')} as calls
      from organisations where id = $1
  ), own_slots as (
    select number, row_number() over () as n from (
      select s.number from org_slots s
       where s.org_id = $1 and s.run_id is null and s.number <= (select concurrent_runs from allowed)
         and not exists (select from run_heads where org_id = $1 and rank < ${firstGateRank})
       limit $6 for update skip locked) free
  ), common_places as (
    select number from cell_slots
     where run_id is null and number <= $9 and not (select contended from cell)
     limit $6 for update skip locked
  ), kept_places as (
    select number from cell_slots
     where run_id is null and number > $9 and number <= $7 and (select count(*) from common_places) < $6
     limit greatest(0, $10 - (select count(*) from org_slots where org_id = $1 and run_id is not null)
                       - (select count(*) from common_places))
       for update skip locked
  ), cell_places as (
    select number, row_number() over () as n
      from (select number from common_places union all select number from kept_places) free
  ), pairs as (
    select o.n, o.number as slot, c.number as cell_slot from own_slots o join cell_places c on c.n = o.n
  ), queue_room as (
    select (select $8 * concurrent_runs from allowed)
           - (select count(*) from (select from run_heads where org_id = $1 and rank is not null
                limit (select $8 * concurrent_runs from allowed)) waiting) as runs
  ), room as (
    select case when (select count(*) from pairs) >= $6 then $6
                else (select count(*) from pairs) + (select runs from queue_room) end as runs
  ), sides as materialized (
    select a.id as agent_id, a.is_watched, s.version, s.deployment_id, s.first_bucket, s.end_bucket, v.limits,
           v.input_schema is null as takes_any_input,
           bool_or(v.limits ->> 'max_concurrent_runs' is not null) over (partition by a.id) as has_gate
      from unnest($11::uuid[]) as wanted (id)
      cross join lateral (
        select a.id, a.canary_version is not null as is_watched, ${releaseColumns}
          from agents a where a.org_id = $1 and a.id = wanted.id and a.status = 'active' limit 1
      ) a
      cross join lateral (${sidesOfA}) as s (version, deployment_id, first_bucket, end_bucket)
      cross join lateral (
        select v.limits, v.input_schema from agent_versions v
         where v.org_id = $1 and v.agent_id = a.id and v.version = s.version limit 1
      ) v
  ), asked as (
    select n.id, n.agent_id, n.input, n.metadata, n.key, n.fingerprint, s.version, s.deployment_id, s.is_watched, s.has_gate,
           coalesce(n.timeout_seconds, least(coalesce((s.limits ->> 'timeout_seconds')::integer, $3::integer),
             o.run_timeout_max_seconds, n.timeout_most)) as timeout_seconds,
           row_number() over (partition by s.has_gate order by n.id)
             <= case when s.has_gate then (select runs from queue_room) else (select runs from room) end as fits
      from json_to_recordset($2::json) as n (id uuid, agent_id uuid, input json, metadata jsonb, timeout_seconds integer,
             timeout_most integer, bucket integer, checked_version integer, key text, fingerprint text)
      join allowed o on n.timeout_seconds is null or n.timeout_seconds <= least(o.run_timeout_max_seconds, n.timeout_most)
      join sides s on s.agent_id = n.agent_id and n.bucket >= s.first_bucket and n.bucket < s.end_bucket
       and (s.takes_any_input or s.version = n.checked_version)
  ), claim as (
    insert into idempotency_keys as k (org_id, thing, key, fingerprint, subject_id, expires_at)
    select $1, 'run', key, decode(fingerprint, 'hex'), id, app_now() + interval '24 hours'
      from asked where fits and key is not null order by key
    on conflict (org_id, thing, key) do update
      set fingerprint = excluded.fingerprint, subject_id = excluded.subject_id, expires_at = excluded.expires_at
      where k.expires_at <= app_now()
    returning subject_id
  ), chosen as (
    select id, agent_id, version, deployment_id, is_watched, has_gate, input, metadata, timeout_seconds,
           row_number() over (partition by has_gate order by id) as n
      from asked where fits and (key is null or id in (select subject_id from claim))
  ), run as (
    insert into runs (id, org_id, agent_id, agent_version, deployment_id, is_watched, input, metadata, timeout_seconds)
    select id, $1, agent_id, version, deployment_id, is_watched, input, metadata, timeout_seconds from chosen
    returning id, created_at, agent_version, deployment_id
  ), placed as (
    select c.id, c.agent_id, c.timeout_seconds, p.slot, p.cell_slot,
           case when c.has_gate then ${ranks.newAtGate} when p.n is null then ${ranks.new} end as rank
      from chosen c left join pairs p on p.n = c.n and not c.has_gate
  ), head as (
    insert into run_heads (run_id, org_id, agent_id, status, slot, cell_slot, rank, created_at, progress_at, deadline_at)
    select id, $1, agent_id, 'queued', slot, cell_slot, rank, app_now(), app_now(),
           app_now() + make_interval(secs => timeout_seconds) from placed
  ), own_taken as (
    update org_slots s set run_id = placed.id from placed where s.org_id = $1 and s.number = placed.slot
  ), cell_taken as (
    update cell_slots s set run_id = placed.id from placed where s.number = placed.cell_slot
  ${labels}), first_event as (
    insert into run_events (run_id, seq, org_id, type) select id, 1, $1, 'run.created' from chosen
  ), told as (
    insert into outbox (run_id, epoch, segment, org_id, step, due_at)
    select id, 1, 1, $1, 1, app_now() + make_interval(secs => $5::double precision / 1000)
      from placed where slot is not null
  ), counted as (
    insert into call_counts as c (org_id, month, slot, calls)
    select $1, ${thisMonth}, $4, count(*) from chosen having count(*) between 1 and (select calls from allowed)
    on conflict (org_id, month, slot) do update set calls = c.calls + excluded.calls
      where c.calls + excluded.calls <= (select calls from allowed)
    returning slot
  )
  select run.id, run.created_at, run.agent_version, run.deployment_id, placed.slot is not null as started, false as refused
    from run join placed on placed.id = run.id
   where case when exists (select from counted) then true else refuse_calls() end
  union all
  select id, null, null, null, false, true from asked where not fits`

const accept = statement('runs.accept', acceptText(''))

// Most runs have no metadata, and their statement is spared the table of labels.
const acceptLabelled = statement(
  'runs.accept_labelled',
  acceptText(`), labels as (
    insert into run_labels (org_id, key, value, run_id)
    select $1, l.key, l.value, c.id from chosen c cross join jsonb_each_text(c.metadata) l
  `),
)

const find = statement('runs.find', selectRun)

const findSide = statement(
  'runs.find_release',
  `select a.status, a.live_version, a.canary_version, a.canary_percent, s.version, v.input_schema
     from (select a.id, a.status, ${releaseColumns} from agents a where a.org_id = $1 and a.id = $2) a
     cross join lateral (${sidesOfA}) as s (version, deployment_id, first_bucket, end_bucket)
     join agent_versions v on v.org_id = $1 and v.agent_id = a.id and v.version = s.version
    where s.first_bucket <= $3 and $3 < s.end_bucket`,
)

const findTimeout = statement(
  'runs.find_timeout_most',
  'select run_timeout_max_seconds from organisations where id = $1',
)

const findAgent = statement('runs.find_agent', 'select agent_id from runs where org_id = $1 and id = $2')
