import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'

export type KeyRow = { id: string; org_id: string; scopes: string[]; expires_at: Date | null }

// crosses organisations: a key is looked for before its organisation is known; the role sees keys and nothing else.
export const findKeyByHash = async (db: Database, hash: Buffer): Promise<KeyRow | null> => {
  const [row] = await db.once<KeyRow>(null, findKey(hash))
  return row ?? null
}

export const insertOrganisation = async (
  db: Database,
  org: string,
  values: { name: string; plan: string; concurrentRuns: number },
): Promise<void> => {
  await db.once(org, addOrganisation(org, values.name, values.plan, values.concurrentRuns))
}

/** Answers false when the key is there already. */
export const insertKey = async (
  db: Database,
  org: string,
  key: { id: string; name: string; hash: Buffer; prefix: string; hint: string; scopes: readonly string[] },
): Promise<void> => {
  await db.once(org, addKey(key.id, org, key.name, key.hash, key.prefix, key.hint, key.scopes))
}

const findKey = statement(
  'access.find_key',
  `select k.id, k.org_id, k.scopes, k.expires_at
     from api_keys k join organisations o on o.id = k.org_id
    where k.hash = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > app_now())`,
)

const addOrganisation = statement(
  'access.add_organisation',
  'insert into organisations (id, name, plan, concurrent_runs) values ($1, $2, $3, $4)',
)

const addKey = statement(
  'access.add_key',
  'insert into api_keys (id, org_id, name, hash, prefix, hint, scopes) values ($1, $2, $3, $4, $5, $6, $7)',
)
