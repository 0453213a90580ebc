import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { AgentVersion } from './agent.ts'

/** The versions with these numbers that exist. */
export const findVersions = (
  db: Database,
  org: string,
  { agentId, numbers }: { agentId: string; numbers: readonly number[] },
): Promise<AgentVersion[]> => db.once(org, find({ org, agentId, numbers }))

export type VersionPage = { agentId: string; after: number | null; before: number | null; limit: number }

/** Newest first. With `before` the order is oldest first, and the caller reverses it. */
export const listVersions = (db: Database, org: string, page: VersionPage): Promise<AgentVersion[]> =>
  page.before === null
    ? db.once(org, listOlder({ org, agentId: page.agentId, after: page.after, limit: page.limit }))
    : db.once(org, listNewer({ org, agentId: page.agentId, before: page.before, limit: page.limit }))

const columns = `agent_id, version, name, description, config, input_schema, output_schema, limits, policies, metadata,
       created_by, created_by_type, created_at`

const find = statement<{ org: Uuid; agentId: Uuid; numbers: readonly number[] }, AgentVersion>(
  'agent_versions.find',
  sql`select ${columns} from agent_versions where org_id = :org and agent_id = :agentId and version = any (:numbers::integer[])`,
)

const listOlder = statement<{ org: Uuid; agentId: Uuid; after: number | null; limit: number }, AgentVersion>(
  'agent_versions.list_older',
  sql`select ${columns} from agent_versions
    where org_id = :org and agent_id = :agentId and (:after::integer is null or version < :after)
    order by version desc limit :limit`,
)

const listNewer = statement<{ org: Uuid; agentId: Uuid; before: number; limit: number }, AgentVersion>(
  'agent_versions.list_newer',
  sql`select ${columns} from agent_versions
    where org_id = :org and agent_id = :agentId and version > :before order by version limit :limit`,
)
