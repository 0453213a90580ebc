import { limits } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import type { Agent, AgentContent, Author } from './agent.ts'
import type { Reached } from './reach.ts'

export const findAgent = async (db: Database, org: string, id: string): Promise<(Agent & Reached) | null> => {
  const [row] = await db.once<Agent & Reached>(org, find(org, id))
  return row ?? null
}

export type AgentPage = {
  /** None but these; null: all. */
  ids: readonly string[] | null
  status: string | null
  source: string | null
  /** Stands in the name or the description. */
  text: string | null
  after: string | null
  before: string | null
  limit: number
}

/** Newest first. `before` reads towards the newer ones, and is turned round again by the caller. */
export const listAgents = (db: Database, org: string, page: AgentPage): Promise<Agent[]> => {
  const { status, source, ids, limit } = page
  // For `ilike` these three mean something else than themselves.
  const pattern = page.text === null ? null : `%${page.text.replaceAll(/[\\%_]/g, '\\$&')}%`
  return page.before === null
    ? db.once<Agent>(org, listOlder(org, status, page.after, limit, ids, source, pattern))
    : db.once<Agent>(org, listNewer(org, status, page.before, limit, ids, source, pattern))
}

/** What tells which agents a demo key may reach. */
export const listCatalogAgents = (db: Database, org: string): Promise<Reached[]> =>
  db.once(org, listCatalog(org, limits.agentsPerOrganisation))

/** Those who add to one organisation go one after the other from here to the commit, so that a count stays true. */
export const lockAgents = async (tx: Tx, org: string): Promise<void> => {
  await tx.query(lockAll(org))
}

/** Those that are not archived. */
export const countAgents = async (tx: Tx, org: string): Promise<number> => {
  const [row] = await tx.query<{ agents: number }>(count(org))
  return row?.agents ?? 0
}

export type NewAgent = AgentContent &
  Pick<Agent, 'id' | 'kind' | 'source' | 'catalog_key' | 'catalog_version'> & {
    /** What the catalog said; null for agents that are not of the catalog. */
    catalogBase: Readonly<Record<string, unknown>> | null
    /** Sealed. */
    secrets: Buffer | null
    author: Author
  }

/** Its first version is kept by the database itself. */
export const insertAgent = async (tx: Tx, org: string, agent: NewAgent): Promise<Agent> => {
  const { id, kind, source, catalog_key, catalog_version, catalogBase, secrets, author } = agent
  const { name, description, config, input_schema, output_schema } = agent
  const [row] = await tx.query<Agent>(
    add(
      ...[id, org, kind, source, catalog_key, catalog_version, catalogBase, secrets, author.by, author.type],
      ...[name, description, config, input_schema, output_schema, agent.limits, agent.policies, agent.metadata],
    ),
  )
  if (!row) throw new Error('The database did not answer with the agent that was inserted')
  return row
}

/** An agent as it is under its lock, with what only a change needs. */
export type LockedAgent = Agent & { latest_version: number; catalog_base: Record<string, unknown> | null }

/** Nobody else changes or releases the agent from here to the commit. */
export const lockAgent = async (tx: Tx, org: string, id: string): Promise<LockedAgent | null> => {
  const [row] = await tx.query<LockedAgent>(lock(org, id))
  return row ?? null
}

export type NextVersion = AgentContent & {
  version: number
  catalogVersion: number | null
  catalogBase: Readonly<Record<string, unknown>> | null
  /** Sealed anew; null: those that the agent has. */
  secrets: Buffer | null
  author: Author
}

/** Writes a version with a number that was never given. The caller holds the lock. */
export const updateAgent = async (tx: Tx, org: string, id: string, next: NextVersion): Promise<Agent> => {
  const { version, catalogVersion, catalogBase, secrets, author } = next
  const { name, description, config, input_schema, output_schema } = next
  const [row] = await tx.query<Agent>(
    update(
      ...[org, id, version, catalogVersion, catalogBase, secrets, author.by, author.type],
      ...[name, description, config, input_schema, output_schema, next.limits, next.policies, next.metadata],
    ),
  )
  if (!row) throw new Error('The agent that is locked is not there')
  return row
}

/** Null: it is archived already, or not there. */
export const archiveAgent = async (tx: Tx, org: string, id: string): Promise<Agent | null> => {
  const [row] = await tx.query<Agent>(archive(org, id))
  return row ?? null
}

/** Apart from the agent itself, so that no list and no answer can carry them by mistake. */
export const findAgentSecrets = async (
  db: Database,
  org: string,
  id: string,
  version: number,
): Promise<Buffer | null> => {
  const [row] = await db.once<{ secrets: Buffer | null }>(org, findSecrets(org, id, version))
  return row?.secrets ?? null
}

const columns = `id, name, description, status, kind, source, catalog_key, catalog_version, version, config, input_schema,
       output_schema, limits, policies, metadata, created_at, updated_at, archived_at`

// Whatever a run may be given: what is shown, what runs, and what runs beside it.
const usesTools = `exists (select from agent_versions v
     where v.org_id = $1 and v.agent_id = a.id and v.version in (a.version, a.live_version, a.canary_version)
       and jsonb_typeof(v.config -> 'tools') = 'array' and v.config -> 'tools' <> '[]') as uses_tools`

const find = statement('agents.find', `select ${columns}, ${usesTools} from agents a where org_id = $1 and id = $2`)

const findSecrets = statement(
  'agents.find_secrets',
  'select secrets from agent_versions where org_id = $1 and agent_id = $2 and version = $3',
)

const filter = `($2::text is null or status = $2) and ($5::uuid[] is null or id = any ($5))
      and ($6::text is null or source = $6) and ($7::text is null or name ilike $7 or description ilike $7)`

const listOlder = statement(
  'agents.list_older',
  `select ${columns} from agents
    where org_id = $1 and ($3::uuid is null or id < $3) and ${filter}
    order by id desc limit $4`,
)

const listNewer = statement(
  'agents.list_newer',
  `select ${columns} from agents where org_id = $1 and id > $3 and ${filter} order by id limit $4`,
)

const listCatalog = statement(
  'agents.list_catalog',
  `select id, source, ${usesTools} from agents a where org_id = $1 and source = 'catalog' order by id limit $2`,
)

const lockAll = statement(
  'agents.lock_all',
  `select pg_advisory_xact_lock(hashtextextended('agents ' || $1::text, 0)) is null`,
)

const count = statement(
  'agents.count',
  `select count(*)::integer as agents from agents where org_id = $1 and status = 'active'`,
)

const add = statement(
  'agents.add',
  `insert into agents (id, org_id, kind, source, catalog_key, catalog_version, catalog_base, secrets, changed_by,
     changed_by_type, name, description, config, input_schema, output_schema, limits, policies, metadata)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) returning ${columns}`,
)

const lock = statement(
  'agents.lock',
  `select ${columns}, latest_version, catalog_base from agents where org_id = $1 and id = $2 for update`,
)

const update = statement(
  'agents.update',
  `update agents set version = $3, latest_version = $3, catalog_version = $4, catalog_base = $5,
     secrets = coalesce($6, secrets), changed_by = $7, changed_by_type = $8, name = $9, description = $10, config = $11,
     input_schema = $12, output_schema = $13, limits = $14, policies = $15, metadata = $16, updated_at = app_now()
    where org_id = $1 and id = $2 returning ${columns}`,
)

const archive = statement(
  'agents.archive',
  `update agents set status = 'archived', archived_at = app_now(), updated_at = app_now()
    where org_id = $1 and id = $2 and status = 'active' returning ${columns}`,
)
