import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { concurrencyOfAgent } from '../queue/gate.store.ts'
import { firstGateRank } from '../queue/queue.ts'
import type { RunFacts } from './diagnosis.ts'

/** The facts that explain the state of a run. Null: there is no such run. */
export const findFacts = async (db: Database, org: string, run: string): Promise<RunFacts | null> => {
  const [row] = await db.once(org, facts({ org, runId: run }))
  return row ?? null
}

const facts = statement<{ org: Uuid; runId: Uuid }, RunFacts>(
  'runs.facts',
  sql`select r.id, coalesce(e.status, h.status) as status, h.rank is not null as queues, h.attempt, h.claims, h.step,
          h.progress_at, h.deadline_at, h.waiting_since, h.note,
          case when h.retry_at > app_now() then h.retry_at end as retry_at, h.created_at, e.finished_at,
          exists (select from outbox o where o.org_id = :org and o.run_id = r.id) as ordered,
          case when h.rank >= ${firstGateRank} then (
            select count(*)::integer + 1 from run_heads w
             where w.org_id = :org and w.agent_id = h.agent_id and w.rank >= ${firstGateRank}
               and (w.rank, w.run_id) < (h.rank, h.run_id))
          when h.rank is not null then (
            select count(*)::integer + 1 from run_heads w
             where w.org_id = :org and w.rank < ${firstGateRank} and (w.rank, w.run_id) < (h.rank, h.run_id)) end as position,
          case when h.rank >= ${firstGateRank} then array(
            select w.run_id from run_heads w where w.org_id = :org and w.agent_id = h.agent_id and w.has_place
             order by w.run_id limit 10)
          when h.rank is not null then array(
            select s.run_id from org_slots s where s.org_id = :org and s.run_id is not null order by s.run_id limit 10
          ) else '{}' end as holders,
          case when h.rank >= ${firstGateRank} then ${concurrencyOfAgent} end as agent_allows,
          (select count(*)::integer from org_slots s where s.org_id = :org and s.run_id is not null) as used,
          (select concurrent_runs from organisations where id = :org) as allowed,
          array(select a.id from run_actions a
                 where a.org_id = :org and a.run_id = r.id and a.resolution is null and h.status = 'requires_action'
                 order by a.id) as actions
     from runs r
     left join run_heads h on h.run_id = r.id
     left join run_results e on e.run_id = r.id
    where r.org_id = :org and r.id = :runId`,
)
