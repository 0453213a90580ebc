import { limits } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import type { Run } from './run.ts'

export type NewRun = {
  id: string
  agentId: string
  input: unknown
  metadata: Record<string, string>
  /** Null: the agent's own, or the default. */
  timeoutSeconds: number | null
  idempotency: { key: string; fingerprint: Buffer } | undefined
}

export type Accepted = { created_at: Date; agent_version: number }

/**
 * Accepts runs: for each the key's claim, the call, the run, its first event and the order to the engine, all in one
 * transaction and one round trip. Null: that run's key is taken, or there is no such active agent; the caller looks
 * which. No two may carry the same key.
 */
export const acceptRuns = async (
  db: Database,
  org: string,
  runs: readonly NewRun[],
  { relayAfterMs }: { relayAfterMs: number },
): Promise<(Accepted | null)[]> => {
  const asked = runs.map((run) => ({
    id: run.id,
    agent_id: run.agentId,
    input: run.input,
    metadata: run.metadata,
    timeout_seconds: run.timeoutSeconds,
    key: run.idempotency?.key,
    fingerprint: run.idempotency?.fingerprint.toString('hex'),
  }))
  // The last letters of an id are random: callers spread over the slots of the counter.
  const slot = Number.parseInt(runs[0]?.id.slice(-2) ?? '0', 16) % callSlots
  const rows = await db.once<Accepted & { id: string }>(
    org,
    accept(org, JSON.stringify(asked), limits.runTimeoutDefaultSeconds, slot, relayAfterMs),
  )
  const accepted = new Map(rows.map(({ id, ...row }) => [id, row]))
  return runs.map(({ id }) => accepted.get(id) ?? null)
}

/** Who holds an idempotency key that has not expired. */
export const findTwin = async (
  db: Database,
  org: string,
  key: string,
): Promise<{ subject_id: string; fingerprint: Buffer } | null> => {
  const [row] = await db.once<{ subject_id: string; fingerprint: Buffer }>(org, findKey(org, key))
  return row ?? null
}

export const findRun = async (db: Database, org: string, id: string): Promise<Run | null> => {
  const [row] = await db.once<Run & { input_tokens: string; output_tokens: string; cost_usd: string | null }>(
    org,
    find(org, id),
  )
  if (!row) return null
  return {
    ...row,
    input_tokens: Number(row.input_tokens),
    output_tokens: Number(row.output_tokens),
    cost_usd: row.cost_usd === null ? null : Number(row.cost_usd),
  }
}

const callSlots = 32

// The agent is read in the same statement, so that one archived in this very moment takes no run. Each part hangs on
// the one before: no agent, no claim; no claim, no run. Keys are claimed in order, so that two batches cannot wait for
// each other.
const accept = statement(
  'runs.accept',
  `with asked as (
    select n.id, n.agent_id, n.input, n.metadata, n.key, n.fingerprint, a.version,
           coalesce(n.timeout_seconds, (a.limits ->> 'timeout_seconds')::integer, $3::integer) as timeout_seconds
      from json_to_recordset($2::json) as n (id uuid, agent_id uuid, input json, metadata jsonb,
             timeout_seconds integer, key text, fingerprint text)
      join agents a on a.org_id = $1 and a.id = n.agent_id and a.status = 'active'
  ), claim as (
    insert into idempotency_keys as k (org_id, thing, key, fingerprint, subject_id, expires_at)
    select $1, 'run', key, decode(fingerprint, 'hex'), id, app_now() + interval '24 hours'
      from asked where key is not null order by key
    on conflict (org_id, thing, key) do update
      set fingerprint = excluded.fingerprint, subject_id = excluded.subject_id, expires_at = excluded.expires_at
      where k.expires_at <= app_now()
    returning subject_id
  ), run as (
    insert into runs (id, org_id, agent_id, agent_version, input, metadata, timeout_seconds)
    select id, $1, agent_id, version, input, metadata, timeout_seconds
      from asked where key is null or id in (select subject_id from claim)
    returning id, created_at, agent_version, timeout_seconds
  ), head as (
    insert into run_heads (run_id, org_id, status, created_at, progress_at, deadline_at)
    select id, $1, 'queued', created_at, created_at, created_at + make_interval(secs => timeout_seconds) from run
  ), first_event as (
    insert into run_events (run_id, seq, org_id, type) select id, 1, $1, 'run.created' from run
  ), told as (
    insert into outbox (run_id, epoch, segment, org_id, step, due_at)
    select id, 1, 1, $1, 1, created_at + make_interval(secs => $5::double precision / 1000) from run
  ), counted as (
    insert into call_counts as c (org_id, month, slot, calls)
    select $1, date_trunc('month', app_now() at time zone 'utc')::date, $4, count(*) from run having count(*) > 0
    on conflict (org_id, month, slot) do update set calls = c.calls + excluded.calls
  )
  select id, created_at, agent_version from run`,
)

const findKey = statement(
  'runs.find_key',
  `select subject_id, fingerprint from idempotency_keys
    where org_id = $1 and thing = 'run' and key = $2 and expires_at > app_now()`,
)

const find = statement(
  'runs.find',
  `select r.id, r.agent_id, r.agent_version, r.input, r.metadata, r.created_at,
          coalesce(e.status, h.status) as status, e.output, e.error,
          coalesce(e.input_tokens, h.input_tokens) as input_tokens,
          coalesce(e.output_tokens, h.output_tokens) as output_tokens, e.cost_usd,
          coalesce(e.started_at, h.started_at) as started_at, e.finished_at
     from runs r
     left join run_heads h on h.run_id = r.id
     left join run_results e on e.run_id = r.id
    where r.org_id = $1 and r.id = $2`,
)
