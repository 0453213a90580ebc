import { limits } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { type Fitting, fittingPage } from '@ars/platform/db/fitting-page'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { AccessRow, AllowedAgents } from '../agent-access.ts'
import { budgetColumns } from '../budgets/index.ts'
import type { Agent, AgentAuthor, AgentContent } from './agent.ts'

export const findAgent = async (db: Database, org: string, id: string): Promise<(Agent & AccessRow) | null> => {
  const [row] = await db.once(org, find({ org, id }))
  return row ?? null
}

export type AgentPage = {
  /** Only these. */
  within: AllowedAgents
  status: readonly string[] | null
  source: readonly string[] | null
  /** A text in the name or the description. */
  text: string | null
  after: string | null
  before: string | null
  limit: number
}

/** Newest first. With `before` the order is oldest first, and the caller reverses it. */
export const listAgents = (db: Database, org: string, page: AgentPage): Promise<Fitting<Agent>[]> => {
  const { status, source, limit } = page
  const maxBytes = limits.pageBytes
  const ids = page.within.ids && [...page.within.ids]
  // These three characters are special in `ilike`.
  const pattern = page.text === null ? null : `%${page.text.replaceAll(/[\\%_]/g, '\\$&')}%`
  return page.before === null
    ? db.once(org, listOlder({ org, status, after: page.after, limit, ids, source, pattern, maxBytes }))
    : db.once(org, listNewer({ org, status, before: page.before, limit, ids, source, pattern, maxBytes }))
}

/** The facts that decide which agents a demo key may use. */
export const listCatalogAgents = (db: Database, org: string): Promise<AccessRow[]> =>
  db.once(org, listCatalog({ org, limit: limits.agentsPerOrganisation }))

/** Serialises additions to an organisation until the commit, so that a count stays correct. */
export const lockAgents = async (tx: Tx, org: string): Promise<void> => {
  await tx.query(lockAll({ org }))
}

/** Counts the agents that are not archived. */
export const countAgents = async (tx: Tx, org: string): Promise<number> => {
  const [row] = await tx.query(count({ org }))
  return row?.agents ?? 0
}

export type NewAgent = AgentContent &
  Pick<Agent, 'id' | 'kind' | 'source' | 'catalog_key' | 'catalog_version'> & {
    /** The content of the catalog entry; null for agents that are not from the catalog. */
    catalogBase: Readonly<Record<string, unknown>> | null
    /** Encrypted. */
    secrets: Buffer | null
    author: AgentAuthor
  }

/** A trigger stores the first version. */
export const insertAgent = async (tx: Tx, org: string, agent: NewAgent): Promise<Agent> => {
  const { id, kind, source, catalog_key, catalog_version, catalogBase, secrets, author } = agent
  const row = contentRowOf(agent, { catalogVersion: catalog_version, catalogBase, secrets, author })
  const [added] = await tx.query(add({ org, id, kind, source, catalogKey: catalog_key, ...row }))
  if (!added) throw new Error('The database did not return the agent that was inserted')
  return added
}

/** A locked agent, with the fields that only a change needs. */
export type LockedAgent = Agent & { latest_version: number; catalog_base: Record<string, unknown> | null }

/** Locks the agent until the commit, for changes and releases. Null: there is no such agent. */
export const lockAgent = async (tx: Tx, org: string, id: string): Promise<LockedAgent | null> => {
  const [row] = await tx.query(lock({ org, id }))
  return row ?? null
}

export type NextVersion = AgentContent & {
  version: number
  catalogVersion: number | null
  catalogBase: Readonly<Record<string, unknown>> | null
  /** Encrypted again; null: the agent keeps its secrets. */
  secrets: Buffer | null
  author: AgentAuthor
}

/** Stores a version with an unused number. The caller holds the lock. */
export const updateAgent = async (tx: Tx, org: string, id: string, next: NextVersion): Promise<Agent> => {
  const [row] = await tx.query(update({ org, id, version: next.version, ...contentRowOf(next, next) }))
  if (!row) throw new Error('The locked agent does not exist')
  return row
}

/** Null: there is no active agent with this id. */
export const archiveAgent = async (tx: Tx, org: string, id: string): Promise<Agent | null> => {
  const [row] = await tx.query(archive({ org, id }))
  return row ?? null
}

export type ActiveRuns = { status: 'queued' | 'running' | 'requires_action' | 'cancelling'; runs: number }

