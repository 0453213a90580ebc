import type { RunStatus } from '@ars/contract'
import { dynamicSql, type RawBuilder } from '@ars/platform/db/dynamic-sql'
import type { IdRange } from '@ars/platform/id-range'
import { isEnded } from '../run/run.ts'
import { agentsOf, type RunConditions, type RunPage } from './run-page.ts'

/*
 * The ids of a page, as branches that are united. Each branch reads one index in the order of the page; its other filters
 * are looked up for each run. A branch starts where fewest runs are expected to be passed over.
 */

export type Sql = RawBuilder<unknown>
type Scope = { org: string; range: IdRange }
type Branch = { tables: readonly Sql[]; conditions: readonly Sql[] }

export const branchesOf = (scope: Scope, page: RunPage): Branch[] => {
  const source = sourceOf(scope, page)
  if (page.errorCodes !== null) {
    const codes = [...new Set(page.errorCodes)]
    if (source?.share !== 'few') return codes.map((code) => errorBranch(scope, page, code))
    return [source.branch([ask(scope, { table: 'run_results', column: 'run_id', conditions: [errorIn('a', codes)] })])]
  }
  if (page.status === null) return [source?.branch([]) ?? agentsBranch(scope, page)]
  const statuses = [...new Set(page.status)]
  const atStatus = statuses.filter((status) => startsAtStatus(status, statuses, source))
  const atSource = statuses.filter((status) => !atStatus.includes(status))
  return [
    ...atStatus.map((status) => statusBranch(scope, page, status)),
    ...[...new Set(atSource.map(tableOf))].flatMap((table) =>
      source ? [source.branch([askStatus(scope, { table, statuses: atSource })])] : [],
    ),
  ]
}

/** The ids of one branch, at most one page of them. */
export const selectOf = ({ range }: Scope, page: RunPage, { tables, conditions }: Branch): Sql =>
  dynamicSql`select f.run_id from ${dynamicSql.join(tables, dynamicSql` cross join lateral `)}
      where ${all([...conditions, ...within(runId, range)])} order by f.run_id ${orderOf(page)} limit ${page.limit}`

export const orderOf = (page: RunPage): Sql => dynamicSql.raw(page.before === null ? 'desc' : 'asc')

export const tableOf = (status: RunStatus): 'run_results' | 'run_heads' =>
  isEnded(status) ? 'run_results' : 'run_heads'

const runId = dynamicSql`f.run_id`

/**
 * The filter whose runs are read first. `few`: it has few runs whatever the other filters are. `some`: it may have many.
 * `many`: it is expected to. `branch`: its runs, for which these lookups answer.
 */
type Source = { share: 'few' | 'some' | 'many'; branch: (lookups: readonly Sql[]) => Branch }

/** Null: no filter but those by status and agent. */
const sourceOf = (scope: Scope, page: RunPage): Source | null => {
  if (page.runIds !== null) return { share: 'few', branch: (lookups) => idsBranch(scope, page, lookups) }
  // A demo key or a token has few runs beside those of the organisation.
  const isFew = page.within.runOwner !== null || page.parentRunId !== null || page.pipelineRunId !== null
  if (isFew) return { share: 'few', branch: (lookups) => runsBranch(scope, page, lookups) }
  if (Object.keys(page.metadata).length > 0) {
    return { share: 'some', branch: (lookups) => labelBranch(scope, page, lookups) }
  }
  if (page.creator === null && page.deploymentIds === null) return null
  return { share: 'many', branch: (lookups) => runsBranch(scope, page, lookups) }
}

/** Active runs are few. Completed runs are most of all; the others are expected to be fewer than those of a creator. */
const startsAtStatus = (status: RunStatus, asked: readonly RunStatus[], source: Source | null): boolean => {
  if (source === null) return true
  if (source.share === 'few') return false
  return !isEnded(status) || (source.share === 'many' && !asked.includes('completed'))
}

const idsBranch = (scope: Scope, page: RunPage, lookups: readonly Sql[]): Branch => ({
  tables: [
    dynamicSql`unnest(${[...new Set(page.runIds)]}::uuid[]) as f (run_id)`,
    ask(scope, { table: 'runs', column: 'id', conditions: runConditions('a', page) }),
    ...lookups,
    ...askLabels(scope, Object.entries(page.metadata)),
  ],
  conditions: [],
})

/** The columns of `runs` decide which of its indexes is read. */
const runsBranch = (scope: Scope, page: RunPage, lookups: readonly Sql[]): Branch => {
  const asked = [...lookups, ...askLabels(scope, Object.entries(page.metadata))]
  const deployments = page.deploymentIds ?? []
  if (deployments.length <= 1) return ownRuns(scope, { asked, conditions: runConditions('a', page) })
  const conditions = [...runConditions('a', { ...page, deploymentIds: null }), dynamicSql`a.deployment_id = mine.value`]
  return eachOf(scope, page, { values: deployments, branch: ownRuns(scope, { asked, conditions }) })
}

