import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import type { AgentVersion } from './agent.ts'

/** Those of these numbers that there are. */
export const findVersions = (
  db: Database,
  org: string,
  { agentId, numbers }: { agentId: string; numbers: readonly number[] },
): Promise<AgentVersion[]> => db.once<AgentVersion>(org, find(org, agentId, numbers))

export type VersionPage = { agentId: string; after: number | null; before: number | null; limit: number }

/** Newest first. `before` reads towards the newer ones, and is turned round again by the caller. */
export const listVersions = (db: Database, org: string, page: VersionPage): Promise<AgentVersion[]> =>
  page.before === null
    ? db.once<AgentVersion>(org, listOlder(org, page.agentId, page.after, page.limit))
    : db.once<AgentVersion>(org, listNewer(org, page.agentId, page.before, page.limit))

const columns = `agent_id, version, name, description, config, input_schema, output_schema, limits, policies, metadata,
       created_by, created_by_type, created_at`

const find = statement(
  'agent_versions.find',
  `select ${columns} from agent_versions where org_id = $1 and agent_id = $2 and version = any ($3::integer[])`,
)

const listOlder = statement(
  'agent_versions.list_older',
  `select ${columns} from agent_versions
    where org_id = $1 and agent_id = $2 and ($3::integer is null or version < $3)
    order by version desc limit $4`,
)

const listNewer = statement(
  'agent_versions.list_newer',
  `select ${columns} from agent_versions
    where org_id = $1 and agent_id = $2 and version > $3 order by version limit $4`,
)
