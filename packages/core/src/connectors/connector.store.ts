import type { Database, Tx } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import type { Connector } from './connector.ts'

export const findConnector = async (db: Database, org: string, id: string): Promise<Connector | null> => {
  const [row] = await db.once<Connector>(org, find(org, [id]))
  return row ?? null
}

export const findConnectors = (db: Database, org: string, ids: readonly string[]): Promise<Connector[]> =>
  db.once<Connector>(org, find(org, ids))

export type ConnectorPage = { after: string | null; before: string | null; limit: number }

/** Newest first. `before` reads towards the newer ones, and is turned round again by the caller. */
export const listConnectors = (db: Database, org: string, page: ConnectorPage): Promise<Connector[]> =>
  page.before === null
    ? db.once<Connector>(org, listOlder(org, page.after, page.limit))
    : db.once<Connector>(org, listNewer(org, page.before, page.limit))

/** Who holds an idempotency key that has not expired. */
export const findTwin = async (
  db: Database,
  org: string,
  key: string,
): Promise<{ subject_id: string; fingerprint: Buffer } | null> => {
  const [row] = await db.once<{ subject_id: string; fingerprint: Buffer }>(org, findKey(org, key))
  return row ?? null
}

/** Those who add to one organisation go one after the other from here to the commit, so that a count stays true. */
export const lockConnectors = async (tx: Tx, org: string): Promise<void> => {
  await tx.query(lock(org))
}

/** False: another request holds the key. */
export const claimKey = async (
  tx: Tx,
  org: string,
  { key, fingerprint, id }: { key: string; fingerprint: Buffer; id: string },
): Promise<boolean> => {
  const rows = await tx.query(claim(org, key, fingerprint, id))
  return rows.length > 0
}

export const countConnectors = async (tx: Tx, org: string): Promise<number> => {
  const [row] = await tx.query<{ connectors: number }>(count(org))
  return row?.connectors ?? 0
}

export type NewConnector = Omit<Connector, 'created_at'> & { created_by: string; created_by_type: 'key' | 'user' }

export const insertConnector = async (tx: Tx, org: string, connector: NewConnector): Promise<Connector> => {
  const { id, name, url, auth_type, auth_header, credential, credential_hint, created_by, created_by_type } = connector
  const [row] = await tx.query<Connector>(
    add(org, id, name, url, auth_type, auth_header, credential, credential_hint, created_by, created_by_type),
  )
  if (!row) throw new Error('The database did not answer with the connector that was inserted')
  return row
}

export const deleteConnector = async (tx: Tx, org: string, id: string): Promise<Connector | null> => {
  const [row] = await tx.query<Connector>(remove(org, id))
  return row ?? null
}

const columns = 'id, name, url, auth_type, auth_header, credential, credential_hint, created_at'

const find = statement(
  'connectors.find',
  `select ${columns} from connectors where org_id = $1 and id = any($2::uuid[])`,
)

const listOlder = statement(
  'connectors.list_older',
  `select ${columns} from connectors
    where org_id = $1 and ($2::uuid is null or id < $2) order by id desc limit $3`,
)

const listNewer = statement(
  'connectors.list_newer',
  `select ${columns} from connectors where org_id = $1 and id > $2 order by id limit $3`,
)

const findKey = statement(
  'connectors.find_key',
  `select subject_id, fingerprint from idempotency_keys
    where org_id = $1 and thing = 'connector' and key = $2 and expires_at > app_now()`,
)

const lock = statement(
  'connectors.lock',
  `select pg_advisory_xact_lock(hashtextextended('connectors ' || $1::text, 0)) is null`,
)

const claim = statement(
  'connectors.claim_key',
  `insert into idempotency_keys as k (org_id, thing, key, fingerprint, subject_id, expires_at)
   values ($1, 'connector', $2, $3, $4, app_now() + interval '24 hours')
   on conflict (org_id, thing, key) do update
     set fingerprint = excluded.fingerprint, subject_id = excluded.subject_id, expires_at = excluded.expires_at
     where k.expires_at <= app_now()
   returning subject_id`,
)

const count = statement('connectors.count', 'select count(*)::integer as connectors from connectors where org_id = $1')

const add = statement(
  'connectors.add',
  `insert into connectors (org_id, id, name, url, auth_type, auth_header, credential, credential_hint, created_by,
     created_by_type)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning ${columns}`,
)

const remove = statement(
  'connectors.remove',
  `delete from connectors where org_id = $1 and id = $2 returning ${columns}`,
)