/** The runs of an agent that have not ended, by state; the oldest `limit` of them. */
export const countActiveRuns = (db: Database, org: string, agentId: string, limit: number): Promise<ActiveRuns[]> =>
  db.once(org, countActive({ org, agentId, limit }))

/** Null: there is no archived agent with this id. */
export const unarchiveAgent = async (tx: Tx, org: string, id: string): Promise<Agent | null> => {
  const [row] = await tx.query(unarchive({ org, id }))
  return row ?? null
}

/** The sealed secrets of a remote agent. */
export type SealedSecrets = {
  /** Of the version: the credential, and the signing secret that the agent was created with. */
  secrets: Buffer | null
  /** The signing secret that replaced it. Null: it was not replaced. */
  signing_secret: Buffer | null
  /** The replaced one signs too. */
  overlaps: boolean
  /** The replaced one. Null: the one that the agent was created with. */
  old_signing_secret: Buffer | null
}

/** Separate from the agent, so that no list and no response can contain them by mistake. */
export const findAgentSecrets = async (
  db: Database,
  org: string,
  id: string,
  version: number,
): Promise<SealedSecrets | null> => {
  const [row] = await db.once(org, findSecrets({ org, id, version }))
  return row ?? null
}

export type NewSigningSecret = { id: string; secret: Buffer; overlapHours: number }

/** The current signing secret becomes the old one. The secret before it is no longer valid. */
export const replaceSigningSecret = async (tx: Tx, org: string, change: NewSigningSecret): Promise<void> => {
  await tx.query(rotate({ org, ...change }))
}

type ContentRow = {
  catalogVersion: number | null
  catalogBase: Readonly<Record<string, unknown>> | null
  secrets: Buffer | null
  changedBy: Uuid | null
  changedByType: string
  name: string
  description: string | null
  config: AgentContent['config']
  inputSchema: AgentContent['input_schema']
  outputSchema: AgentContent['output_schema']
  limits: AgentContent['limits']
  policies: AgentContent['policies']
  metadata: AgentContent['metadata']
}

const contentRowOf = (
  content: AgentContent,
  {
    catalogVersion,
    catalogBase,
    secrets,
    author,
  }: Pick<NextVersion, 'catalogVersion' | 'catalogBase' | 'secrets' | 'author'>,
): ContentRow => ({
  catalogVersion,
  catalogBase,
  secrets,
  changedBy: author.by,
  changedByType: author.type,
  name: content.name,
  description: content.description,
  config: content.config,
  inputSchema: content.input_schema,
  outputSchema: content.output_schema,
  limits: content.limits,
  policies: content.policies,
  metadata: content.metadata,
})

const names = `id, name, description, status, kind, source, catalog_key, catalog_version, version, config, input_schema,
       output_schema, limits, policies, metadata, created_at, updated_at, archived_at`
const attached =
  'array(select t.policy_id from policy_attachments t where t.org_id = :org and t.subject_id = agents.id order by t.id) as attached_policies'
const columns = `${names}, ${attached}, ${budgetColumns({ org: ':org', subject: 'id' })}`
const pageColumns = `${names}, attached_policies, monthly_budget_usd, budget_action`

// Instructions, schemas and scripts may be large; the other columns are short.
export const contentBytes =
  'octet_length(config::text) + coalesce(octet_length(input_schema::text), 0) + coalesce(octet_length(output_schema::text), 0)'

// Every version that a run may get: the shown one, the live one and the canary.
const usesTools = sql`exists (select from agent_versions v
     where v.org_id = :org and v.agent_id = agents.id and v.version in (agents.version, agents.live_version, agents.canary_version)
       and jsonb_typeof(v.config -> 'tools') = 'array' and v.config -> 'tools' <> '[]') as uses_tools`

const find = statement<{ org: Uuid; id: Uuid }, Agent & AccessRow>(
  'agents.find',
  sql`select ${columns}, ${usesTools} from agents where org_id = :org and id = :id`,
)

const findSecrets = statement<{ org: Uuid; id: Uuid; version: number }, SealedSecrets>(
  'agents.find_secrets',
  sql`select v.secrets, a.signing_secret, a.old_signing_secret,
             coalesce(a.old_signing_secret_until > app_now(), false) as overlaps
        from agent_versions v join agents a on a.org_id = v.org_id and a.id = v.agent_id
       where v.org_id = :org and v.agent_id = :id and v.version = :version`,
)

const filter = sql`(:status::text[] is null or status = any (:status)) and (:ids::uuid[] is null or id = any (:ids))
      and (:source::text[] is null or source = any (:source))
      and (:pattern::text is null or name ilike :pattern or description ilike :pattern)`

