import type { Database } from '@ars/platform/db/database'
import { type Fitting, fittingPage, isCut } from '@ars/platform/db/fitting-page'
import { preferIndexes } from '@ars/platform/db/plan'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { idBounds } from '@ars/platform/id-range'
import type { PastPage, PastRange, PastRun } from '../../guardrails/index.ts'
import { contentsOf, type PastRunRow, type SentRow, type TakenRow } from './past-run.ts'

/** Runs that have ended, oldest first, with everything that policies judge. A page ends early by bytes. */
export const listPastRuns = async (
  db: Database,
  org: string,
  { sample, ...page }: PastPage,
): Promise<{ runs: PastRun[]; next: string | null }> => {
  const asked = { org, ...page, of: sample?.of ?? 1, take: sample?.take ?? 1 }
  const [, rows] = await db.batch(org, [preferIndexes(), listRuns(asked)])
  const next = rows.length === page.maxRuns || isCut(rows) ? (rows.at(-1)?.id ?? null) : null
  const ended = rows.filter(({ is_ended }) => is_ended)
  const ids = ended.flatMap(({ id, erased_at }) => (erased_at === null ? [id] : []))
  const within = { org, ids, ...idBounds(ids) }
  const [, steps, sent] =
    ids.length === 0 ? [[], [], []] : await db.batch(org, [preferIndexes(), listSteps(within), listSent(within)])
  const [stepsOf, sentOf] = [byRun(steps), byRun(sent)]
  return {
    next,
    runs: ended.map((row) => ({
      id: row.id,
      agentId: row.agent_id,
      agentVersion: row.agent_version,
      keyId: row.key_id,
      createdAt: row.created_at,
      isErased: row.erased_at !== null,
      isRedacted: row.is_redacted,
      contents: row.erased_at === null ? contentsOf(row, stepsOf.get(row.id) ?? [], sentOf.get(row.id) ?? []) : [],
    })),
  }
}

/** Ended or not. */
export const countPastRuns = async (db: Database, org: string, range: PastRange): Promise<number> => {
  const [, rows] = await db.batch(org, [preferIndexes(), countRuns({ org, ...range })])
  return rows[0]?.runs ?? 0
}

const byRun = <Row extends { run_id: string }>(rows: readonly Row[]): Map<string, Row[]> => {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(row.run_id)
    if (group) group.push(row)
    else groups.set(row.run_id, [row])
  }
  return groups
}

const isInRange = (column: string): string => `${column} > :after and ${column} < :before`
const ofAgent = sql`(:agentId::uuid is null or r.agent_id = :agentId)`

const columns =
  'id, agent_id, agent_version, key_id, created_at, erased_at, is_redacted, is_ended, input, metadata, output, error'

// The hash makes the sample the same every time.
const listRuns = statement<
  {
    org: Uuid
    after: Uuid
    before: Uuid
    agentId: Uuid | null
    of: number
    take: number
    maxRuns: number
    maxBytes: number
  },
  Fitting<PastRunRow>
>(
  'runs.list_past',
  fittingPage(
    `select r.id, r.agent_id, r.agent_version, r.key_id, r.created_at, r.erased_at, r.input, r.metadata,
            e.run_id is not null as is_ended, e.output, e.error,
            (select true from run_redactions d where d.org_id = :org and d.run_id = r.id and ${isInRange('d.run_id')} limit 1)
              is not null as is_redacted,
            case when r.erased_at is null then coalesce(e.stored_bytes, 65536) + coalesce(e.output_bytes, 0) else 0 end as bytes
       from (
         select r.id, r.agent_id, r.agent_version, r.created_at, r.erased_at, r.input, r.metadata,
                coalesce(r.policy_key_id, case when r.created_by_type = 'key' then r.created_by end) as key_id
           from runs r
          where r.org_id = :org and ${isInRange('r.id')} and ${ofAgent}
            and (:of::bigint <= :take::bigint or (hashtextextended(r.id::text, 0) & 9223372036854775807) % :of < :take)
          order by r.id limit :maxRuns
       ) r left join lateral (
         select e.run_id, e.output, e.error, e.stored_bytes, e.output_bytes from run_results e
          where e.org_id = :org and e.run_id = r.id and ${isInRange('e.run_id')} limit 1
       ) e on true`,
    { inner: columns, order: 'id' },
  ),
)

const countRuns = statement<{ org: Uuid; after: Uuid; before: Uuid; agentId: Uuid | null }, { runs: number }>(
  'runs.count_past',
  sql`select count(*)::integer as runs from runs r where r.org_id = :org and ${isInRange('r.id')} and ${ofAgent}`,
)

type Within = { org: Uuid; ids: readonly Uuid[]; firstId: Uuid | null; lastId: Uuid | null }

const isAmong = sql`org_id = :org and run_id = any (:ids::uuid[]) and run_id between :firstId and :lastId`

const listSteps = statement<Within, TakenRow>(
  'runs.list_past_steps',
  sql`select run_id, step, kind, output, cost_usd from run_steps where ${isAmong} order by run_id, step`,
)

// What people have sent: their decisions and their messages.
const listSent = statement<Within, SentRow>(
  'runs.list_past_sent',
  sql`select run_id, payload, comment, resolved_at as sent_at from run_actions
       where ${isAmong} and resolution is not null and (payload is not null or comment is not null)
      union all
      select run_id, json_build_object('message', message), null, created_at from run_messages where ${isAmong}
      order by run_id, sent_at`,
)
