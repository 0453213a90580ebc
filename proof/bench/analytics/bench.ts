import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { allowedAmong } from '@ars/core/agent-access'
import { listPartitions, makePartition } from '@ars/core/retention'
import { countEnds, createAnalytics } from '@ars/core/usage'
import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import type { Statement } from '@ars/platform/db/statement'
import { createLog } from '@ars/platform/log/log'
import { testRequest } from '@ars/testkit/caller'
import type { Stack } from '@ars/tools/dev/stack'
import { Pool } from 'undici'
import { quantile } from '../../lab/measure/statistics.ts'
import { sizeOf } from '../../lab/options.ts'
import { keepOutcome } from '../../lab/report/keep.ts'
import { bar, type Outcome } from '../../lab/report/outcome.ts'
import { loadAverage, printReport, tell } from '../../lab/report/progress.ts'
import { logLevel, openFreshStack } from '../../lab/stack/fresh-stack.ts'
import { withPortBlock } from '../../lab/stack/port-block.ts'
import { withClient } from '../../lab/stack/sql.ts'
import { type AnalyticsOptions, readAnalyticsOptions } from './options.ts'

export { analyticsHelp } from './options.ts'

const days = 30
const maxRows = 3_000
const maxP95Ms = 300
const runsPerPlanting = 250_000

type Seed = { organisation: string; api_key: string }
type Size = {
  runs: number
  rowsRead: number
  buckets: number
  countedPerSecond: number
  p50Ms: number
  p95Ms: number
  bytes: number
}

export const benchAnalytics = async (args: readonly string[]): Promise<boolean> => {
  const options = readAnalyticsOptions(args)
  return withPortBlock(options.base, async (base) => {
    const startedAt = new Date()
    const { stack, dispose } = await openFreshStack({ dir: options.dir, base })
    try {
      await stack.start()
      await stack.command(['migrate'])
      const seed = JSON.parse(await stack.command(['admin', 'seed', '--json'])) as Seed
      const log = createLog({ level: 'silent' })
      const open = (role: 'ars_system' | 'ars_app') =>
        openDatabase({ url: stack.postgres.url(role), name: 'bench', size: 2, log })
      const [system, app] = [open('ars_system'), open('ars_app')]
      await makeMonth(system)
      const sizes: Size[] = []
      for (const runs of options.runs) {
        const planted = sizes.at(-1)?.runs ?? 0
        await plant(stack, seed.organisation, { from: planted, to: runs, agents: options.agents })
        sizes.push(await measure(stack, { system, app, seed, runs, added: runs - planted, options }))
      }
      await Promise.all([system.close(), app.close()])
      printReport(report(options, startedAt, sizes))
      keepOutcome({ proof: 'bench-analytics', size: sizeOf(options), outcome: outcomeOf(sizes) })
      return isRight(sizes)
    } finally {
      await dispose()
    }
  })
}

const makeMonth = async (system: Database): Promise<void> => {
  const { today } = await listPartitions(system)
  for (const parent of ['runs', 'run_results', 'events'])
    for (let ago = 2; ago <= days + 1; ago++)
      await makePartition(system, { parent, firstDay: today - ago, endDay: today - ago + 1 })
}

const plant = async (
  stack: Stack,
  org: string,
  { from, to, agents }: { from: number; to: number; agents: number },
): Promise<void> => {
  await withClient(stack.postgres.superuserUrl('ars'), async (client) => {
    await client.query('set synchronous_commit = off')
    for (let first = from; first < to; first += runsPerPlanting) {
      const last = Math.min(to, first + runsPerPlanting)
      await client.query(plantRuns, [org, first + 1, last, agents, days, from, to])
      tell(`${last.toLocaleString('en')} runs planted`)
    }
    for (const table of ['runs', 'run_results', 'events']) await client.query(`analyze ${table}`)
  })
}

type Measuring = {
  system: Database
  app: Database
  seed: Seed
  runs: number
  /** Runs that were planted for this size. */
  added: number
  options: AnalyticsOptions
}

