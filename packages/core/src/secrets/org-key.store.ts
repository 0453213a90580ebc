import type { Database, Tx } from '@ars/platform/db/database'
import { type NoParameters, sql, statement, type Uuid } from '@ars/platform/db/statement'

/** The data keys of an organisation, wrapped. `wrapped` seals; the retired ones only open what they sealed. */
export type OrgKeys = { wrapped: Buffer; retired: readonly Buffer[] }

export const findOrgKeys = async (db: Database, org: string): Promise<OrgKeys | null> => {
  const [row] = await db.once(org, find({ org }))
  return row ?? null
}

/** Two processes may create a key concurrently. The first one stays, so read the key after adding it. */
export const addOrgKey = async (
  db: Database,
  org: string,
  { wrapped, kekId }: { wrapped: Buffer; kekId: string },
): Promise<void> => {
  await db.once(org, add({ org, wrapped, kekId }))
}

/** The current data key becomes a retired one. False: another process has changed the keys. */
export const rotateOrgKey = async (
  tx: Tx,
  org: string,
  { from, to, kekId }: { from: Buffer; to: Buffer; kekId: string },
): Promise<boolean> => (await tx.query(rotate({ org, from, to, kekId }))).length === 1

/** False: another process has changed the keys. */
export const dropRetiredKeys = async (
  db: Database,
  org: string,
  { wrapped, count }: { wrapped: Buffer; count: number },
): Promise<boolean> => (await db.once(org, dropRetired({ org, wrapped, count }))).length === 1

export type StoredKeys = { org_id: string; wrapped: Buffer; retired: Buffer[]; kek_id: string }

// crosses organisations: a new key-encryption key wraps the data keys of all of them.
export const listKeysUnderOthers = (
  db: Database,
  { kekId, after, limit }: { kekId: string; after: string | null; limit: number },
): Promise<StoredKeys[]> => db.once(null, listUnderOthers({ kekId, after, limit }))

/** `is_due`: the current key is old enough to be replaced. `may_drop`: no process seals with a retired key any more. */
export type KeysToRotate = StoredKeys & { is_due: boolean; may_drop: boolean }

// crosses organisations: the operator rotates the data keys of all of them.
export const listKeysToRotate = (
  db: Database,
  page: { org: string | null; olderThanDays: number; keptHours: number; after: string | null; limit: number },
): Promise<KeysToRotate[]> => db.once(null, listToRotate(page))

export type Replacement = { org: string; from: Buffer; to: Buffer; retired: Buffer[] }

// crosses organisations: a new key-encryption key wraps the data keys of all of them.
export const replaceKeys = async (
  db: Database,
  { kekId, keys }: { kekId: string; keys: readonly Replacement[] },
): Promise<number> => {
  const replaced = await Promise.all(keys.map((key) => db.once(null, replace({ kekId, ...key }))))
  return replaced.filter((rows) => rows.length === 1).length
}

/** The number of data keys under a key-encryption key, and one of them. */
export type KekUse = { kek_id: string; organisations: number; org_id: string; wrapped: Buffer }

// crosses organisations: a key-encryption key is needed if any of them uses it.
export const countKeysByKek = (db: Database): Promise<KekUse[]> => db.once(null, countByKek())

const find = statement<{ org: Uuid }, { wrapped: Buffer; retired: Buffer[] }>(
  'org_keys.find',
  sql`select wrapped, retired from org_keys where org_id = :org`,
)

const add = statement<{ org: Uuid; wrapped: Buffer; kekId: string }>(
  'org_keys.add',
  sql`insert into org_keys (org_id, wrapped, kek_id) values (:org, :wrapped, :kekId) on conflict (org_id) do nothing`,
)

const rotate = statement<{ org: Uuid; from: Buffer; to: Buffer; kekId: string }, { org_id: Uuid }>(
  'org_keys.rotate',
  sql`update org_keys set wrapped = :to, retired = retired || wrapped, kek_id = :kekId, rotated_at = app_now()
    where org_id = :org and wrapped = :from and kek_id = :kekId returning org_id`,
)

const dropRetired = statement<{ org: Uuid; wrapped: Buffer; count: number }, { org_id: Uuid }>(
  'org_keys.drop_retired',
  sql`update org_keys set retired = '{}'
    where org_id = :org and wrapped = :wrapped and cardinality(retired) = :count returning org_id`,
)

const listUnderOthers = statement<{ kekId: string; after: Uuid | null; limit: number }, StoredKeys>(
  'org_keys.list_under_others',
  sql`select org_id, wrapped, retired, kek_id from org_keys
    where kek_id <> :kekId and (:after::uuid is null or org_id > :after) order by org_id limit :limit`,
)

const listToRotate = statement<
  { org: Uuid | null; olderThanDays: number; keptHours: number; after: Uuid | null; limit: number },
  KeysToRotate
>(
  'org_keys.list_to_rotate',
  sql`select org_id, wrapped, retired, kek_id,
       coalesce(rotated_at, created_at) <= app_now() - make_interval(days => :olderThanDays) as is_due,
       coalesce(rotated_at <= app_now() - make_interval(hours => :keptHours), false) as may_drop
     from org_keys
    where (:org::uuid is null or org_id = :org) and (:after::uuid is null or org_id > :after)
    order by org_id limit :limit`,
)

// A row that another process has changed stays as it is: two processes share the work.
const replace = statement<
  { kekId: string; org: Uuid; from: Buffer; to: Buffer; retired: readonly Buffer[] },
  { org_id: Uuid }
>(
  'org_keys.replace',
  sql`update org_keys set wrapped = :to, retired = :retired::bytea[], kek_id = :kekId
    where org_id = :org and wrapped = :from and kek_id <> :kekId returning org_id`,
)

const countByKek = statement<NoParameters, KekUse>(
  'org_keys.count_by_kek',
  sql`select c.kek_id, c.organisations, s.org_id, s.wrapped
     from (select kek_id, count(*)::integer as organisations from org_keys group by kek_id) c
    cross join lateral (select k.org_id, k.wrapped from org_keys k where k.kek_id = c.kek_id limit 1) s
    order by c.kek_id`,
)
