import type { Database } from '@ars/platform/db/database'
import { dynamicSql, toStatement } from '@ars/platform/db/dynamic-sql'
import type { Fitting } from '@ars/platform/db/fitting-page'
import type { Statement } from '@ars/platform/db/statement'
import type { IdRange } from '@ars/platform/id-range'
import { selectPage } from '../run/run-row.store.ts'
import type { RunRow } from '../run/run-row.ts'
import { all, branchesOf, orderOf, runConditions, selectOf, tableOf, within } from './list-branches.sql.ts'
import { agentsOf, type RunPage } from './run-page.ts'

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

/** The ids of a page in its order. */
export const findIds = async (db: Database, org: string, page: RunPage, range: IdRange): Promise<string[]> => {
  const scope = { org, range }
  const branches = branchesOf(scope, page).map((branch) => dynamicSql`(${selectOf(scope, page, branch)})`)
  // A single branch is in order and must not be sorted again. The planner does not see that through a union.
  const [only, ...others] = branches
  const query =
    only && others.length === 0
      ? only
      : dynamicSql`select run_id from (${dynamicSql.join(branches, dynamicSql` union all `)}) found
          order by run_id ${orderOf(page)} limit ${page.limit}`
  return (await db.once(org, named(page, toStatement<{ run_id: string }>(query)))).map(({ run_id }) => run_id)
}

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
    ...(page.creator === null ? [] : ['creator']),
    ...(page.deploymentIds === null ? [] : [page.deploymentIds.length === 1 ? 'deployment' : 'deployments']),
    ...(page.errorCodes === null ? [] : ['error']),
    ...(page.parentRunId === null ? [] : ['parent_run']),
    ...(page.runIds === null ? [] : ['ids']),
    ...(page.pipelineRunId === null ? [] : ['pipeline_run']),
    ...(page.createdAfter === null ? [] : ['created_after']),
    ...(page.createdBefore === null ? [] : ['created_before']),
  ]
  const isOneOfMany = statuses.size > 1 || labels > 1 || (page.errorCodes?.length ?? 0) > 1 || filters.length > 2
  // Which of the two is read first depends on the status.
  const isByStatus = statuses.size > 0 && (page.creator !== null || page.deploymentIds !== null)
  if (isOneOfMany || isByStatus) return unnamed
  return { ...unnamed, name: ['runs.list', what, page.before === null ? 'desc' : 'asc', ...filters].join(' ') }
}
