import { limits } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import type { ApiKey, ApiKeyFields } from './api-key.ts'

export const findKey = async (db: Database, org: string, id: string): Promise<ApiKey | null> => {
  const [row] = await db.once<ApiKey>(org, find(org, id))
  return row ?? null
}

/** Newest first. `before` reads towards the newer ones, and is turned round again by the caller. */
export const listKeys = (
  db: Database,
  org: string,
  page: { after: string | null; before: string | null; limit: number },
): Promise<ApiKey[]> =>
  page.before === null
    ? db.once<ApiKey>(org, listOlder(org, page.after, page.limit))
    : db.once<ApiKey>(org, listNewer(org, page.before, page.limit))

/** Those who add to one organisation go one after the other from here to the commit, so that a count stays true. */
export const lockKeys = async (tx: Tx, org: string): Promise<void> => {
  await tx.query(lockAll(org))
}

/** The key, which nobody else changes until the commit. */
export const lockKey = async (tx: Tx, org: string, id: string): Promise<ApiKey | null> => {
  const [row] = await tx.query<ApiKey>(lockOne(org, id))
  return row ?? null
}

/** How many keys work, and what the database's clock says. */
export const countKeys = async (tx: Tx, org: string): Promise<{ keys: number; now: Date }> => {
  const [row] = await tx.query<{ keys: number; now: Date }>(count(org))
  if (!row) throw new Error('The database did not count the keys')
  return row
}

/** Of these agents, those that the organisation has. */
export const listKnownAgents = async (db: Database, org: string, ids: readonly string[]): Promise<string[]> => {
  const rows = await db.once<{ id: string }>(org, knownAgents(org, ids))
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
  const { id, name, hash, prefix, hint, scopes, kind, agent_ids, bucket_id, expires_at, created_by } = key
  const values = [id, name, hash, prefix, hint, scopes, kind, agent_ids, bucket_id, expires_at, created_by]
  const [row] = await tx.query<ApiKey>(add(org, ...values, key.created_by_type))
  return required(row)
}

export const updateKey = async (tx: Tx, org: string, id: string, fields: ApiKeyFields): Promise<ApiKey> => {
  const { name, scopes, agent_ids, expires_at } = fields
  const [row] = await tx.query<ApiKey>(change(org, id, name, scopes, agent_ids, expires_at))
  return required(row)
}

export const retireKey = async (tx: Tx, org: string, id: string, rotatedTo: string): Promise<ApiKey> => {
  const [row] = await tx.query<ApiKey>(retire(org, id, rotatedTo))
  return required(row)
}

export const revokeKey = async (tx: Tx, org: string, id: string): Promise<ApiKey> => {
  const [row] = await tx.query<ApiKey>(revoke(org, id))
  return required(row)
}

const required = (row: ApiKey | undefined): ApiKey => {
  if (!row) throw new Error('The database did not answer with the key that was written')
  return row
}

const usable = `(revoked_at is null and (expires_at is null or expires_at > app_now())
  and (grace_until is null or grace_until > app_now()))`

const columns = `id, name, kind, prefix, hint, scopes, agent_ids, bucket_id, expires_at, last_used_at, created_by,
  created_by_type, created_at, revoked_at, rotated_to, grace_until, exposed_at, ${usable} as is_usable`

const find = statement('api_keys.find', `select ${columns} from api_keys where org_id = $1 and id = $2`)

const lockOne = statement(
  'api_keys.lock_one',
  `select ${columns} from api_keys where org_id = $1 and id = $2 for update`,
)

const listOlder = statement(
  'api_keys.list_older',
  `select ${columns} from api_keys where org_id = $1 and ($2::uuid is null or id < $2) order by id desc limit $3`,
)

const listNewer = statement(
  'api_keys.list_newer',
  `select ${columns} from api_keys where org_id = $1 and id > $2 order by id limit $3`,
)

const lockAll = statement(
  'api_keys.lock',
  `select pg_advisory_xact_lock(hashtextextended('api_keys ' || $1::text, 0)) is null`,
)

const count = statement(
  'api_keys.count',
  `select count(*) filter (where ${usable})::integer as keys, app_now() as now from api_keys where org_id = $1`,
)

const knownAgents = statement(
  'api_keys.known_agents',
  'select id from agents where org_id = $1 and id = any($2::uuid[])',
)

const add = statement(
  'api_keys.add',
  `insert into api_keys (org_id, id, name, hash, prefix, hint, scopes, kind, agent_ids, bucket_id, expires_at,
     created_by, created_by_type)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) returning ${columns}`,
)

const change = statement(
  'api_keys.change',
  `update api_keys set name = $3, scopes = $4, agent_ids = $5, expires_at = $6
    where org_id = $1 and id = $2 returning ${columns}`,
)

const retire = statement(
  'api_keys.retire',
  `update api_keys
      set rotated_at = app_now(), rotated_to = $3, grace_until = app_now() + interval '${limits.keyGraceHours} hours'
    where org_id = $1 and id = $2 and rotated_to is null returning ${columns}`,
)

const revoke = statement(
  'api_keys.revoke',
  `update api_keys set revoked_at = coalesce(revoked_at, app_now()) where org_id = $1 and id = $2 returning ${columns}`,
)
