import type { Database } from '@ars/platform/db/database'
import { type NoParameters, sql, statement, type Uuid } from '@ars/platform/db/statement'

export const findOrgKey = async (db: Database, org: string): Promise<Buffer | null> => {
  const [row] = await db.once(org, find({ org }))
  return row?.wrapped ?? null
}

/** Two processes may create a key concurrently. The first one stays, so read the key after adding it. */
export const addOrgKey = async (
  db: Database,
  org: string,
  { wrapped, kekId }: { wrapped: Buffer; kekId: string },
): Promise<void> => {
  await db.once(org, add({ org, wrapped, kekId }))
}

export type StoredKey = { org_id: string; wrapped: Buffer; kek_id: string }

// crosses organisations: a new key-encryption key wraps the data keys of all of them.
export const listKeysUnderOthers = (
  db: Database,
  { kekId, after, limit }: { kekId: string; after: string | null; limit: number },
): Promise<StoredKey[]> => db.once(null, listUnderOthers({ kekId, after, limit }))

export type Replacement = { org: string; from: Buffer; to: Buffer }

// crosses organisations: a new key-encryption key wraps the data keys of all of them.
export const replaceKeys = async (
  db: Database,
  { kekId, keys }: { kekId: string; keys: readonly Replacement[] },
): Promise<number> => {
  const rows = await db.once(
    null,
    replace({
      kekId,
      orgIds: keys.map(({ org }) => org),
      oldKeys: keys.map(({ from }) => from),
      newKeys: keys.map(({ to }) => to),
    }),
  )
  return rows.length
}

/** The number of data keys under a key-encryption key, and one of them. */
export type KekUse = StoredKey & { organisations: number }

// crosses organisations: a key-encryption key is needed if any of them uses it.
export const countKeysByKek = (db: Database): Promise<KekUse[]> => db.once(null, countByKek())

const find = statement<{ org: Uuid }, { wrapped: Buffer }>(
  'org_keys.find',
  sql`select wrapped from org_keys where org_id = :org`,
)

const add = statement<{ org: Uuid; wrapped: Buffer; kekId: string }>(
  'org_keys.add',
  sql`insert into org_keys (org_id, wrapped, kek_id) values (:org, :wrapped, :kekId) on conflict (org_id) do nothing`,
)

const listUnderOthers = statement<{ kekId: string; after: Uuid | null; limit: number }, StoredKey>(
  'org_keys.list_under_others',
  sql`select org_id, wrapped, kek_id from org_keys
    where kek_id <> :kekId and (:after::uuid is null or org_id > :after) order by org_id limit :limit`,
)

const replace = statement<
  { kekId: string; orgIds: readonly Uuid[]; oldKeys: readonly Buffer[]; newKeys: readonly Buffer[] },
  { org_id: Uuid }
>(
  'org_keys.replace',
  sql`with given as (
     select g.org_id, g.old, g.new from unnest(:orgIds::uuid[], :oldKeys::bytea[], :newKeys::bytea[]) as g (org_id, old, new)

   -- A row that another process has changed, or is changing, is skipped: two processes share the work without waiting.
   ), mine as (
     select k.org_id, g.new from org_keys k join given g on g.org_id = k.org_id and g.old = k.wrapped
      where k.kek_id <> :kekId for update of k skip locked
   )
   update org_keys k set wrapped = mine.new, kek_id = :kekId from mine where k.org_id = mine.org_id returning k.org_id`,
)

const countByKek = statement<NoParameters, KekUse>(
  'org_keys.count_by_kek',
  sql`select c.kek_id, c.organisations, s.org_id, s.wrapped
     from (select kek_id, count(*)::integer as organisations from org_keys group by kek_id) c
    cross join lateral (select k.org_id, k.wrapped from org_keys k where k.kek_id = c.kek_id limit 1) s
    order by c.kek_id`,
)
