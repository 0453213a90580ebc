import type { Database, Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { SealedPlace } from '../secrets/index.ts'
import { providerKeyContextOf, type StoredProviderKey } from './provider-key.ts'

/** By provider. An organisation has at most one key of each. */
export const listProviderKeys = (db: Database, org: string): Promise<StoredProviderKey[]> => db.once(org, list({ org }))

/** The sealed key; null: the organisation has entered none. */
export const findProviderKey = async (db: Database, org: string, provider: string): Promise<Buffer | null> => {
  const [row] = await db.once(org, find({ org, provider }))
  return row?.key ?? null
}

export const setProviderKey = async (
  tx: Tx,
  org: string,
  given: { provider: string; key: Buffer; hint: string | null; by: string; byType: 'key' | 'user' },
): Promise<StoredProviderKey> => {
  const [row] = await tx.query(set({ org, ...given }))
  return row as StoredProviderKey
}

/** False: there was none. */
export const deleteProviderKey = async (tx: Tx, org: string, provider: string): Promise<boolean> =>
  (await tx.query(remove({ org, provider }))).length === 1

const columns = 'k.provider, k.hint, k.created_by, k.created_by_type, k.created_at, k.updated_at'

const list = statement<{ org: Uuid }, StoredProviderKey>(
  'models.list_provider_keys',
  sql`select ${columns} from provider_keys k where k.org_id = :org order by k.provider`,
)

const find = statement<{ org: Uuid; provider: string }, { key: Buffer }>(
  'models.find_provider_key',
  sql`select k.key from provider_keys k where k.org_id = :org and k.provider = :provider`,
)

const set = statement<
  { org: Uuid; provider: string; key: Buffer; hint: string | null; by: Uuid; byType: 'key' | 'user' },
  StoredProviderKey
>(
  'models.set_provider_key',
  sql`insert into provider_keys as k (org_id, provider, key, hint, created_by, created_by_type)
    values (:org, :provider, :key, :hint, :by, :byType)
    on conflict (org_id, provider) do update
      set key = excluded.key, hint = excluded.hint, created_by = excluded.created_by,
        created_by_type = excluded.created_by_type, updated_at = app_now()
    returning ${columns}`,
)

const remove = statement<{ org: Uuid; provider: string }, { provider: string }>(
  'models.delete_provider_key',
  sql`delete from provider_keys k where k.org_id = :org and k.provider = :provider returning k.provider`,
)

const listSealed = statement<
  { org: Uuid; dataKeyId: Buffer; after: string | null; limit: number },
  { provider: string; key: Buffer }
>(
  'models.list_sealed_provider_keys',
  sql`select provider, key from provider_keys
    where org_id = :org and substr(key, 2, 8) <> :dataKeyId and (:after::text is null or provider > :after)
    order by provider limit :limit`,
)

const replaceSealed = statement<{ org: Uuid; provider: string; from: Buffer; to: Buffer }, { provider: string }>(
  'models.replace_sealed_provider_key',
  sql`update provider_keys set key = :to
    where org_id = :org and provider = :provider and key = :from returning provider`,
)

/** The sealed keys, for the rotation of data keys. */
export const providerKeySecrets: SealedPlace = {
  name: 'provider_keys.key',
  list: async (db, org, page) =>
    (await db.once(org, listSealed({ org, ...page }))).map(({ provider, key }) => ({
      key: provider,
      sealed: key,
      record: providerKeyContextOf(provider),
    })),
  replace: async (db, org, { key: provider, from, to }) =>
    (await db.once(org, replaceSealed({ org, provider, from, to }))).length === 1,
}
