import type { Database } from '@ars/platform/db/database'
import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { Finding } from '../../guardrails/index.ts'
import { toEventData } from '../run/guarded-run.ts'
import type { ClaimedStep } from './step-row.ts'

/** Stores what policies found in a step, each once. Null: the attempt no longer holds the step. */
export const storeFindings = async (
  db: Database,
  org: string,
  { segment, step, attempt, claimId }: ClaimedStep,
  findings: readonly Finding[],
): Promise<{ seq: number } | null> => {
  const rows = [...new Set(findings.map((finding) => JSON.stringify(toEventData(finding, step))))]
  const [row] = await db.once(
    org,
    store({ org, runId: segment.run, epoch: segment.epoch, attempt, claimId, step, findings: `[${rows.join(',')}]` }),
  )
  return row ?? null
}

// A step that is executed again finds the same, so what is stored already is left out.
const store = statement<
  { org: Uuid; runId: Uuid; epoch: number; attempt: number; claimId: Uuid; step: number; findings: Json },
  { seq: number }
>(
  'runs.store_findings',
  sql`with fresh as (
    select f.data, row_number() over (order by f.n)::integer as n
      from json_array_elements(:findings::json) with ordinality as f (data, n)
     where not exists (
       select from run_events e
        where e.org_id = :org and e.run_id = :runId and e.type = 'run.guardrail' and e.data::jsonb = f.data::jsonb)
  ), head as (
    update run_heads set seq = seq + (select count(*) from fresh)::integer
     where org_id = :org and run_id = :runId and epoch = :epoch and attempt = :attempt and claim_id = :claimId
       and step = :step::integer - 1 and status = 'running'
    returning seq
  ), event as (
    insert into run_events (run_id, seq, org_id, type, data)
    select :runId, head.seq - (select count(*) from fresh)::integer + fresh.n, :org, 'run.guardrail', fresh.data from head cross join fresh
  )
  select seq from head`,
)
