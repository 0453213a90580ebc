import { type Database, openDatabase } from '@ars/platform/db/database'
import type { Statement } from '@ars/platform/db/statement'
import { createLog } from '@ars/platform/log/log'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allowedAmong } from '../../../packages/core/src/agent-access.ts'
import { listRuns } from '../../../packages/core/src/runs/read/list.store.ts'
import type { RunPage } from '../../../packages/core/src/runs/read/run-page.ts'
import { creators, customers, deployments, fillRuns, parentRun } from './rows.ts'

// How the database goes about GET /runs, as the role and with the row-level security that the service has. The plans
// are those of prepared statements, as customers get them.
const organisation = '11111111-1111-7111-8111-111111111111'
const [rareAgent, busyAgent] = ['22222222-2222-7222-8222-222222222222', '33333333-3333-7333-8333-333333333333'] as const
const rows = 200_000
const days = 30

let database: TestDatabase
let app: Database
let now: Date
let page1000: string
let someIds: string[]

beforeAll(async () => {
  database = await createTestDatabase()
  await fillRuns(database.superuserUrl, { organisation, agents: [rareAgent, busyAgent], rows, days }, () => undefined)
  const log = createLog({ level: 'silent' })
  app = openDatabase({ url: database.appUrl, name: 'plans', size: 1, acquireTimeoutMs: 30_000, log })
  const facts = await asClient(database.superuserUrl, (client) =>
    client.query<{ now: Date; id: string; ids: string[] }>(
      `select app_now() as now, (select id from runs where org_id = $1 order by id desc offset 19980 limit 1) as id,
              (select array_agg(id) from (select id from runs where org_id = $1 order by md5(id::text) limit 100) chosen) as ids`,
      [organisation],
    ),
  )
  now = facts.rows[0]?.now ?? new Date(0)
  page1000 = facts.rows[0]?.id ?? ''
  someIds = facts.rows[0]?.ids ?? []
}, 300_000)
afterAll(async () => {
  await app?.close()
  await database?.drop()
})

const only = (agentIds: ReadonlySet<string> | null) =>
  allowedAmong({ org: '', agentIds, isDemo: false, runOwner: null }, [])

const firstPage: RunPage = {
  view: 'full',
  within: only(null),
  limit: 21,
  after: null,
  before: null,
  status: null,
  createdAfter: null,
  createdBefore: null,
  pipelineRunId: null,
  metadata: {},
  errorCodes: null,
  deploymentIds: null,
  creator: null,
  parentRunId: null,
  runIds: null,
}
const keyOf = (id: string) => ({ id, type: 'key' }) as const
const daysAgo = (count: number): Date => new Date(now.getTime() - count * 86_400_000)

// `most` is how many rows the scans of one statement may touch in all, those that a filter throws away included.
const cases: [string, () => Partial<RunPage>, { found: number; most: number }][] = [
  ['page 1', () => ({}), { found: 21, most: 100 }],
  ['page 1,000', () => ({ after: page1000 }), { found: 21, most: 100 }],
  ['a page backwards', () => ({ before: page1000 }), { found: 21, most: 100 }],
  ['status=failed', () => ({ status: ['failed'] }), { found: 21, most: 100 }],
  ['several states', () => ({ status: ['failed', 'running', 'queued'] }), { found: 21, most: 250 }],
  ['agent_id of a busy agent', () => ({ within: only(new Set([busyAgent])) }), { found: 21, most: 100 }],
  ['agent_id of an agent with few runs', () => ({ within: only(new Set([rareAgent])) }), { found: 21, most: 200 }],
  ['the agents of a narrowed key', () => ({ within: only(new Set([rareAgent, busyAgent])) }), { found: 21, most: 300 }],
  [
    'status and the agents of a narrowed key',
    () => ({ status: ['failed'], within: only(new Set([rareAgent, busyAgent])) }),
    { found: 21, most: 200 },
  ],
  ['metadata[k] of many runs', () => ({ metadata: { customer: customers.busy } }), { found: 21, most: 100 }],
  ['metadata[k] of few runs', () => ({ metadata: { customer: customers.rare } }), { found: 21, most: 200 }],
  ['metadata[k] of no run', () => ({ metadata: { customer: 'nobody' } }), { found: 0, most: 0 }],
  ['created_before', () => ({ createdBefore: daysAgo(10) }), { found: 21, most: 100 }],
  [
    'status and metadata[k]',
    () => ({ status: ['failed'], metadata: { customer: customers.busy } }),
    { found: 21, most: 3_000 },
  ],
  ['created_by of a busy key', () => ({ creator: keyOf(creators.busy) }), { found: 21, most: 100 }],
  ['created_by of a key with few runs', () => ({ creator: keyOf(creators.rare) }), { found: 21, most: 200 }],
  ['created_by of nobody', () => ({ creator: keyOf(parentRun) }), { found: 0, most: 0 }],
  ['deployment_id of a busy deployment', () => ({ deploymentIds: [deployments.busy] }), { found: 21, most: 100 }],
  ['deployment_id of few runs', () => ({ deploymentIds: [deployments.rare] }), { found: 21, most: 200 }],
  ['several deployments', () => ({ deploymentIds: [deployments.rare, deployments.busy] }), { found: 21, most: 300 }],
  ['parent_run_id', () => ({ parentRunId: parentRun }), { found: 21, most: 200 }],
  ['error_code of many runs', () => ({ errorCodes: ['model_error'] }), { found: 21, most: 150 }],
  ['error_code of few runs', () => ({ errorCodes: ['tool_error'] }), { found: 21, most: 150 }],
  ['error_code of no run', () => ({ errorCodes: ['run_timeout'] }), { found: 0, most: 0 }],
  ['several codes', () => ({ errorCodes: ['tool_error', 'model_error', 'run_timeout'] }), { found: 21, most: 200 }],
  ['ids', () => ({ runIds: someIds }), { found: 21, most: 300 }],
  ['ids and status', () => ({ runIds: someIds, status: ['completed', 'failed'] }), { found: 21, most: 500 }],
  [
    'status=running and created_by of a busy key',
    () => ({ status: ['running'], creator: keyOf(creators.busy) }),
    { found: 7, most: 100 },
  ],
  [
    'status=running and metadata[k] of many runs',
    () => ({ status: ['running'], metadata: { customer: customers.busy } }),
    { found: 0, most: 100 },
  ],
  [
    'status=completed and created_by of a key with few runs',
    () => ({ status: ['completed'], creator: keyOf(creators.rare) }),
    { found: 21, most: 300 },
  ],
  [
    'status=failed and created_by of a busy key',
    () => ({ status: ['failed'], creator: keyOf(creators.busy) }),
    { found: 21, most: 200 },
  ],
  [
    'status=completed and several deployments',
    () => ({ status: ['completed'], deploymentIds: [deployments.rare, deployments.busy] }),
    { found: 21, most: 500 },
  ],
  ['status and agent_id', () => ({ status: ['failed'], within: only(new Set([busyAgent])) }), { found: 21, most: 100 }],
]

