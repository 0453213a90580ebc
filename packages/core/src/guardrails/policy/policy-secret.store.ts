import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { lowestId } from '@ars/platform/id-range'
import type { SealedPlace } from '../../secrets/index.ts'
import { credentialRecord } from './rule-credential.ts'

/** The sealed credentials of the rules of a version. Null: they have none. */
export const findPolicySecrets = async (
  db: Database,
  org: string,
  { policyId, version }: { policyId: string; version: number },
): Promise<Buffer | null> => {
  const [row] = await db.once(org, find({ org, policyId, version }))
  return row?.secrets ?? null
}

/** The sealed credentials of rules, for the rotation of data keys. */
export const policySecrets: SealedPlace = {
  name: 'policy_versions.secrets',
  list: async (db, org, { dataKeyId, after, limit }) =>
    (await db.once(org, list({ org, dataKeyId, ...toKey(after), limit }))).map(({ policy_id, version, secrets }) => ({
      key: `${policy_id}/${version}`,
      sealed: secrets,
      record: credentialRecord({ policyId: policy_id, version }),
    })),
  replace: async (db, org, { key, from, to }) =>
    (await db.once(org, replace({ org, ...toKey(key), from, to }))).length === 1,
}

const toKey = (key: string | null): { policyId: Uuid; version: number } => {
  const [policyId = lowestId, version = '0'] = key?.split('/') ?? []
  return { policyId, version: Number(version) }
}

const find = statement<{ org: Uuid; policyId: Uuid; version: number }, { secrets: Buffer | null }>(
  'policy_versions.find_secrets',
  sql`select secrets from policy_versions where org_id = :org and policy_id = :policyId and version = :version`,
)

const list = statement<
  { org: Uuid; dataKeyId: Buffer; policyId: Uuid; version: number; limit: number },
  { policy_id: Uuid; version: number; secrets: Buffer }
>(
  'policy_versions.list_sealed',
  sql`select policy_id, version, secrets from policy_versions
    where org_id = :org and substr(secrets, 2, 8) <> :dataKeyId and (policy_id, version) > (:policyId, :version)
    order by policy_id, version limit :limit`,
)

const replace = statement<
  { org: Uuid; policyId: Uuid; version: number; from: Buffer; to: Buffer },
  { policy_id: Uuid }
>(
  'policy_versions.replace_sealed',
  sql`update policy_versions set secrets = :to
    where org_id = :org and policy_id = :policyId and version = :version and secrets = :from returning policy_id`,
)
