import { type Database, statement } from '@ars/platform/db/database'
import type { Run } from './run.ts'

export type NewRun = {
  id: string
  agentId: string
  input: unknown
  metadata: Record<string, string>
  /** Null: the agent's own, or the default. */
  timeoutSeconds: number | null
  timeoutDefaultSeconds: number
  idempotency: { key: string; fingerprint: Buffer } | undefined
  /** Which slot of the call counter takes the call. */
  slot: number
  /** When the relay takes over from the gateway that accepts the run. */
  relayAfterMs: number
}

/**
 * Accepts a run: the key's claim, the call, the run, its first event and the order to the engine, in one transaction
 * and one round trip. Null: the key is taken, or there is no such active agent; the caller looks which.
 */
export const acceptRun = async (
  db: Database,
  org: string,
  run: NewRun,
): Promise<{ created_at: Date; agent_version: number } | null> => {
  const values = [
    org,
    run.id,
    run.agentId,
    JSON.stringify(run.input),
    run.metadata,
    run.timeoutSeconds,
    run.timeoutDefaultSeconds,
    run.slot,
    run.relayAfterMs,
  ]
  const [row] = await db.once<{ created_at: Date; agent_version: number }>(
    org,
    run.idempotency ? acceptWithKey(...values, run.idempotency.key, run.idempotency.fingerprint) : accept(...values),
  )
  return row ?? null
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

// The agent is read in the same statement, so that one archived in this very moment takes no run. Each part hangs on
// the one before: no agent, no claim; no claim, no run.
const acceptText = (claim: string, claimed: string): string => `
  with agent as (
    select version, coalesce($6::integer, (limits ->> 'timeout_seconds')::integer, $7::integer) as timeout_seconds
      from agents where org_id = $1 and id = $3 and status = 'active'
  ), ${claim} run as (
    insert into runs (id, org_id, agent_id, agent_version, input, metadata, timeout_seconds)
    select $2, $1, $3, version, $4, $5, timeout_seconds from ${claimed}
    returning created_at, agent_version, timeout_seconds
  ), head as (
    insert into run_heads (run_id, org_id, status, created_at, progress_at, deadline_at)
    select $2, $1, 'queued', created_at, created_at, created_at + make_interval(secs => timeout_seconds) from run
  ), first_event as (
    insert into run_events (run_id, seq, org_id, type) select $2, 1, $1, 'run.created' from run
  ), told as (
    insert into outbox (run_id, epoch, segment, org_id, step, due_at)
    select $2, 1, 1, $1, 1, created_at + make_interval(secs => $9::double precision / 1000) from run
  ), counted as (
    insert into call_counts as c (org_id, month, slot, calls)
    select $1, date_trunc('month', created_at at time zone 'utc')::date, $8, 1 from run
    on conflict (org_id, month, slot) do update set calls = c.calls + 1
  )
  select created_at, agent_version from run`

const accept = statement('runs.accept', acceptText('', 'agent'))

const acceptWithKey = statement(
  'runs.accept_with_key',
  acceptText(
    `claim as (
    insert into idempotency_keys as k (org_id, thing, key, fingerprint, subject_id, expires_at)
    select $1, 'run', $10, $11, $2, app_now() + interval '24 hours' from agent
    on conflict (org_id, thing, key) do update
      set fingerprint = excluded.fingerprint, subject_id = excluded.subject_id, expires_at = excluded.expires_at
      where k.expires_at <= app_now()
    returning 1
  ),`,
    'agent, claim',
  ),
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