const measure = async (stack: Stack, { system, app, seed, runs, added, options }: Measuring): Promise<Size> => {
  const beganMs = performance.now()
  for (let counted = 0, ends: number | null = 1; ends; counted += ends ?? 0) {
    ends = await countEnds(system)
    if (counted % 100_000 === 0) tell(`${counted.toLocaleString('en')} runs counted`)
  }
  const countedPerSecond = (added / (performance.now() - beganMs)) * 1000
  const buckets = await withClient(stack.postgres.superuserUrl('ars'), async (client) => {
    await client.query('vacuum analyze usage_buckets')
    const { rows } = await client.query<{ buckets: number }>('select count(*)::integer as buckets from usage_buckets')
    return rows[0]?.buckets ?? 0
  })
  const to = systemClock.now()
  const from = new Date(to.getTime() - days * 86_400_000)
  const period = { from: from.toISOString(), to: to.toISOString(), interval: 'hour' } as const
  const explained = { rows: 0 }
  const ctx = testRequest(seed.organisation)
  await createAnalytics({ app: explaining(app, explained), clock: systemClock }).get(ctx, period, allowedAmong(ctx, []))
  // Only now: a worker would count beside the bench.
  const server = stack.server({ role: 'all', env: { ARS_LOG_LEVEL: logLevel } })
  await server.start()
  const { times, bytes } = await call(stack, seed, { ...options, query: new URLSearchParams(period) })
  await server.stop()
  const size = {
    runs,
    rowsRead: explained.rows,
    buckets,
    countedPerSecond,
    bytes,
    p50Ms: quantile(times, 0.5),
    p95Ms: quantile(times, 0.95),
  }
  tell(JSON.stringify(size))
  return size
}

/** The same database, which also adds up the rows that scans of figures return. */
const explaining = (db: Database, found: { rows: number }): Database => ({
  ...db,
  once: async <Row>(org: string | null, statement: Statement<Row>): Promise<Row[]> => {
    const text = `explain (analyze, format json) ${statement.text}`
    const [plan] = await db.once(org, { text, values: statement.values } as Statement<{ 'QUERY PLAN': Plan[] }>)
    for (const { Plan } of plan?.['QUERY PLAN'] ?? []) found.rows += rowsOf(Plan)
    return db.once(org, statement)
  },
})

type Node = {
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Node[]
}
type Plan = { Plan: Node }

const rowsOf = (node: Node): number => {
  const own = node['Relation Name']?.startsWith('usage_')
    ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    : 0
  return (node.Plans ?? []).reduce((sum, each) => sum + rowsOf(each), own)
}

const call = async (
  stack: Stack,
  seed: Seed,
  { calls, query }: { calls: number; query: URLSearchParams },
): Promise<{ times: number[]; bytes: number }> => {
  const pool = new Pool(`https://127.0.0.1:${stack.ports.gateway[0]}`, {
    connections: 1,
    connect: { ca: readFileSync(stack.tls.certFile), servername: 'localhost' },
  })
  const times: number[] = []
  let bytes = 0
  for (let n = 0; n < calls; n++) {
    const beganMs = performance.now()
    const { statusCode, body } = await pool.request({
      method: 'GET',
      path: `/v2/analytics?${query}`,
      headers: { authorization: `Bearer ${seed.api_key}` },
    })
    bytes = (await body.arrayBuffer()).byteLength
    if (statusCode !== 200) throw new Error(`GET /analytics answered ${statusCode}`)
    times.push(performance.now() - beganMs)
  }
  await pool.close()
  return { times, bytes }
}

const isRight = (sizes: readonly Size[]): boolean =>
  sizes.every(({ rowsRead, p95Ms }) => rowsRead <= maxRows && p95Ms <= maxP95Ms)

