import type { Database } from '@ars/platform/db/database'
import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'

export type Delta = {
  run: string
  epoch: number
  attempt: number
  claimId: string
  /** The last number of the feed that the writer expects; null: any number. */
  seq: number | null
  data: { step: number; delta: string }
}

/** A run may occur once. Null: not stored; `findWritten` says where the feed is, and whether the attempt is over. */
export const storeDeltas = async (
  db: Database,
  org: string,
  deltas: readonly Delta[],
): Promise<({ seq: number; created_at: Date } | null)[]> => {
  const rows = await db.once(
    org,
    store({
      org,
      runIds: deltas.map(({ run }) => run),
      epochs: deltas.map(({ epoch }) => epoch),
      attempts: deltas.map(({ attempt }) => attempt),
      claimIds: deltas.map(({ claimId }) => claimId),
      seqs: deltas.map(({ seq }) => seq),
      data: deltas.map(({ data }) => JSON.stringify(data)),
    }),
  )
  const kept = new Map(rows.map((row) => [row.run_id, row]))
  return deltas.map(({ run }) => kept.get(run) ?? null)
}

export type Written = { head: number; delta: { seq: number; created_at: Date } | null }

/**
 * The last number of the feed of an attempt, and its first delta after the number `after`, or after the start of the step
 * if `after` is null. Null: the attempt is over.
 */
export const findWritten = async (
  db: Database,
  org: string,
  at: Pick<Delta, 'run' | 'epoch' | 'attempt' | 'claimId'> & { after: number | null },
): Promise<Written | null> => {
  const { run, epoch, attempt, claimId, after } = at
  const [row] = await db.once(org, written({ org, runId: run, epoch, attempt, claimId, after }))
  if (!row) return null
  const { head, seq, created_at } = row
  return { head, delta: seq !== null && created_at !== null ? { seq, created_at } : null }
}

// Deltas are sent as an array of texts and converted to json here. Inside a json document Postgres would decode their
// escapes, and reject those of characters that it cannot store as text. The array of ids serves the index and the
// partitions.
const store = statement<
  {
    org: Uuid
    runIds: readonly Uuid[]
    epochs: readonly number[]
    attempts: readonly number[]
    claimIds: readonly Uuid[]
    seqs: readonly (number | null)[]
    data: readonly Json[]
  },
  { run_id: string; seq: number; created_at: Date }
>(
  'deltas.store',
  sql`with head as (
    update run_heads h
       set seq = h.seq + 1, progress_at = app_now()
      from unnest(:runIds::uuid[], :epochs::integer[], :attempts::integer[], :claimIds::uuid[], :seqs::integer[], :data::text[])
             as n (run_id, epoch, attempt, claim_id, seq, data)
     where h.run_id = any (:runIds::uuid[]) and h.org_id = :org and h.run_id = n.run_id and h.epoch = n.epoch
       and h.attempt = n.attempt and h.claim_id = n.claim_id and h.status = 'running' and (n.seq is null or h.seq = n.seq)
    returning h.run_id, h.seq, n.data
  ), delta as (
    insert into run_deltas (run_id, seq, org_id, data) select run_id, seq, :org, data::json from head
  )
  select run_id, seq, app_now() as created_at from head`,
)

// A delta in doubt was sent a moment ago. Partitions of deltas are days of writing: these bounds name the ones to open.
const recentDeltas = `created_at > app_now() - interval '1 day' and created_at < app_now() + interval '1 day'`

type WrittenRow = { head: number; seq: number | null; created_at: Date | null }

const written = statement<
  { org: Uuid; runId: Uuid; epoch: number; attempt: number; claimId: Uuid; after: number | null },
  WrittenRow
>(
  'deltas.written',
  sql`select h.seq as head, d.seq, d.created_at
     from run_heads h
     left join lateral (
       select seq, created_at from run_deltas
        where org_id = :org and run_id = :runId and ${recentDeltas} and seq > coalesce(:after::integer, (
          select max(e.seq) from run_events e
           where e.org_id = :org and e.run_id = :runId and e.type in ('run.step.started', 'run.output.reset')), 0)
        order by seq limit 1
     ) d on true
    where h.org_id = :org and h.run_id = :runId and h.epoch = :epoch and h.attempt = :attempt
      and h.claim_id = :claimId and h.status = 'running'`,
)
