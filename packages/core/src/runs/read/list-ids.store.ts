import type { RunStatus } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { dynamicSql, type RawBuilder, toStatement } from '@ars/platform/db/dynamic-sql'
import type { Fitting } from '@ars/platform/db/fitting-page'
import type { Statement } from '@ars/platform/db/statement'
import type { IdRange } from '@ars/platform/id-range'
import { isEnded } from '../run/run.ts'
import { selectPage } from '../run/run-row.store.ts'
import type { RunRow } from '../run/run-row.ts'
import { agentsOf, type RunConditions, type RunPage } from './run-page.ts'

/** A page of an organisation, an agent or a pipeline run, in one statement. Open actions are not read. */
export const findPage = (
  db: Database,
  org: string,
  page: RunPage,
  { range, maxBytes }: { range: IdRange; maxBytes: number },
): Promise<Fitting<RunRow>[]> => {
  const order = orderOf(page)
  // The first three values are the ones that `selectPage` refers to by number.
  const conditions = [dynamicSql`r.org_id = ${org}`, ...within(dynamicSql`r.id`, range), ...runConditions('r', page)]
  const { begin, beside, end } = selectPage[page.view][page.before === null ? 'desc' : 'asc']
  const query = dynamicSql`${dynamicSql.raw(begin)} where ${all(conditions)} order by r.id ${order} limit ${page.limit}
    ${dynamicSql.raw(beside)}${maxBytes}${dynamicSql.raw(end)}`
  return db.once(org, named(page, toStatement<Fitting<RunRow>>(query), page.view))
}

/**
 * The ids of a page in its order. Each branch reads one index in this order, and at most one page of it: the index of the
 * owner, else of a label, else of a status, else of each agent. Other filters are looked up for each run.
 */
export const findIds = async (db: Database, org: string, page: RunPage, range: IdRange): Promise<string[]> => {
  const order = orderOf(page)
  const branches = branchesOf({ org, range }, page).map(
    ({
      id,
      tables,
      conditions,
    }) => dynamicSql`(select ${id} as id from ${dynamicSql.join(tables, dynamicSql` cross join lateral `)}
      where ${all([...conditions, ...within(id, range)])} order by ${id} ${order} limit ${page.limit})`,
  )
  // A single branch is in order and must not be sorted again. The planner does not see that through a union.
  const [only, ...others] = branches
  const query =
    only && others.length === 0
      ? only
      : dynamicSql`select id from (${dynamicSql.join(branches, dynamicSql` union all `)}) found order by id ${order} limit ${page.limit}`
  return (await db.once(org, named(page, toStatement<{ id: string }>(query)))).map(({ id }) => id)
}

const orderOf = (page: RunPage): Sql => dynamicSql.raw(page.before === null ? 'desc' : 'asc')

type Sql = RawBuilder<unknown>
type Scope = { org: string; range: IdRange }
type Branch = { id: Sql; tables: readonly Sql[]; conditions: readonly Sql[] }

const branchesOf = (scope: Scope, page: RunPage): Branch[] => {
  const { org } = scope
  const statuses = page.status === null ? [] : [...new Set(page.status)]
  const id = dynamicSql`f.run_id`
  const narrow = page.within.runOwner === null ? labelBranch(scope, page) : ownerBranch(scope, page)
  if (narrow) {
    if (page.status === null) return [narrow]
    const [first, ...asked] = narrow.tables
    return [...new Set(statuses.map(tableOf))].map((table) => ({
      ...narrow,
      tables: [...(first ? [first] : []), askStatus(scope, { table, statuses }), ...asked],
    }))
  }
  if (page.status === null) return [agentsBranch(scope, page)]
  const agents = agentsOf(page)
  const agent = agents.length === 0 ? [] : [ownAgent(scope, agents)]
  return statuses.map((status) => ({
    id,
    tables: [dynamicSql`${dynamicSql.raw(tableOf(status))} f`, ...askRun(scope, { ...page, ...anyAgent })],
    conditions: [dynamicSql`f.org_id = ${org}`, dynamicSql`f.status = ${status}`, ...onList(status), ...agent],
  }))
}

/** Few runs have the label, so it is read first. Null: none is requested. */
const labelBranch = (scope: Scope, page: RunPage): Branch | null => {
  const [label, ...labels] = Object.entries(page.metadata)
  if (!label) return null
  return {
    id: dynamicSql`f.run_id`,
    tables: [dynamicSql`run_labels f`, ...askLabels(scope, labels), ...askRun(scope, page)],
    conditions: [dynamicSql`f.org_id = ${scope.org}`, ...labelConditions('f', label)],
  }
}

/** A demo key or a token has few runs beside those of the organisation, whatever its other filters are. */
const ownerBranch = (scope: Scope, page: RunPage): Branch => {
  const conditions = [dynamicSql`a.org_id = ${scope.org}`, ...runConditions('a', page)]
  const own = dynamicSql`(select a.id as run_id from runs a where ${all(conditions)}) f`
  return {
    id: dynamicSql`f.run_id`,
    tables: [own, ...askLabels(scope, Object.entries(page.metadata))],
    conditions: [dynamicSql`true`],
  }
}

const anyAgent = { agentId: null, within: { ids: null, runOwner: null } } as const

/** Reads a page of each agent from the index, even if its runs are rare. The page consists of the newest of all. */
const agentsBranch = ({ org, range }: Scope, page: RunPage): Branch => {
  const conditions = [
    dynamicSql`a.org_id = ${org}`,
    dynamicSql`a.agent_id = mine.agent_id`,
    ...within(dynamicSql`a.id`, range),
  ]
  const runs = dynamicSql`(select a.id as run_id from runs a
      where ${all([...conditions, ...runConditions('a', { ...page, ...anyAgent })])}
      order by a.id ${orderOf(page)} limit ${page.limit}) f`
  return {
    id: dynamicSql`f.run_id`,
    tables: [dynamicSql`unnest(${agentsOf(page)}::uuid[]) as mine (agent_id)`, runs],
    conditions: [],
  }
}

