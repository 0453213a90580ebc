import type { Database, Tx } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import type { Connector } from './connector.ts'

export const findConnector = async (db: Database, org: string, id: string): Promise<Connector | null> => {
  const [row] = await db.once<Connector>(org, find(org, [id]))
  return row ?? null
}

export const findConnectors = (db: Database, org: string, ids: readonly string[]): Promise<Connector[]> =>
  db.once<Connector>(org, find(org, ids))

/** Which of these there are. */
export const listKnownConnectors = async (tx: Tx, org: string, ids: readonly string[]): Promise<Set<string>> => {
  const rows = await tx.query<{ id: string }>(listKnown(org, ids))
  return new Set(rows.map(({ id }) => id))
}

export type ConnectorPage = { after: string | null; before: string | null; limit: number }

/** Newest first. `before` reads towards the newer ones, and is turned round again by the caller. */
export const listConnectors = (db: Database, org: string, page: ConnectorPage): Promise<Connector[]> =>
  page.before === null
    ? db.once<Connector>(org, listOlder(org, page.after, page.limit))
    : db.once<Connector>(org, listNewer(org, page.before, page.limit))

/** Those who add to one organisation go one after the other from here to the commit, so that a count stays true. */
export const lockConnectors = async (tx: Tx, org: string): Promise<void> => {
  await tx.query(lock(org))
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

const listKnown = statement(
  'connectors.list_known',
  'select id from connectors where org_id = $1 and id = any($2::uuid[])',
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

const lock = statement(
  'connectors.lock',
  `select pg_advisory_xact_lock(hashtextextended('connectors ' || $1::text, 0)) is null`,
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
