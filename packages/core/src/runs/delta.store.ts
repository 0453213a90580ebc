import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'

export type Delta = {
  run: string
  epoch: number
  attempt: number
  /** The number that the feed must still stand at; null: wherever it stands. */
  seq: number | null
  data: { step: number; delta: string }
}

/** Null: somebody took over, the run is being cancelled, or its feed no longer stands at `seq`. Each run once. */
export const storeDeltas = async (
  db: Database,
  org: string,
  deltas: readonly Delta[],
): Promise<({ seq: number; created_at: Date } | null)[]> => {
  const rows = await db.once<{ run_id: string; seq: number; created_at: Date }>(
    org,
    store(
      org,
      deltas.map(({ run }) => run),
      deltas.map(({ epoch }) => epoch),
      deltas.map(({ attempt }) => attempt),
      deltas.map(({ seq }) => seq),
      deltas.map(({ data }) => JSON.stringify(data)),
    ),
  )
  const kept = new Map(rows.map((row) => [row.run_id, row]))
  return deltas.map(({ run }) => kept.get(run) ?? null)
}

export type Written = { head: number; delta: { seq: number; created_at: Date } | null }

/**
 * Where the feed of an attempt stands, and its first delta after a number, or after the beginning of the step when it
 * has none yet. Null: the attempt is over.
 */
export const findWritten = async (
  db: Database,
  org: string,
  { run, epoch, attempt, after }: { run: string; epoch: number; attempt: number; after: number | null },
): Promise<Written | null> => {
  type Row = { head: number; seq: number | null; created_at: Date | null }
  const [row] = await db.once<Row>(org, written(org, run, epoch, attempt, after))
  if (!row) return null
  const { head, seq, created_at } = row
  return { head, delta: seq !== null && created_at !== null ? { seq, created_at } : null }
}

// Texts travel in an array and become json only here: inside a json document their escapes would be read on the way, and
// those of characters that a database cannot hold as text would be refused. The ids come a second time as an array, for
// the index and the partitions.
const store = statement(
  'deltas.store',
  `with head as (
    update run_heads h
       set seq = h.seq + 1, progress_at = app_now()
      from unnest($2::uuid[], $3::integer[], $4::integer[], $5::integer[], $6::text[]) as n (run_id, epoch, attempt, seq, data)
     where h.run_id = any ($2::uuid[]) and h.org_id = $1 and h.run_id = n.run_id and h.epoch = n.epoch
       and h.attempt = n.attempt and h.status = 'running' and (n.seq is null or h.seq = n.seq)
    returning h.run_id, h.seq, n.data
  ), kept as (
    insert into run_deltas (run_id, seq, org_id, data) select run_id, seq, $1, data::json from head
  )
  select run_id, seq, app_now() as created_at from head`,
)

const written = statement(
  'deltas.written',
  `select h.seq as head, d.seq, d.created_at
     from run_heads h
     left join lateral (
       select seq, created_at from run_deltas
        where org_id = $1 and run_id = $2 and seq > coalesce($5::integer, (
          select max(e.seq) from run_events e
           where e.org_id = $1 and e.run_id = $2 and e.type in ('run.step.started', 'run.output.reset')), 0)
        order by seq limit 1
     ) d on true
    where h.org_id = $1 and h.run_id = $2 and h.epoch = $3 and h.attempt = $4 and h.status = 'running'`,
)