test.each(cases)('%s reads an index in its order and little beside', async (_what, more, { found, most }) => {
  const { listed, statements } = await watch({ ...firstPage, ...more() })
  expect(listed).toBe(found)
  for (const statement of statements) {
    const nodes = await explain(statement)
    // The heads of the few runs that are active fit into a page or two, which may well be read as they are.
    const scans = nodes.filter(isScanOfPartition)
    expect(scans.length).toBeGreaterThan(0)
    const whole = scans.filter((node) => node['Node Type'] === 'Seq Scan' && touched(node) > 0)
    expect(whole.map((node) => node['Relation Name'])).toEqual([])
    expect(scans.reduce((sum, node) => sum + touched(node), 0)).toBeLessThanOrEqual(most)
    const sorted = nodes.filter((node) => node['Node Type'].includes('Sort')).map((node) => node['Actual Rows'])
    expect(Math.max(0, ...sorted)).toBeLessThanOrEqual(3 * firstPage.limit)
  }
})

test('page 1,000 costs the database no more pages of memory than page 1', async () => {
  const costs: number[] = []
  for (const more of [{}, { after: page1000 }]) {
    const { statements } = await watch({ ...firstPage, ...more })
    const [ids] = statements
    const [top] = ids ? await explain(ids) : []
    costs.push((top?.['Shared Hit Blocks'] ?? 0) + (top?.['Shared Read Blocks'] ?? 0))
  }
  const [first = 0, thousandth = 0] = costs
  expect(first).toBeGreaterThan(0)
  expect(thousandth).toBeLessThanOrEqual(2 * first)
})

/** Lists, and keeps the statements that were sent for it. */
const watch = async (page: RunPage): Promise<{ listed: number; statements: Statement[] }> => {
  const statements: Statement[] = []
  const watched: Database = {
    ...app,
    once: (org, statement) => {
      statements.push(statement)
      return app.once(org, statement)
    },
  }
  const { runs } = await listRuns(watched, organisation, page, now)
  return { listed: runs.length, statements }
}

type Node = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Node[]
}

const isScanOfPartition = (node: Node): boolean =>
  node['Node Type'].includes('Scan') && /_p\d{8}$/.test(node['Relation Name'] ?? '')
const touched = (node: Node): number =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']

const explain = (statement: Statement): Promise<Node[]> =>
  asClient(database.appUrl, async (client) => {
    await client.query(`select set_config('app.org_id', '${organisation}', false)`)
    await client.query(`prepare asked as ${statement.text}`)
    const values = statement.values.map((value) => pg.escapeLiteral(toText(value)))
    const { rows: plans } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
      `explain (analyze, buffers, timing off, format json) execute asked (${values.join(', ')})`,
    )
    const [plan] = plans[0]?.['QUERY PLAN'] ?? []
    return plan ? flatten(plan.Plan) : []
  })

const flatten = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(flatten)]

const toText = (value: unknown): string => {
  if (Array.isArray(value)) return `{${value.join(',')}}`
  return value instanceof Date ? value.toISOString() : String(value)
}
