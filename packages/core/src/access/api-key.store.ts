import { limits } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { budgetColumns } from '../budgets/index.ts'
import type { ApiKey, ApiKeyFields } from './api-key.ts'

export const findKey = async (db: Database, org: string, id: string): Promise<ApiKey | null> => {
  const [row] = await db.once(org, find({ org, id }))
  return row ?? null
}

/** The same inside a transaction, without a lock. */
export const findKeyNow = async (tx: Tx, org: string, id: string): Promise<ApiKey | null> => {
  const [row] = await tx.query(find({ org, id }))
  return row ?? null
}

/** Newest first. With `before` the order is oldest first, and the caller reverses it. */
export const listKeys = (db: Database, org: string, page: KeyPage): Promise<ApiKey[]> => {
  const { after, before, createdBy, agentIds, limit } = page
  if (createdBy !== null) return db.once(org, listOfCreator({ org, createdBy, agentIds, after, before, limit }))
  return before === null
    ? db.once(org, listOlder({ org, agentIds, after, limit }))
    : db.once(org, listNewer({ org, agentIds, before, limit }))
}

type KeyPage = {
  after: string | null
  before: string | null
  createdBy: string | null
  /** Only keys for these agents and no others; null: all. */
  agentIds: readonly string[] | null
  limit: number
}

const isWithin = '(:agentIds::uuid[] is null or agent_ids <@ :agentIds::uuid[])'

/** Serialises additions to an organisation until the commit, so that a count stays correct. */
export const lockKeys = async (tx: Tx, org: string): Promise<void> => {
  await tx.query(lockAll({ org }))
}

/** The key, locked until the commit. */
export const lockKey = async (tx: Tx, org: string, id: string): Promise<ApiKey | null> => {
  const [row] = await tx.query(lockOne({ org, id }))
  return row ?? null
}

export type KeyTerms = {
  /** The number of valid keys. */
  keys: number
  /** The time of the database. */
  now: Date
  /** The policy of the organisation. Null: keys may live for ever. */
  max_lifetime_days: number | null
}

export const countKeys = async (tx: Tx, org: string): Promise<KeyTerms> => {
  const [row] = await tx.query(count({ org }))
  if (!row) throw new Error('The database did not return the count of keys')
  return row
}

/** Whether the person is a member now. A cached session may not know yet. */
export const isMember = async (tx: Tx, org: string, userId: string): Promise<boolean> =>
  (await tx.query(membership({ org, userId }))).length > 0

/** The valid keys below these: created by them, or their successors, at any depth. */
export const listBelow = async (tx: Tx, org: string, roots: readonly string[]): Promise<string[]> =>
  (await tx.query(below({ org, roots }))).map(({ id }) => id)

/** All keys that a person created, valid or not: an invalid one may have created valid ones. */
export const listKeysOfPerson = async (tx: Tx, org: string, userId: string): Promise<OwnKey[]> =>
  tx.query(ofPerson({ org, userId }))

export type OwnKey = { id: string; is_usable: boolean }

export const revokeKeys = async (tx: Tx, org: string, ids: readonly string[]): Promise<ApiKey[]> =>
  ids.length === 0 ? [] : tx.query(revokeMany({ org, ids }))

export type ExpiringKey = { id: string; org_id: string }

// crosses organisations: keys of all organisations that end soon and are not announced yet, in batches.
export const listExpiring = (db: Database, limit: number): Promise<ExpiringKey[]> =>
  db.once(null, expiring({ limit, days: limits.keyExpiringDays }))

/** Marks the end of the key as announced. Null: it was announced, or it ends no longer soon. */
export const noteExpiring = async (tx: Tx, org: string, id: string): Promise<ApiKey | null> => {
  const [row] = await tx.query(noteEnd({ org, id, days: limits.keyExpiringDays }))
  return row ?? null
}

/** The agents of this list that the organisation has. */
export const listKnownAgents = async (db: Database, org: string, ids: readonly string[]): Promise<string[]> => {
  const rows = await db.once(org, knownAgents({ org, agentIds: ids }))
  return rows.map(({ id }) => id)
}

export type NewKey = Pick<
  ApiKey,
  | 'id'
  | 'name'
  | 'kind'
  | 'prefix'
  | 'hint'
  | 'agent_ids'
  | 'bucket_id'
  | 'expires_at'
  | 'created_by'
  | 'created_by_type'
> & { scopes: readonly string[]; hash: Buffer }

