import type { Database, Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { Connector } from './connector.ts'

export const findConnector = async (db: Database, org: string, id: string): Promise<Connector | null> => {
  const [row] = await db.once(org, find({ org, ids: [id] }))
  return row ?? null
}

export const findConnectors = (db: Database, org: string, ids: readonly string[]): Promise<Connector[]> =>
  db.once(org, find({ org, ids }))

/** The connectors of this list that exist. */
export const listKnownConnectors = async (tx: Tx, org: string, ids: readonly string[]): Promise<Set<string>> => {
  const rows = await tx.query(listKnown({ org, ids }))
  return new Set(rows.map(({ id }) => id))
}

export type ConnectorPage = { after: string | null; before: string | null; limit: number }

/** Newest first. With `before` the order is oldest first, and the caller reverses it. */
export const listConnectors = (db: Database, org: string, page: ConnectorPage): Promise<Connector[]> =>
  page.before === null
    ? db.once(org, listOlder({ org, after: page.after, limit: page.limit }))
    : db.once(org, listNewer({ org, before: page.before, limit: page.limit }))

/** Serialises additions to an organisation until the commit, so that a count stays correct. */
export const lockConnectors = async (tx: Tx, org: string): Promise<void> => {
  await tx.query(lock({ org }))
}

export const countConnectors = async (tx: Tx, org: string): Promise<number> => {
  const [row] = await tx.query(count({ org }))
  return row?.connectors ?? 0
}

export type NewConnector = Omit<Connector, 'created_at'> & { created_by: string; created_by_type: 'key' | 'user' }

export const insertConnector = async (tx: Tx, org: string, connector: NewConnector): Promise<Connector> => {
  const { id, name, url, auth_type, auth_header, credential, credential_hint, created_by, created_by_type } = connector
  const [row] = await tx.query(
    add({
      org,
      id,
      name,
      url,
      authType: auth_type,
      authHeader: auth_header,
      credential,
      credentialHint: credential_hint,
      createdBy: created_by,
      createdByType: created_by_type,
    }),
  )
  if (!row) throw new Error('The database did not return the connector that was inserted')
  return row
}

export const deleteConnector = async (tx: Tx, org: string, id: string): Promise<Connector | null> => {
  const [row] = await tx.query(remove({ org, id }))
  return row ?? null
}

const columns = 'id, name, url, auth_type, auth_header, credential, credential_hint, created_at'

const find = statement<{ org: Uuid; ids: readonly Uuid[] }, Connector>(
  'connectors.find',
  sql`select ${columns} from connectors where org_id = :org and id = any(:ids::uuid[])`,
)

const listKnown = statement<{ org: Uuid; ids: readonly Uuid[] }, { id: string }>(
  'connectors.list_known',
  sql`select id from connectors where org_id = :org and id = any(:ids::uuid[])`,
)

const listOlder = statement<{ org: Uuid; after: Uuid | null; limit: number }, Connector>(
  'connectors.list_older',
  sql`select ${columns} from connectors
    where org_id = :org and (:after::uuid is null or id < :after) order by id desc limit :limit`,
)

const listNewer = statement<{ org: Uuid; before: Uuid; limit: number }, Connector>(
  'connectors.list_newer',
  sql`select ${columns} from connectors where org_id = :org and id > :before order by id limit :limit`,
)

const lock = statement<{ org: Uuid }>(
  'connectors.lock',
  sql`select pg_advisory_xact_lock(hashtextextended('connectors ' || :org::text, 0)) is null`,
)

const count = statement<{ org: Uuid }, { connectors: number }>(
  'connectors.count',
  sql`select count(*)::integer as connectors from connectors where org_id = :org`,
)

const add = statement<
  {
    org: Uuid
    id: Uuid
    name: string
    url: string
    authType: string
    authHeader: string | null
    credential: Buffer | null
    credentialHint: string | null
    createdBy: Uuid
    createdByType: string
  },
  Connector
>(
  'connectors.add',
  sql`insert into connectors (org_id, id, name, url, auth_type, auth_header, credential, credential_hint, created_by,
     created_by_type)
   values (:org, :id, :name, :url, :authType, :authHeader, :credential, :credentialHint, :createdBy, :createdByType)
   returning ${columns}`,
)

const remove = statement<{ org: Uuid; id: Uuid }, Connector>(
  'connectors.remove',
  sql`delete from connectors where org_id = :org and id = :id returning ${columns}`,
)
