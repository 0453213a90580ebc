import type { Tx } from '@ars/platform/db/database'
import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { SetEntry } from '../guard/policy-set.ts'
import type { InForceWeight } from './policy-set.ts'

/** The entries that are in force: one for each attachment of a policy that is neither archived nor ended. */
export const readInForce = async (tx: Tx, org: string): Promise<SetEntry[]> => {
  const rows = await tx.query(inForce({ org }))
  return rows.map(({ shadow_until, ...entry }) => ({
    policy_id: entry.policy_id,
    version: entry.version,
    mode: entry.mode,
    shadow_until: shadow_until?.toISOString() ?? null,
    subject_type: entry.subject_type,
    subject_id: entry.subject_id,
    new_runs_only: entry.new_runs_only,
  }))
}

export const readSet = async (tx: Tx, org: string, id: string): Promise<SetEntry[]> => {
  const [row] = await tx.query(find({ org, id }))
  return row?.entries ?? []
}

export const weighInForce = async (tx: Tx, org: string): Promise<InForceWeight> => {
  const [row] = await tx.query(weigh({ org }))
  return row ?? { policies: 0, rules: 0, bytes: 0 }
}

export const insertSet = async (tx: Tx, org: string, id: string, entries: readonly SetEntry[]): Promise<void> => {
  await tx.query(add({ org, id, entries: JSON.stringify(entries) }))
}

/** From now on no run is accepted with it, except by a gateway that has not noticed the change yet. */
export const markReplaced = async (tx: Tx, org: string, id: string): Promise<void> => {
  await tx.query(replaced({ org, id }))
}

const isInForce = sql`p.archived_at is null and (p.mode = 'enforce' or p.shadow_until is not null)`

const inForce = statement<{ org: Uuid }, Omit<SetEntry, 'shadow_until'> & { shadow_until: Date | null }>(
  'policy_sets.in_force',
  sql`select a.policy_id, p.version, p.mode, p.shadow_until, a.subject_type, a.subject_id, a.new_runs_only
        from policy_attachments a join policies p on p.org_id = a.org_id and p.id = a.policy_id
       where a.org_id = :org and ${isInForce} order by a.id`,
)

const weigh = statement<{ org: Uuid }, InForceWeight>(
  'policy_sets.weigh',
  sql`select count(*)::integer as policies, coalesce(sum(json_array_length(v.rules)), 0)::integer as rules,
             coalesce(sum(octet_length(v.rules::text)), 0)::integer as bytes
        from policies p join policy_versions v on v.org_id = p.org_id and v.policy_id = p.id and v.version = p.version
       where p.org_id = :org and ${isInForce}
         and exists (select from policy_attachments a where a.org_id = p.org_id and a.policy_id = p.id)`,
)

const find = statement<{ org: Uuid; id: Uuid }, { entries: SetEntry[] }>(
  'policy_sets.find',
  sql`select entries from policy_sets where org_id = :org and id = :id`,
)

const add = statement<{ org: Uuid; id: Uuid; entries: Json }>(
  'policy_sets.add',
  sql`insert into policy_sets (id, org_id, entries) values (:id, :org, :entries)`,
)

const replaced = statement<{ org: Uuid; id: Uuid }>(
  'policy_sets.replaced',
  sql`update policy_sets set replaced_at = app_now() where org_id = :org and id = :id`,
)