type ListParameters = {
  org: Uuid
  status: readonly string[] | null
  limit: number
  ids: readonly Uuid[] | null
  source: readonly string[] | null
  pattern: string | null
  maxBytes: number
}

const listOlder = statement<ListParameters & { after: Uuid | null }, Fitting<Agent>>(
  'agents.list_older',
  fittingPage(
    `select ${columns}, ${contentBytes} as bytes from agents
    where org_id = :org and (:after::uuid is null or id < :after) and ${filter}
    order by id desc limit :limit`,
    { inner: pageColumns, order: 'id desc' },
  ),
)

const listNewer = statement<ListParameters & { before: Uuid }, Fitting<Agent>>(
  'agents.list_newer',
  fittingPage(
    `select ${columns}, ${contentBytes} as bytes from agents
    where org_id = :org and id > :before and ${filter} order by id limit :limit`,
    { inner: pageColumns, order: 'id' },
  ),
)

const listCatalog = statement<{ org: Uuid; limit: number }, AccessRow>(
  'agents.list_catalog',
  sql`select id, source, ${usesTools} from agents where org_id = :org and source = 'catalog' order by id limit :limit`,
)

const lockAll = statement<{ org: Uuid }>(
  'agents.lock_all',
  sql`select pg_advisory_xact_lock(hashtextextended('agents ' || :org::text, 0)) is null`,
)

const count = statement<{ org: Uuid }, { agents: number }>(
  'agents.count',
  sql`select count(*)::integer as agents from agents where org_id = :org and status = 'active'`,
)

const countActive = statement<{ org: Uuid; agentId: Uuid; limit: number }, ActiveRuns>(
  'agents.count_active_runs',
  sql`select status, count(*)::integer as runs
        from (
          -- The condition, which is always true, and the order select the index run_heads_by_agent in every plan.
          select status from run_heads
           where org_id = :org and agent_id = :agentId and created_at > '-infinity' order by created_at limit :limit
        ) counted
       group by status`,
)

const add = statement<
  ContentRow & { org: Uuid; id: Uuid; kind: string; source: string; catalogKey: string | null },
  Agent
>(
  'agents.add',
  sql`insert into agents (id, org_id, kind, source, catalog_key, catalog_version, catalog_base, secrets, changed_by,
     changed_by_type, name, description, config, input_schema, output_schema, limits, policies, metadata)
   values (:id, :org, :kind, :source, :catalogKey, :catalogVersion, :catalogBase, :secrets, :changedBy, :changedByType,
     :name, :description, :config, :inputSchema, :outputSchema, :limits, :policies, :metadata)
   returning ${columns}`,
)

const lock = statement<{ org: Uuid; id: Uuid }, LockedAgent>(
  'agents.lock',
  sql`select ${columns}, latest_version, catalog_base from agents where org_id = :org and id = :id for update`,
)

const update = statement<ContentRow & { org: Uuid; id: Uuid; version: number }, Agent>(
  'agents.update',
  sql`update agents
      set version = :version, latest_version = :version, catalog_version = :catalogVersion, catalog_base = :catalogBase,
          secrets = coalesce(:secrets, secrets), changed_by = :changedBy, changed_by_type = :changedByType, name = :name,
          description = :description, config = :config, input_schema = :inputSchema, output_schema = :outputSchema,
          limits = :limits, policies = :policies, metadata = :metadata, updated_at = app_now()
    where org_id = :org and id = :id returning ${columns}`,
)

const archive = statement<{ org: Uuid; id: Uuid }, Agent>(
  'agents.archive',
  sql`update agents set status = 'archived', archived_at = app_now(), updated_at = app_now()
    where org_id = :org and id = :id and status = 'active' returning ${columns}`,
)

const unarchive = statement<{ org: Uuid; id: Uuid }, Agent>(
  'agents.unarchive',
  sql`update agents set status = 'active', archived_at = null, updated_at = app_now()
    where org_id = :org and id = :id and status = 'archived' returning ${columns}`,
)

const rotate = statement<{ org: Uuid; id: Uuid; secret: Buffer; overlapHours: number }>(
  'agents.rotate_signing_secret',
  sql`update agents
      set old_signing_secret = case when :overlapHours::integer > 0 then signing_secret end,
          old_signing_secret_until = case when :overlapHours > 0 then app_now() + make_interval(hours => :overlapHours) end,
          signing_secret = :secret
    where org_id = :org and id = :id`,
)
