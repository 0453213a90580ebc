import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import type { Agent } from './agent.ts'

export const findAgent = async (db: Database, org: string, id: string): Promise<Agent | null> => {
  const [row] = await db.once<Agent>(org, find(org, id))
  return row ?? null
}

export type AgentPage = {
  /** None but these; null: all. */
  ids: readonly string[] | null
  status: string | null
  after: string | null
  before: string | null
  limit: number
}

/** Newest first. `before` reads towards the newer ones, and is turned round again by the caller. */
export const listAgents = (db: Database, org: string, page: AgentPage): Promise<Agent[]> =>
  page.before === null
    ? db.once<Agent>(org, listOlder(org, page.status, page.after, page.limit, page.ids))
    : db.once<Agent>(org, listNewer(org, page.status, page.before, page.limit, page.ids))

/** What tells which agents a demo key may reach. */
export const listCatalogAgents = (db: Database, org: string): Promise<Pick<Agent, 'id' | 'source' | 'config'>[]> =>
  db.once(org, listCatalog(org, agentsMost))

export const insertAgent = async (db: Database, org: string, agent: NewAgent): Promise<void> => {
  const { id, name, description, kind, source, catalog_key, config, secrets = null } = agent
  await db.once(org, add(id, org, name, description, kind, source, catalog_key, config, secrets))
}

export type NewAgent = Pick<Agent, 'id' | 'name' | 'description' | 'kind' | 'source' | 'catalog_key' | 'config'> & {
  /** Sealed. */
  secrets?: Buffer | null
}

/** Apart from the agent itself, so that no list and no answer can carry them by mistake. */
export const findAgentSecrets = async (db: Database, org: string, id: string): Promise<Buffer | null> => {
  const [row] = await db.once<{ secrets: Buffer | null }>(org, findSecrets(org, id))
  return row?.secrets ?? null
}

/** As many as an organisation may have. */
const agentsMost = 1000

const columns = `id, name, description, status, kind, source, catalog_key, version, config, input_schema, output_schema,
       limits, policies, metadata, created_at, updated_at, archived_at`

const find = statement('agents.find', `select ${columns} from agents where org_id = $1 and id = $2`)

const findSecrets = statement('agents.find_secrets', 'select secrets from agents where org_id = $1 and id = $2')

const listOlder = statement(
  'agents.list_older',
  `select ${columns} from agents
    where org_id = $1 and ($2::text is null or status = $2) and ($3::uuid is null or id < $3)
      and ($5::uuid[] is null or id = any ($5))
    order by id desc limit $4`,
)

const listNewer = statement(
  'agents.list_newer',
  `select ${columns} from agents
    where org_id = $1 and ($2::text is null or status = $2) and id > $3
      and ($5::uuid[] is null or id = any ($5))
    order by id limit $4`,
)

const listCatalog = statement(
  'agents.list_catalog',
  `select id, source, config from agents where org_id = $1 and source = 'catalog' order by id limit $2`,
)

const add = statement(
  'agents.add',
  `insert into agents (id, org_id, name, description, kind, source, catalog_key, config, secrets)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
)