const tableOf = (status: RunStatus): 'run_results' | 'run_heads' => (isEnded(status) ? 'run_results' : 'run_heads')

/** Always true. The condition selects the partial index of heads by organisation, which serves lists only. */
const onList = (status: RunStatus): Sql[] => (isEnded(status) ? [] : [dynamicSql`f.created_at > '-infinity'`])

/** The index of a status contains the agent. Rows that an older release wrote have the agent only in `runs`. */
const ownAgent = ({ org, range }: Scope, agents: readonly string[]): Sql =>
  dynamicSql`coalesce(f.agent_id, (select a.agent_id from runs a
        where ${all([dynamicSql`a.org_id = ${org}`, dynamicSql`a.id = f.run_id`, ...within(dynamicSql`a.id`, range)])})) ${among(agents)}`

const among = (agents: readonly string[]): Sql =>
  agents.length === 1 ? dynamicSql`= ${agents[0]}` : dynamicSql`= any (${agents}::uuid[])`

const askRun = (scope: Scope, page: RunConditions): Sql[] => {
  const conditions = runConditions('a', page)
  return conditions.length === 0 ? [] : [ask(scope, { table: 'runs', column: 'id', conditions })]
}

const askStatus = (scope: Scope, { table, statuses }: { table: string; statuses: readonly RunStatus[] }): Sql => {
  const wanted = statuses.filter((status) => tableOf(status) === table)
  return ask(scope, { table, column: 'run_id', conditions: [dynamicSql`a.status = any (${wanted}::text[])`] })
}

const askLabels = (scope: Scope, labels: readonly (readonly [string, string])[]): Sql[] =>
  labels.map((label, n) => askLabel(scope, label, n))

const askLabel = (scope: Scope, label: readonly [string, string], n: number): Sql =>
  ask(scope, { table: 'run_labels', name: `label_${n}`, column: 'run_id', conditions: labelConditions('a', label) })

/** `name`: for a table that occurs several times. */
type Asked = { table: string; name?: string; column: string; conditions: readonly Sql[] }

/** `limit` keeps this a lookup for each row. Without it the planner may choose a join that reads and sorts everything. */
const ask = ({ org, range }: Scope, asked: Asked): Sql => {
  const column = dynamicSql.raw(`a.${asked.column}`)
  const conditions = [
    dynamicSql`a.org_id = ${org}`,
    dynamicSql`${column} = f.run_id`,
    ...within(column, range),
    ...asked.conditions,
  ]
  const name = dynamicSql.raw(`asked_${asked.name ?? asked.table}`)
  return dynamicSql`(select from ${dynamicSql.raw(asked.table)} a where ${all(conditions)} limit 1) ${name}`
}

const runConditions = (table: string, page: RunConditions): Sql[] => {
  const column = (name: string): Sql => dynamicSql.raw(`${table}.${name}`)
  const agents = agentsOf(page)
  return [
    agents.length === 0 ? null : dynamicSql`${column('agent_id')} ${among(agents)}`,
    page.within.runOwner === null ? null : dynamicSql`${column('owner_id')} = ${page.within.runOwner}`,
    page.pipelineRunId === null ? null : dynamicSql`${column('pipeline_run_id')} = ${page.pipelineRunId}`,
    page.createdAfter && dynamicSql`${column('created_at')} >= ${nextMillisecond(page.createdAfter)}`,
    page.createdBefore && dynamicSql`${column('created_at')} < ${page.createdBefore}`,
  ].filter((condition) => condition !== null)
}

/** Dates are shown in milliseconds and stored in microseconds: a run must not be later than the date that it shows. */
const nextMillisecond = (date: Date): Date => new Date(date.getTime() + 1)

const labelConditions = (table: string, [key, value]: readonly [string, string]): Sql[] => [
  dynamicSql`${dynamicSql.raw(`${table}.key`)} = ${key}`,
  dynamicSql`${dynamicSql.raw(`${table}.value`)} = ${value}`,
]

const within = (id: Sql, { from, to }: IdRange): Sql[] => [dynamicSql`${id} > ${from}`, dynamicSql`${id} < ${to}`]

const all = (conditions: readonly Sql[]): Sql => dynamicSql.join(conditions, dynamicSql` and `)

/**
 * Planning over all partitions takes longer than reading a page, so frequent shapes of a list are prepared by name. The
 * others are not: a prepared statement stays on its connection, and there are very many shapes.
 */
const named = <Row>(page: RunPage, unnamed: Statement<Row>, what = 'ids'): Statement<Row> => {
  const statuses = new Set(page.status)
  const labels = Object.keys(page.metadata).length
  const agents = agentsOf(page).length
  const filters = [
    ...[...statuses].map(tableOf),
    ...(labels === 0 ? [] : ['label']),
    ...(agents === 0 ? [] : [agents === 1 ? 'agent' : 'agents']),
    ...(page.within.runOwner === null ? [] : ['owner']),
    ...(page.pipelineRunId === null ? [] : ['pipeline_run']),
    ...(page.createdAfter === null ? [] : ['created_after']),
    ...(page.createdBefore === null ? [] : ['created_before']),
  ]
  if (statuses.size > 1 || labels > 1 || filters.length > 2) return unnamed
  return { ...unnamed, name: ['runs.list', what, page.before === null ? 'desc' : 'asc', ...filters].join(' ') }
}
