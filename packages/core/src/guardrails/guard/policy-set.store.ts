import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { Rule } from '../rule.ts'
import { type PolicySet, policyKey, type SetEntry } from './policy-set.ts'

/** A set with the rules of its policies. Null: there is none. */
export const findPolicySet = async (db: Database, org: string, id: string): Promise<PolicySet | null> => {
  const rows = await db.once(org, readSet({ org, id }))
  const [first] = rows
  if (!first) return null
  const policies = new Map(
    rows.flatMap(({ policy_id, version, rules }) =>
      policy_id === null || version === null ? [] : [[policyKey({ policy_id, version }), rules ?? []] as const],
    ),
  )
  return { id, entries: first.entries, policies }
}

/** The id of the set that is in force now. Null: none is. */
export const findCurrentSetId = async (db: Database, org: string): Promise<string | null> => {
  const [row] = await db.once(org, readCurrent({ org }))
  return row?.policy_set_id ?? null
}

const readSet = statement<
  { org: Uuid; id: Uuid },
  { entries: SetEntry[]; policy_id: string | null; version: number | null; rules: Rule[] | null }
>(
  'guardrails.read_set',
  sql`select s.entries, v.policy_id, v.version, v.rules
     from policy_sets s
     left join lateral (
       select distinct (e ->> 'policy_id')::uuid as policy_id, (e ->> 'version')::integer as version from json_array_elements(s.entries) e
     ) e on true
     left join policy_versions v on v.org_id = :org and v.policy_id = e.policy_id and v.version = e.version
    where s.org_id = :org and s.id = :id`,
)

const readCurrent = statement<{ org: Uuid }, { policy_set_id: string | null }>(
  'guardrails.read_current_set',
  sql`select policy_set_id from organisations where id = :org`,
)
