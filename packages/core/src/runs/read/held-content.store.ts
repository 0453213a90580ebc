import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { HeldBy } from '../../steps/index.ts'

/** `sealed` is null at the stage `input`: a run shows its input in any case. */
export type HeldContentRow = { id: string; policy: HeldBy; sealed: Buffer | null; input: unknown }

/** What a policy holds back while the run waits: of this action, or of the oldest open one. Null: nothing. */
export const findHeldContent = async (
  db: Database,
  org: string,
  { run, action }: { run: string; action: string | null },
): Promise<HeldContentRow | null> => {
  const [row] = await db.once(org, find({ org, runId: run, actionId: action }))
  return row ?? null
}

const find = statement<{ org: Uuid; runId: Uuid; actionId: Uuid | null }, HeldContentRow>(
  'runs.find_held_content',
  sql`select a.id, a.policy, a.held as sealed, case when a.held is null then r.input end as input
        from run_heads h
        join runs r on r.org_id = :org and r.id = h.run_id
        join run_actions a on a.org_id = :org and a.run_id = h.run_id
       where h.org_id = :org and h.run_id = :runId and h.status = 'requires_action' and a.resolution is null
         and (a.held is not null or a.policy ->> 'stage' = 'input') and (:actionId::uuid is null or a.id = :actionId)
       order by a.id limit 1`,
)