// Positions in the order of ends, as the relay would assign them. Latencies are log-normal around 2 s.
const plantRuns = `with made as materialized (
    select n, app_now() - interval '1 minute' - $5::integer * interval '1 day' * (1 - (n - $6::bigint) / ($7::bigint - $6::bigint)::double precision) as finished_at,
           exp(7.6 + 0.9 * (random() + random() + random() + random() - 2) * 1.732) as latency_ms
      from generate_series($2::bigint, $3::bigint) n
  ), timed as materialized (
    select n, finished_at, finished_at - latency_ms * interval '1 millisecond' as created_at,
           (left(uuid_floor(finished_at - latency_ms * interval '1 millisecond')::text, 14) || '7' || substr(md5('a' || n), 1, 3)
            || '-8' || substr(md5('b' || n), 1, 3) || '-' || substr(md5('c' || n), 1, 12))::uuid as id,
           (left(uuid_floor(finished_at)::text, 14) || '7' || substr(md5('d' || n), 1, 3)
            || '-8' || substr(md5('e' || n), 1, 3) || '-' || substr(md5('f' || n), 1, 12))::uuid as event_id,
           md5('agent ' || floor(power(random(), 2) * $4::integer))::uuid as agent_id,
           case when n % 50 = 0 then 'failed' when n % 97 = 0 then 'cancelled' else 'completed' end as status
      from made
  ), run as (
    insert into runs (input_bytes, created_by, created_by_type, id, org_id, agent_id, agent_version, input, timeout_seconds, created_at)
    select 2, '01890a5d-ac96-774b-bcce-b302099a80ff'::uuid, 'key', id, $1, agent_id, 1 + n % 2, '{}', 600, created_at from timed
  ), result as (
    insert into run_results (last_seq, stored_bytes, run_id, org_id, agent_id, status, error, input_tokens, output_tokens, cost_usd, started_at, finished_at)
    select 1, 0, id, $1, agent_id, status, case status when 'failed' then '{"code":"model_error","message":"x"}'::json end, 900, 200, 0.004,
           created_at + interval '20 milliseconds', finished_at from timed
  )
  insert into events (id, org_id, type, subject_id, created_at, position)
  select event_id, $1, 'run.' || status, id, finished_at, n from timed`

const outcomeOf = (sizes: readonly Size[]): Outcome => ({
  claims: sizes.flatMap(({ runs, rowsRead, p95Ms }) => [
    bar(`${runs} runs: rows of figures read`, rowsRead, { most: maxRows }, 0),
    bar(`${runs} runs: p95 ms`, p95Ms, { most: maxP95Ms }, 0),
  ]),
  metrics: sizes.map(({ runs, countedPerSecond }) => [
    `${runs} runs: counted per second`,
    Math.round(countedPerSecond),
  ]),
})

const report = (options: AnalyticsOptions, startedAt: Date, sizes: readonly Size[]): string =>
  `# Bench: analytics of a month

Measured on ${startedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${cpus().length} vCPU, load ${loadAverage().toFixed(1)}, everything on one machine. Made by \`${options.command}\`.

One organisation with ${options.agents} agents and two versions of each; runs over ${days} days with log-normal latencies. \`GET /analytics\` for ${days} days by hour, ${options.calls} calls over HTTPS, one after the other.

| runs | rows of figures read (at most ${maxRows.toLocaleString('en')}) | rows of figures stored | p50 | p95 (at most ${maxP95Ms} ms) | answer | counted by one process |
|---|---|---|---|---|---|---|
${sizes
  .map(
    ({ runs, rowsRead, buckets, p50Ms, p95Ms, bytes, countedPerSecond }) =>
      `| ${runs.toLocaleString('en')} | ${rowsRead.toLocaleString('en')} | ${buckets.toLocaleString('en')} | ${Math.round(p50Ms)} ms | ${Math.round(p95Ms)} ms | ${Math.round(bytes / 1000)} KB | ${Math.round(countedPerSecond).toLocaleString('en')} runs/s |`,
  )
  .join('\n')}

Rows are those that scans of the figures return, by \`explain analyze\` of every statement of one call. All ${isRight(sizes) ? '' : 'do not '}hold.
`
