import type { RunStatus } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { type RawBuilder, sql, toStatement } from '@ars/platform/db/sql'
import type { Statement } from '@ars/platform/db/statement'
import type { IdRange } from '../id-range.ts'
import { isEnded } from './run.ts'
import { agentsOf, type RunPage } from './run-page.ts'
import { selectPage } from './run-row.store.ts'
import type { RunRow } from './run-row.ts'

/** A page of an organisation, an agent or a pipeline run, in one statement. What is asked of people is not in it. */
export const findPage = (db: Database, org: string, page: RunPage, range: IdRange): Promise<RunRow[]> => {
  const order = orderOf(page)
  // The first three values are those that `selectPage` names by their numbers.
  const conditions = [sql`r.org_id = ${org}`, ...within(sql`r.id`, range), ...runConditions('r', page)]
  const { columns, chosen, beside } = selectPage
  const query = sql`select ${sql.raw(columns)}
    from (${sql.raw(chosen)} where ${all(conditions)} order by r.id ${order} limit ${page.limit}) r
    ${sql.raw(beside)} order by r.id ${order}`
  return db.once<RunRow>(org, named(page, toStatement(query)))
}

/**
 * The ids of a page in its order. Each branch reads one index that is in this order and brings no more than a page:
 * that of a label, else of a status, else of each agent. What else is asked is looked up run by run.
 */
export const findIds = async (db: Database, org: string, page: RunPage, range: IdRange): Promise<string[]> => {
  const order = orderOf(page)
  const branches = branchesOf({ org, range }, page).map(
    ({ id, tables, conditions }) => sql`(select ${id} as id from ${sql.join(tables, sql` cross join lateral `)}
      where ${all([...conditions, ...within(id, range)])} order by ${id} ${order} limit ${page.limit})`,
  )
  // A single branch must not be sorted again: it is in order, and the planner does not see that through a union.
  const [only, ...others] = branches
  const query =
    only && others.length === 0
      ? only
      : sql`select id from (${sql.join(branches, sql` union all `)}) found order by id ${order} limit ${page.limit}`
  return (await db.once<{ id: string }>(org, named(page, toStatement(query)))).map(({ id }) => id)
}

const orderOf = (page: RunPage): Sql => sql.raw(page.before === null ? 'desc' : 'asc')

type Sql = RawBuilder<unknown>
type Place = { org: string; range: IdRange }
type Branch = { id: Sql; tables: readonly Sql[]; conditions: readonly Sql[] }

const branchesOf = (place: Place, page: RunPage): Branch[] => {
  const { org } = place
  const [label, ...labels] = Object.entries(page.metadata)
  const statuses = page.status === null ? [] : [...new Set(page.status)]
  const id = sql`f.run_id`
  if (label) {
    const conditions = [sql`f.org_id = ${org}`, ...labelConditions('f', label)]
    const asked = [...labels.map((each, n) => askLabel(place, each, n)), ...askRun(place, page)]
    if (page.status === null) return [{ id, tables: [sql`run_labels f`, ...asked], conditions }]
    return [...new Set(statuses.map(tableOf))].map((table) => {
      const status = askStatus(place, { table, statuses })
      return { id, tables: [sql`run_labels f`, status, ...asked], conditions }
    })
  }
  if (page.status === null) return [agentsBranch(place, page)]
  const agents = agentsOf(page)
  const agent = agents.length === 0 ? [] : [ownAgent(place, agents)]
  return statuses.map((status) => ({
    id,
    tables: [sql`${sql.raw(tableOf(status))} f`, ...askRun(place, { ...page, ...anyAgent })],
    conditions: [sql`f.org_id = ${org}`, sql`f.status = ${status}`, ...onList(status), ...agent],
  }))
}

const anyAgent = { agentId: null, withinAgents: null } as const

/** A page of each agent by its own index, however rare its runs are; the page is then made of the newest of all. */
const agentsBranch = ({ org, range }: Place, page: RunPage): Branch => {
  const conditions = [sql`a.org_id = ${org}`, sql`a.agent_id = mine.agent_id`, ...within(sql`a.id`, range)]
  const runs = sql`(select a.id as run_id from runs a
      where ${all([...conditions, ...runConditions('a', { ...page, ...anyAgent })])}
      order by a.id ${orderOf(page)} limit ${page.limit}) f`
  return {
    id: sql`f.run_id`,
    tables: [sql`unnest(${agentsOf(page)}::uuid[]) as mine (agent_id)`, runs],
    conditions: [],
  }
}