export const insertKey = async (tx: Tx, org: string, key: NewKey): Promise<ApiKey> => {
  const { agent_ids, bucket_id, expires_at, created_by, created_by_type, ...same } = key
  const [row] = await tx.query(
    add({
      org,
      ...same,
      agentIds: agent_ids,
      bucketId: bucket_id,
      expiresAt: expires_at,
      createdBy: created_by,
      createdByType: created_by_type,
    }),
  )
  return required(row)
}

export const updateKey = async (tx: Tx, org: string, id: string, fields: ApiKeyFields): Promise<ApiKey> => {
  const { name, scopes, agent_ids, expires_at } = fields
  const [row] = await tx.query(change({ org, id, name, scopes, agentIds: agent_ids, expiresAt: expires_at }))
  return required(row)
}

/** Whether the key is this one, a rotation of it, or was created by such a key, through any number of keys. */
export const comesFromKey = async (
  tx: Tx,
  org: string,
  { key, from }: { key: string; from: string },
): Promise<boolean> => {
  const [row] = await tx.query(comesFrom({ org, key, from }))
  return row?.is_below ?? false
}

export const retireKey = async (tx: Tx, org: string, id: string, rotatedTo: string): Promise<ApiKey> => {
  const [row] = await tx.query(retire({ org, id, rotatedTo }))
  return required(row)
}

export const revokeKey = async (tx: Tx, org: string, id: string): Promise<ApiKey> => {
  const [row] = await tx.query(revoke({ org, id }))
  return required(row)
}

const required = (row: ApiKey | undefined): ApiKey => {
  if (!row) throw new Error('The database did not return the key that was written')
  return row
}

const usable = `(revoked_at is null and (expires_at is null or expires_at > app_now())
  and (grace_until is null or grace_until > app_now()))`

const columns = `id, name, kind, prefix, hint, scopes, agent_ids, bucket_id, expires_at, last_used_at, created_by,
  created_by_type, created_at, revoked_at, rotated_to, grace_until, exposed_at, ${usable} as is_usable,
  ${budgetColumns({ org: ':org', subject: 'coalesce(bucket_id, id)' })}`

const find = statement<{ org: Uuid; id: Uuid }, ApiKey>(
  'api_keys.find',
  sql`select ${columns} from api_keys where org_id = :org and id = :id`,
)

const lockOne = statement<{ org: Uuid; id: Uuid }, ApiKey>(
  'api_keys.lock_one',
  sql`select ${columns} from api_keys where org_id = :org and id = :id for update`,
)

type Agents = { agentIds: readonly Uuid[] | null }

const listOlder = statement<Agents & { org: Uuid; after: Uuid | null; limit: number }, ApiKey>(
  'api_keys.list_older',
  sql`select ${columns} from api_keys where org_id = :org and ${isWithin} and (:after::uuid is null or id < :after)
    order by id desc limit :limit`,
)

const listNewer = statement<Agents & { org: Uuid; before: Uuid; limit: number }, ApiKey>(
  'api_keys.list_newer',
  sql`select ${columns} from api_keys where org_id = :org and ${isWithin} and id > :before order by id limit :limit`,
)

const lockAll = statement<{ org: Uuid }>(
  'api_keys.lock',
  sql`select pg_advisory_xact_lock(hashtextextended('api_keys ' || :org::text, 0)) is null`,
)

const listOfCreator = statement<
  Agents & { org: Uuid; createdBy: Uuid; after: Uuid | null; before: Uuid | null; limit: number },
  ApiKey
>(
  'api_keys.list_of_creator',
  // With `before` the order is oldest first, as in the other lists.
  sql`select ${columns} from api_keys
    where org_id = :org and created_by = :createdBy and ${isWithin} and (:after::uuid is null or id < :after)
      and (:before::uuid is null or id > :before)
    order by case when :before::uuid is not null then id end, id desc limit :limit`,
)

const count = statement<{ org: Uuid }, KeyTerms>(
  'api_keys.count',
  sql`select count(*) filter (where ${usable})::integer as keys, app_now() as now,
          (select max_key_lifetime_days from organisations where id = :org) as max_lifetime_days
     from api_keys where org_id = :org`,
)

const membership = statement<{ org: Uuid; userId: Uuid }>(
  'api_keys.membership',
  sql`select id from members where org_id = :org and user_id = :userId`,
)

const below = statement<{ org: Uuid; roots: readonly Uuid[] }, { id: string }>(
  'api_keys.below',
  sql`with recursive tree as (
     select id, rotated_to from api_keys where org_id = :org and id = any(:roots::uuid[])
     -- Without duplicates, so that it ends.
     union
     select k.id, k.rotated_to from tree t
       join api_keys k on k.org_id = :org and (k.id = t.rotated_to or (k.created_by = t.id and k.created_by_type = 'key')))
   select k.id from tree join api_keys k on k.id = tree.id
    where k.org_id = :org and k.id <> all(:roots::uuid[]) and ${usable}
    order by k.id`,
)