const ownRuns = (
  { org }: Scope,
  { asked, conditions }: { asked: readonly Sql[]; conditions: readonly Sql[] },
): Branch => ({
  tables: [
    dynamicSql`(select a.id as run_id from runs a where ${all([dynamicSql`a.org_id = ${org}`, ...conditions])}) f`,
    ...asked,
  ],
  conditions: [],
})

/** Reads a page of each value from the index, even if its runs are rare. The page consists of the newest of all. */
const eachOf = (scope: Scope, page: RunPage, each: { values: readonly string[]; branch: Branch }): Branch => ({
  tables: [
    dynamicSql`unnest(${each.values}::uuid[]) as mine (value)`,
    dynamicSql`(${selectOf(scope, page, each.branch)}) f`,
  ],
  conditions: [],
})

const agentsBranch = (scope: Scope, page: RunPage): Branch => {
  const conditions = [...runConditions('a', { ...page, ...anyAgent }), dynamicSql`a.agent_id = mine.value`]
  return eachOf(scope, page, { values: agentsOf(page), branch: ownRuns(scope, { asked: [], conditions }) })
}

const labelBranch = (scope: Scope, page: RunPage, lookups: readonly Sql[]): Branch => {
  const [label, ...labels] = Object.entries(page.metadata)
  return {
    tables: [dynamicSql`run_labels f`, ...lookups, ...askLabels(scope, labels), ...askRun(scope, page)],
    conditions: [dynamicSql`f.org_id = ${scope.org}`, ...(label ? labelConditions('f', label) : [])],
  }
}

const errorBranch = (scope: Scope, page: RunPage, code: string): Branch => ({
  tables: [dynamicSql`run_results f`, ...askLabels(scope, Object.entries(page.metadata)), ...askRun(scope, page)],
  conditions: [dynamicSql`f.org_id = ${scope.org}`, errorIn('f', [code])],
})

const statusBranch = (scope: Scope, page: RunPage, status: RunStatus): Branch => {
  const agents = agentsOf(page)
  return {
    tables: [
      dynamicSql`${dynamicSql.raw(tableOf(status))} f`,
      ...askLabels(scope, Object.entries(page.metadata)),
      ...askRun(scope, { ...page, ...anyAgent }),
    ],
    conditions: [
      dynamicSql`f.org_id = ${scope.org}`,
      dynamicSql`f.status = ${status}`,
      ...onList(status),
      // The index of a status contains the agent.
      ...(agents.length === 0 ? [] : [dynamicSql`f.agent_id ${among(agents)}`]),
    ],
  }
}

const anyAgent = { within: { ids: null, runOwner: null } } as const

/** Always true. The condition selects the partial index of heads by organisation, which serves lists only. */
const onList = (status: RunStatus): Sql[] => (isEnded(status) ? [] : [dynamicSql`f.created_at > '-infinity'`])

const among = (ids: readonly string[]): Sql =>
  ids.length === 1 ? dynamicSql`= ${ids[0]}` : dynamicSql`= any (${ids}::uuid[])`

const errorIn = (table: string, codes: readonly string[]): Sql => {
  const code = dynamicSql.raw(`${table}.error_code`)
  return codes.length === 1 ? dynamicSql`${code} = ${codes[0]}` : dynamicSql`${code} = any (${codes}::text[])`
}

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

export const runConditions = (table: string, page: RunConditions): Sql[] => {
  const column = (name: string): Sql => dynamicSql.raw(`${table}.${name}`)
  const agents = agentsOf(page)
  const { creator, deploymentIds } = page
  return [
    agents.length === 0 ? null : dynamicSql`${column('agent_id')} ${among(agents)}`,
    page.within.runOwner === null ? null : dynamicSql`${column('owner_id')} = ${page.within.runOwner}`,
    deploymentIds && dynamicSql`${column('deployment_id')} ${among(deploymentIds)}`,
    creator && dynamicSql`${column('created_by')} = ${creator.id}`,
    creator && dynamicSql`${column('created_by_type')} = ${creator.type}`,
    page.parentRunId === null ? null : dynamicSql`${column('parent_run_id')} = ${page.parentRunId}`,
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

export const within = (id: Sql, { from, to }: IdRange): Sql[] => [
  dynamicSql`${id} > ${from}`,
  dynamicSql`${id} < ${to}`,
]

export const all = (conditions: readonly Sql[]): Sql => dynamicSql.join(conditions, dynamicSql` and `)