const tableOf = (status: RunStatus): 'run_results' | 'run_heads' => (isEnded(status) ? 'run_results' : 'run_heads')

/** The index of heads by organisation is for lists alone, and known by this condition, which is always true. */
const onList = (status: RunStatus): Sql[] => (isEnded(status) ? [] : [sql`f.created_at > '-infinity'`])

/** The index of a status holds the agent too. A run that the previous release moved has it only in `runs`. */
const ownAgent = ({ org, range }: Place, agents: readonly string[]): Sql =>
  sql`coalesce(f.agent_id, (select a.agent_id from runs a
        where ${all([sql`a.org_id = ${org}`, sql`a.id = f.run_id`, ...within(sql`a.id`, range)])})) ${among(agents)}`

const among = (agents: readonly string[]): Sql =>
  agents.length === 1 ? sql`= ${agents[0]}` : sql`= any (${agents}::uuid[])`

const askRun = (place: Place, page: RunPage): Sql[] => {
  const conditions = runConditions('a', page)
  return conditions.length === 0 ? [] : [ask(place, { table: 'runs', column: 'id', conditions })]
}

const askStatus = (place: Place, { table, statuses }: { table: string; statuses: readonly RunStatus[] }): Sql => {
  const wanted = statuses.filter((status) => tableOf(status) === table)
  return ask(place, { table, column: 'run_id', conditions: [sql`a.status = any (${wanted}::text[])`] })
}

const askLabel = (place: Place, label: readonly [string, string], n: number): Sql =>
  ask(place, { table: 'run_labels', name: `label_${n}`, column: 'run_id', conditions: labelConditions('a', label) })

/** `name`: for a table that is asked several times. */
type Asked = { table: string; name?: string; column: string; conditions: readonly Sql[] }

/** `limit` keeps it a look-up for each row. Without it the planner may join, which reads and sorts all there is. */
const ask = ({ org, range }: Place, asked: Asked): Sql => {
  const column = sql.raw(`a.${asked.column}`)
  const conditions = [sql`a.org_id = ${org}`, sql`${column} = f.run_id`, ...within(column, range), ...asked.conditions]
  const name = sql.raw(`asked_${asked.name ?? asked.table}`)
  return sql`(select from ${sql.raw(asked.table)} a where ${all(conditions)} limit 1) ${name}`
}

const runConditions = (table: string, page: RunPage): Sql[] => {
  const column = (name: string): Sql => sql.raw(`${table}.${name}`)
  const agents = agentsOf(page)
  return [
    agents.length === 0 ? null : sql`${column('agent_id')} ${among(agents)}`,
    page.pipelineRunId === null ? null : sql`${column('pipeline_run_id')} = ${page.pipelineRunId}`,
    page.createdAfter && sql`${column('created_at')} >= ${nextMillisecond(page.createdAfter)}`,
    page.createdBefore && sql`${column('created_at')} < ${page.createdBefore}`,
  ].filter((condition) => condition !== null)
}

/** A date is shown to the millisecond and kept to the microsecond: a run must not come after the date that it shows. */
const nextMillisecond = (date: Date): Date => new Date(date.getTime() + 1)

const labelConditions = (table: string, [key, value]: readonly [string, string]): Sql[] => [
  sql`${sql.raw(`${table}.key`)} = ${key}`,
  sql`${sql.raw(`${table}.value`)} = ${value}`,
]

const within = (id: Sql, { from, to }: IdRange): Sql[] => [sql`${id} > ${from}`, sql`${id} < ${to}`]

const all = (conditions: readonly Sql[]): Sql => sql.join(conditions, sql` and `)

/**
 * Planning over all partitions takes longer than reading a page, so lists of a usual shape are prepared by name. The
 * others are not: what is prepared stays on its connection, and there are very many shapes.
 */
const named = (page: RunPage, unnamed: Statement): Statement => {
  const statuses = new Set(page.status)
  const labels = Object.keys(page.metadata).length
  const agents = agentsOf(page).length
  const filters = [
    ...[...statuses].map(tableOf),
    ...(labels === 0 ? [] : ['label']),
    ...(agents === 0 ? [] : [agents === 1 ? 'agent' : 'agents']),
    ...(page.pipelineRunId === null ? [] : ['pipeline_run']),
    ...(page.createdAfter === null ? [] : ['created_after']),
    ...(page.createdBefore === null ? [] : ['created_before']),
  ]
  if (statuses.size > 1 || labels > 1 || filters.length > 2) return unnamed
  return { ...unnamed, name: ['runs.list', page.before === null ? 'desc' : 'asc', ...filters].join(' ') }
}
