import { limits } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { type Fitting, fittingPage } from '@ars/platform/db/fitting-page'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { contentBytes } from './agent.store.ts'
import type { AgentVersion } from './agent.ts'

/** The versions with these numbers that exist. */
export const findVersions = (
  db: Database,
  org: string,
  { agentId, numbers }: { agentId: string; numbers: readonly number[] },
): Promise<AgentVersion[]> => db.once(org, find({ org, agentId, numbers }))

export type VersionPage = { agentId: string; after: number | null; before: number | null; limit: number }

/** Newest first. With `before` the order is oldest first, and the caller reverses it. The page ends early by bytes. */
export const listVersions = (db: Database, org: string, page: VersionPage): Promise<Fitting<AgentVersion>[]> => {
  const { agentId, after, before, limit } = page
  const asked = { org, agentId, limit, maxBytes: limits.pageBytes }
  return before === null ? db.once(org, listOlder({ ...asked, after })) : db.once(org, listNewer({ ...asked, before }))
}

const columns = `agent_id, version, name, description, config, input_schema, output_schema, limits, policies, metadata,
       created_by, created_by_type, created_at`

const find = statement<{ org: Uuid; agentId: Uuid; numbers: readonly number[] }, AgentVersion>(
  'agent_versions.find',
  sql`select ${columns} from agent_versions where org_id = :org and agent_id = :agentId and version = any (:numbers::integer[])`,
)

type Asked = { org: Uuid; agentId: Uuid; limit: number; maxBytes: number }

const listOlder = statement<Asked & { after: number | null }, Fitting<AgentVersion>>(
  'agent_versions.list_older',
  fittingPage(
    `select ${columns}, ${contentBytes} as bytes from agent_versions
    where org_id = :org and agent_id = :agentId and (:after::integer is null or version < :after)
    order by version desc limit :limit`,
    { inner: columns, order: 'version desc' },
  ),
)

const listNewer = statement<Asked & { before: number }, Fitting<AgentVersion>>(
  'agent_versions.list_newer',
  fittingPage(
    `select ${columns}, ${contentBytes} as bytes from agent_versions
    where org_id = :org and agent_id = :agentId and version > :before order by version limit :limit`,
    { inner: columns, order: 'version' },
  ),
)
