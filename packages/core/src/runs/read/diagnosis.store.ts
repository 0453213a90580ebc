import { plans } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { batchLine } from '../../batches/index.ts'
import type { Caller } from '../../ctx.ts'
import { runsBounds } from '../bounds.ts'
import type { RunFacts } from './diagnosis.ts'

/** The runs that a caller sees: all, those of some agents, those of an owner, or one. */
export type RunSight = Pick<Caller, 'agentIds' | 'runOwner' | 'runId'>

/** The facts that explain the state of a run. Of other runs they count and name those that the caller sees. Null: there is no such run. */
export const findFacts = async (
  db: Database,
  org: string,
  run: string,
  { agentIds, runOwner: owner, runId: only }: RunSight,
): Promise<RunFacts | null> => {
  const [row] = await db.once(org, facts({ org, runId: run, agentIds: agentIds && [...agentIds], owner, only }))
  return row ?? null
}

type Asked = { org: Uuid; runId: Uuid; agentIds: readonly Uuid[] | null; owner: Uuid | null; only: Uuid | null }

const isSeen = `(:agentIds::uuid[] is null or w.agent_id = any (:agentIds::uuid[])) and (:only::uuid is null or w.run_id = :only)
               and (:owner::uuid is null or exists (select from runs o where o.org_id = :org and o.id = w.run_id and o.owner_id = :owner))`

const facts = statement<Asked, RunFacts>(
  'runs.facts',
  sql`select r.id, coalesce(e.status, h.status) as status, h.waits_for is not null as queues, h.attempt, h.claims, h.step,
          h.progress_at, h.deadline_at, h.waiting_since, h.note,
          case when h.retry_at > app_now() then h.retry_at end as retry_at, h.created_at, e.finished_at,
          exists (select from outbox o where o.org_id = :org and o.run_id = r.id) as ordered,
          case when h.waits_for is not null then (
            select count(*)::integer + 1 from run_heads w
             where w.org_id = :org and w.waits_for = h.waits_for and w.created_at < 'infinity' and w.run_id < h.run_id
               and ${isSeen}) end as position,
          :agentIds::uuid[] is null and :owner::uuid is null and :only::uuid is null as sees_all,
          -- The runs that count against the same limit.
          case when h.waits_for is not null then array(
            select w.run_id from run_heads w
             where w.org_id = :org and w.is_admitted and h.waits_for in (w.org_id, w.agent_id, w.demo_key_id) and ${isSeen}
             order by w.run_id limit ${runsBounds.holdersTold.count}) else '{}' end as holders,
          case when h.waits_for = h.agent_id then concurrency_of_agent(:org, h.agent_id) end as agent_allows,
          coalesce(h.waits_for = '${batchLine}', false) as waits_in_batch_line,
          case when h.waits_for = h.demo_key_id then (
            select count(*) from run_heads w where w.org_id = :org and w.is_admitted and w.demo_key_id = h.demo_key_id
          ) >= ${plans.demo.concurrentRuns} else false end as is_demo_limit_used,
          (select count(*)::integer from run_heads w where w.org_id = :org and w.is_admitted) as used,
          (select concurrent_runs from organisations where id = :org) as allowed,
          array(select a.id from run_actions a
                 where a.org_id = :org and a.run_id = r.id and a.resolution is null and h.status = 'requires_action'
                 order by a.id) as actions
     from runs r
     left join run_heads h on h.run_id = r.id
     left join run_results e on e.run_id = r.id
    where r.org_id = :org and r.id = :runId`,
)