const comesFrom = statement<{ org: Uuid; key: Uuid; from: Uuid }, { is_below: boolean }>(
  'api_keys.comes_from',
  // All rotations of a key have one root.
  sql`with recursive line as (
     select id, coalesce(bucket_id, id) as root, created_by, created_by_type from api_keys where org_id = :org and id = :key
     -- Without duplicates, so that it ends.
     union
     select k.id, coalesce(k.bucket_id, k.id), k.created_by, k.created_by_type from line l
       join api_keys k on k.org_id = :org
        and ((l.created_by_type = 'key' and k.id = l.created_by) or coalesce(k.bucket_id, k.id) = l.root))
   select exists (
     select from line l join api_keys f on f.org_id = :org and f.id = :from and coalesce(f.bucket_id, f.id) = l.root) as is_below`,
)

const ofPerson = statement<{ org: Uuid; userId: Uuid }, OwnKey>(
  'api_keys.of_person',
  sql`select id, ${usable} as is_usable from api_keys
    where org_id = :org and created_by = :userId and created_by_type = 'user' order by id`,
)

// The first four conditions are those of the index `api_keys_expiring`. A key that never had more life than the notice
// is not announced: its creator knows its end.
const isExpiring = `expires_at is not null and revoked_at is null and rotated_at is null
  and expiring_noted_for is distinct from expires_at
  and expires_at > app_now() and expires_at <= app_now() + make_interval(days => :days)
  and expires_at > created_at + make_interval(days => :days)`

const expiring = statement<{ limit: number; days: number }, ExpiringKey>(
  'api_keys.expiring',
  sql`select id, org_id from api_keys where ${isExpiring} order by expires_at limit :limit`,
)

const noteEnd = statement<{ org: Uuid; id: Uuid; days: number }, ApiKey>(
  'api_keys.note_expiring',
  sql`update api_keys set expiring_noted_for = expires_at where org_id = :org and id = :id and ${isExpiring}
   returning ${columns}`,
)

const revokeMany = statement<{ org: Uuid; ids: readonly Uuid[] }, ApiKey>(
  'api_keys.revoke_many',
  sql`update api_keys set revoked_at = app_now()
    where org_id = :org and id = any(:ids::uuid[]) and revoked_at is null returning ${columns}`,
)

const knownAgents = statement<{ org: Uuid; agentIds: readonly Uuid[] }, { id: string }>(
  'api_keys.known_agents',
  sql`select id from agents where org_id = :org and id = any(:agentIds::uuid[])`,
)

const add = statement<
  {
    org: Uuid
    id: Uuid
    name: string
    hash: Buffer
    prefix: string
    hint: string
    scopes: readonly string[]
    kind: string
    agentIds: readonly Uuid[] | null
    bucketId: Uuid | null
    expiresAt: Date | null
    createdBy: Uuid | null
    createdByType: string
  },
  ApiKey
>(
  'api_keys.add',
  sql`insert into api_keys (org_id, id, name, hash, prefix, hint, scopes, kind, agent_ids, bucket_id, expires_at,
     created_by, created_by_type)
   values (:org, :id, :name, :hash, :prefix, :hint, :scopes, :kind, :agentIds, :bucketId, :expiresAt, :createdBy,
     :createdByType)
   returning ${columns}`,
)

const change = statement<
  {
    org: Uuid
    id: Uuid
    name: string
    scopes: readonly string[]
    agentIds: readonly Uuid[] | null
    expiresAt: Date | null
  },
  ApiKey
>(
  'api_keys.change',
  sql`update api_keys set name = :name, scopes = :scopes, agent_ids = :agentIds, expires_at = :expiresAt
    where org_id = :org and id = :id returning ${columns}`,
)

const retire = statement<{ org: Uuid; id: Uuid; rotatedTo: Uuid }, ApiKey>(
  'api_keys.retire',
  sql`update api_keys
      set rotated_at = app_now(), rotated_to = :rotatedTo, grace_until = app_now() + interval '${limits.keyGraceHours} hours'
    where org_id = :org and id = :id and rotated_to is null returning ${columns}`,
)

const revoke = statement<{ org: Uuid; id: Uuid }, ApiKey>(
  'api_keys.revoke',
  sql`update api_keys set revoked_at = coalesce(revoked_at, app_now()) where org_id = :org and id = :id returning ${columns}`,
)
