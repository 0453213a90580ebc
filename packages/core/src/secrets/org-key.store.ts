import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'

export const findOrgKey = async (db: Database, org: string): Promise<Buffer | null> => {
  const [row] = await db.once<{ wrapped: Buffer }>(org, find(org))
  return row?.wrapped ?? null
}

/** Two processes may make a key at once: the first stays, so whoever adds one reads afterwards. */
export const addOrgKey = async (
  db: Database,
  org: string,
  { wrapped, kekId }: { wrapped: Buffer; kekId: string },
): Promise<void> => {
  await db.once(org, add(org, wrapped, kekId))
}

export type StoredKey = { org_id: string; wrapped: Buffer; kek_id: string }

// crosses organisations: a new key-encryption key takes over the data keys of all of them.
export const listKeysUnderOthers = (
  db: Database,
  { kekId, after, limit }: { kekId: string; after: string | null; limit: number },
): Promise<StoredKey[]> => db.once<StoredKey>(null, listUnderOthers(kekId, after, limit))

export type Replacement = { org: string; from: Buffer; to: Buffer }

// crosses organisations: a new key-encryption key takes over the data keys of all of them.
export const replaceKeys = async (
  db: Database,
  { kekId, keys }: { kekId: string; keys: readonly Replacement[] },
): Promise<number> => {
  const columns = [keys.map(({ org }) => org), keys.map(({ from }) => from), keys.map(({ to }) => to)]
  return (await db.once(null, replace(kekId, ...columns))).length
}

/** How many data keys a key-encryption key holds, and one of them. */
export type KekUse = StoredKey & { organisations: number }

// crosses organisations: which key-encryption keys are still needed is a question about all of them.
export const countKeysByKek = (db: Database): Promise<KekUse[]> => db.once<KekUse>(null, countByKek())

const find = statement('org_keys.find', 'select wrapped from org_keys where org_id = $1')

const add = statement(
  'org_keys.add',
  'insert into org_keys (org_id, wrapped, kek_id) values ($1, $2, $3) on conflict (org_id) do nothing',
)

const listUnderOthers = statement(
  'org_keys.list_under_others',
  `select org_id, wrapped, kek_id from org_keys
    where kek_id <> $1 and ($2::uuid is null or org_id > $2) order by org_id limit $3`,
)

// A row that somebody else has changed since it was read, or is changing, is passed over: two who do this at once share
// the work, and neither waits for the other.
const replace = statement(
  'org_keys.replace',
  `with given as (
     select g.org_id, g.old, g.new from unnest($2::uuid[], $3::bytea[], $4::bytea[]) as g (org_id, old, new)
   ), mine as (
     select k.org_id, g.new from org_keys k join given g on g.org_id = k.org_id and g.old = k.wrapped
      where k.kek_id <> $1 for update of k skip locked
   )
   update org_keys k set wrapped = mine.new, kek_id = $1 from mine where k.org_id = mine.org_id returning k.org_id`,
)

const countByKek = statement(
  'org_keys.count_by_kek',
  `select c.kek_id, c.organisations, s.org_id, s.wrapped
     from (select kek_id, count(*)::integer as organisations from org_keys group by kek_id) c
    cross join lateral (select k.org_id, k.wrapped from org_keys k where k.kek_id = c.kek_id limit 1) s
    order by c.kek_id`,
)
