export { claimItems, itemFields } from './claimed-item.sql.ts'

import type { Database, Tx } from '@ars/platform/db/database'
import { type NoParameters, sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { ClaimedItem } from '@ars/platform/work/queue'
import type { Creator } from '../../ctx.ts'
import type { TextAuthor } from '../../guardrails/index.ts'
import { workRows } from '../../work-rows.store.ts'
import { pipelinesBounds } from '../bounds.ts'
import type { PipelineDefinition } from '../definition.ts'
import type { PipelineRunState } from '../pipeline-state.ts'

/** A pipeline run that this worker may advance until its lease ends. */
export type ClaimedHead = Pick<ClaimedItem, 'org' | 'id' | 'claim'>

type Fence = Pick<ClaimedHead, 'id' | 'claim'>

export const pipelineWork = workRows('pipeline_heads', { name: 'pipeline_runs', key: 'pipeline_run_id' })

/** What does not change while a pipeline run moves. */
export type PipelineRunFacts = {
  definition: PipelineDefinition
  /** JSON. */
  input: string
  /** Bytes of its lists and questions so far. */
  storedBytes: number
  creator: Creator
  owner: string | null
  /** Whose policies judge its texts. */
  author: TextAuthor
}

/** A pipeline run is looked at after this time, even if nothing woke it. */
export const maxSleepSeconds = pipelinesBounds.sleep.seconds

// crosses organisations: workers advance the pipeline runs of all of them.
export const readPipelineGauges = async (db: Database): Promise<{ lagSeconds: number; active: number }> => {
  const [row] = await db.once(null, gauges())
  return { lagSeconds: row?.lag_seconds ?? 0, active: row?.active ?? 0 }
}

/** Null: the pipeline run is no longer kept. */
export const findPipelineRunFacts = async (db: Database, org: string, id: string): Promise<PipelineRunFacts | null> => {
  const [row] = await db.once(org, facts({ org, id }))
  if (!row) return null
  const { definition, input, stored_bytes, created_by, created_by_type, owner_id, policy_set_id, policy_key_id } = row
  return {
    definition,
    input,
    storedBytes: Number(stored_bytes),
    creator: { type: created_by_type, id: created_by },
    owner: owner_id,
    author: { org, key: policy_key_id, policySetId: policy_set_id },
  }
}

export type LockedPipelineHead = { state: PipelineRunState; now: Date }

/** Null: another worker has it, or it has ended. The row is locked until the commit. */
export const lockPipelineHead = async (
  tx: Tx,
  org: string,
  { id, claim }: Fence,
): Promise<LockedPipelineHead | null> => {
  const [row] = await tx.query(lock({ org, id, claim }))
  if (!row) return null
  const { status, deadline_at, runs, failed_step, failure_code, now } = row
  const failure = failure_code === null ? null : { step: failed_step, code: failure_code }
  return { state: { status, deadlineAt: deadline_at, runs, failure }, now }
}

/** For a pipeline run that is no longer kept. */
export const dropHead = async (db: Database, org: string, { id, claim }: Fence): Promise<void> => {
  await db.once(org, drop({ org, id, claim }))
}

const gauges = statement<NoParameters, { lag_seconds: number; active: number }>(
  'pipelines.gauges',
  sql`select coalesce(greatest(extract(epoch from app_now() - min(due_at)), 0), 0)::double precision as lag_seconds,
             count(*)::integer as active from pipeline_heads`,
)

type FactsRow = {
  definition: PipelineDefinition
  input: string
  stored_bytes: string
  created_by: string
  created_by_type: 'key' | 'user'
  owner_id: string | null
  policy_set_id: string | null
  policy_key_id: string | null
}

const facts = statement<{ org: Uuid; id: Uuid }, FactsRow>(
  'pipelines.run_facts',
  sql`select v.definition, r.input::text as input,
             -- The input is counted when the pipeline run is written, lists and questions when they are.
             greatest(r.stored_bytes - octet_length(r.input::text), 0) as stored_bytes, r.created_by, r.created_by_type, r.owner_id,
             o.policy_set_id, coalesce(k.bucket_id, k.id) as policy_key_id
        from pipeline_runs r
        join organisations o on o.id = r.org_id
        left join api_keys k on k.org_id = :org and k.id = r.created_by and r.created_by_type = 'key'
        join pipeline_versions v on v.org_id = r.org_id and v.pipeline_id = r.pipeline_id and v.version = r.pipeline_version
       where r.org_id = :org and r.id = :id`,
)

type One = { org: Uuid; id: Uuid; claim: string }

type HeadRow = {
  status: PipelineRunState['status']
  deadline_at: Date
  runs: number
  failed_step: string | null
  failure_code: string | null
  now: Date
}

const lock = statement<One, HeadRow>(
  'pipelines.lock_head',
  sql`select status, deadline_at, runs, failed_step, failure_code, app_now() as now from pipeline_heads
       where org_id = :org and pipeline_run_id = :id and claim = :claim for update`,
)

const drop = statement<One>(
  'pipelines.drop_head',
  sql`delete from pipeline_heads where org_id = :org and pipeline_run_id = :id and claim = :claim`,
)
