import type { Database, Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { Connector, ConnectorContent } from './connector.ts'

export const findConnector = async (db: Database, org: string, id: string): Promise<Connector | null> => {
  const [row] = await db.once(org, findCounted({ org, id }))
  return row ?? null
}

/** Locks a connector until the commit, so that its tools are compared and changed by one transaction at a time. */
export const lockConnector = async (tx: Tx, org: string, id: string): Promise<Connector | null> => {
  const [row] = await tx.query(lockOne({ org, id }))
  return row ?? null
}

/** Without the numbers of tools, which a step does not need. */
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

export type NewConnector = ConnectorContent & { created_by: string; created_by_type: 'key' | 'user' }

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

/** Who changes a connector. */
type Author = { readonly type: 'key' | 'user'; readonly id: string }

export const deleteConnector = async (tx: Tx, org: string, id: string): Promise<Connector | null> => {
  const [row] = await tx.query(remove({ org, id }))
  return row ?? null
}

/** Stores new content. A new address forgets the tools of the old one: the caller deletes them. */
export const updateConnector = async (
  tx: Tx,
  org: string,
  { id, name, url, auth_type, auth_header, credential, credential_hint }: ConnectorContent,
  by: Author,
): Promise<void> => {
  const auth = { authType: auth_type, authHeader: auth_header, credential, credentialHint: credential_hint }
  await tx.query(change({ org, id, name, url, ...auth, by: by.id, byType: by.type }))
}

export type ListedNow = { id: string; url: string; freshForMs: number }

/** Stores that the tools were listed. A connector that has another address by now is left alone. */
export const noteListed = async (db: Database, org: string, { id, url, freshForMs }: ListedNow): Promise<void> => {
  await db.once(org, listed({ org, id, url, freshForMs }))
}

export const noteListedIn = async (tx: Tx, org: string, { id, url, freshForMs }: ListedNow): Promise<void> => {
  await tx.query(listed({ org, id, url, freshForMs }))
}

export const noteToolsError = async (
  db: Database,
  org: string,
  { id, url, message }: { id: string; url: string; message: string },
): Promise<void> => {
  await db.once(org, failed({ org, id, url, message }))
}

const ownColumns = `id, name, url, auth_type, auth_header, credential, credential_hint, created_at, created_by, created_by_type, moved_by,
  moved_by_type, tools_listed_at, tools_error,
  coalesce(tools_fresh_until > app_now(), false) as tools_are_fresh`

const columns = `${ownColumns}, '{}'::json as tools`

const countedColumns = `${ownColumns},
  coalesce((select json_object_agg(state, tools) from (
    select state, count(*)::integer as tools from connector_tools t
     where t.org_id = connectors.org_id and t.connector_id = connectors.id group by state) counted), '{}'::json) as tools`

const find = statement<{ org: Uuid; ids: readonly Uuid[] }, Connector>(
  'connectors.find',
  sql`select ${columns} from connectors where org_id = :org and id = any(:ids::uuid[])`,
)

const findCounted = statement<{ org: Uuid; id: Uuid }, Connector>(
  'connectors.find_counted',
  sql`select ${countedColumns} from connectors where org_id = :org and id = :id`,
)

const lockOne = statement<{ org: Uuid; id: Uuid }, Connector>(
  'connectors.lock_one',
  sql`select ${columns} from connectors where org_id = :org and id = :id for no key update`,
)

const change = statement<
  {
    org: Uuid
    id: Uuid
    name: string
    url: string
    authType: string
    authHeader: string | null
    credential: Buffer | null
    credentialHint: string | null
    by: Uuid
    byType: string
  },
  unknown
>(
  'connectors.change',
  sql`update connectors
      set name = :name, auth_type = :authType, auth_header = :authHeader, credential = :credential,
          credential_hint = :credentialHint, tools_fresh_until = null,
          tools_listed_at = case when url = :url then tools_listed_at end,
          tools_error = case when url = :url then tools_error end,
          moved_by = case when url = :url then moved_by else :by::uuid end,
          moved_by_type = case when url = :url then moved_by_type else :byType::text end,
          url = :url
    where org_id = :org and id = :id`,
)

// A server that wants no caching is listed in every step: then the row is written once a minute.
const listed = statement<{ org: Uuid; id: Uuid; url: string; freshForMs: number }>(
  'connectors.listed',
  sql`update connectors
      set tools_listed_at = app_now(), tools_error = null,
          tools_fresh_until = app_now() + make_interval(secs => :freshForMs::float8 / 1000)
    where org_id = :org and id = :id and url = :url
      and (:freshForMs::float8 > 0 or tools_error is not null or tools_listed_at is null
        or tools_listed_at < app_now() - interval '1 minute')`,
)

const failed = statement<{ org: Uuid; id: Uuid; url: string; message: string }>(
  'connectors.failed',
  sql`update connectors set tools_error = :message where org_id = :org and id = :id and url = :url`,
)

const listKnown = statement<{ org: Uuid; ids: readonly Uuid[] }, { id: string }>(
  'connectors.list_known',
  sql`select id from connectors where org_id = :org and id = any(:ids::uuid[])`,
)

const listOlder = statement<{ org: Uuid; after: Uuid | null; limit: number }, Connector>(
  'connectors.list_older',
  sql`select ${countedColumns} from connectors
    where org_id = :org and (:after::uuid is null or id < :after) order by id desc limit :limit`,
)

const listNewer = statement<{ org: Uuid; before: Uuid; limit: number }, Connector>(
  'connectors.list_newer',
  sql`select ${countedColumns} from connectors where org_id = :org and id > :before order by id limit :limit`,
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
