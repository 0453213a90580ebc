import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { lowestId } from '@ars/platform/id-range'
import type { SealedPlace } from '../../secrets/index.ts'
import { heldRecord } from './guarded-run.ts'

/** The content that policies hold back in active runs, for the rotation of data keys. A run that has ended opens it no more. */
export const heldSecrets: SealedPlace = {
  name: 'run_actions.held',
  list: async (db, org, { dataKeyId, after, limit }) =>
    (await db.once(org, list({ org, dataKeyId, ...toKey(after), limit }))).map(({ run_id, id, held }) => ({
      key: `${run_id}/${id}`,
      sealed: held,
      record: heldRecord(run_id, id),
    })),
  replace: async (db, org, { key, from, to }) =>
    (await db.once(org, replace({ org, ...toKey(key), from, to }))).length === 1,
}

const toKey = (key: string | null): { runId: Uuid; actionId: Uuid } => {
  const [runId = lowestId, actionId = lowestId] = key?.split('/') ?? []
  return { runId, actionId }
}

const list = statement<
  { org: Uuid; dataKeyId: Buffer; runId: Uuid; actionId: Uuid; limit: number },
  { run_id: Uuid; id: Uuid; held: Buffer }
>(
  'runs.list_sealed_held',
  sql`select a.run_id, a.id, a.held from run_heads h join run_actions a on a.org_id = :org and a.run_id = h.run_id
       -- The condition on the time, which is always true, selects the index run_heads_by_org.
       where h.org_id = :org and h.created_at > '-infinity' and h.run_id >= :runId
         and substr(a.held, 2, 8) <> :dataKeyId and (a.run_id, a.id) > (:runId, :actionId)
       order by a.run_id, a.id limit :limit`,
)

const replace = statement<{ org: Uuid; runId: Uuid; actionId: Uuid; from: Buffer; to: Buffer }, { id: Uuid }>(
  'runs.replace_sealed_held',
  sql`update run_actions set held = :to where org_id = :org and run_id = :runId and id = :actionId and held = :from returning id`,
)
