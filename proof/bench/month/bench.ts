import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { dropOldPartitions, dropPartition, listPartitions, makePartition } from '@ars/core/retention'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { DatabaseBusy } from '@ars/platform/db/unavailable'
import { createLog } from '@ars/platform/log/log'
import type { Stack } from '@ars/tools/dev/stack'
import { Pool } from 'undici'
import { sizeOf } from '../../lab/options.ts'
import { keepOutcome } from '../../lab/report/keep.ts'
import { bar, claim, type Outcome } from '../../lab/report/outcome.ts'
import { loadAverage, printReport, tell } from '../../lab/report/progress.ts'
import { logLevel, openFreshStack } from '../../lab/stack/fresh-stack.ts'
import { withPortBlock } from '../../lab/stack/port-block.ts'
import { withClient } from '../../lab/stack/sql.ts'
import { type MonthOptions, readMonthOptions } from './options.ts'

export { monthHelp } from './options.ts'

const retentionDays = 30
const maxDropMs = 60_000

type Midnights = {
  made: number
  dropped: number
  busy: number
  statuses: Record<string, number>
  slowestMs: number
  deadlocks: number
}
const noResponse = 'none'
type DroppedDay = { day: string; rows: number; ms: number }

export const benchMonth = async (args: readonly string[]): Promise<boolean> => {
  const options = readMonthOptions(args)
  return withPortBlock(options.base, async (base) => {
    const startedAt = new Date()
    const { stack, dispose } = await openFreshStack({ dir: options.dir, base })
    try {
      await stack.start()
      await stack.command(['migrate'])
      const seed = JSON.parse(await stack.command(['admin', 'seed', '--json'])) as Seed
      await stack.server({ role: 'all', env: { ARS_LOG_LEVEL: logLevel } }).start()
      const log = createLog({ level: 'silent' })
      const system = openDatabase({ url: stack.postgres.url('ars_system'), name: 'month', size: 2, log })
      const midnights = await passMidnights(stack, system, seed, options)
      const days = await dropLargeDays(stack, system, options)
      await system.close()
      printReport(report(options, startedAt, midnights, days))
      keepOutcome({ proof: 'bench-month', size: sizeOf(options), outcome: outcomeOf(midnights, days) })
      return isRight(midnights, days)
    } finally {
      await dispose()
    }
  })
}

type Seed = { api_key: string; agents: { id: string; name: string }[] }

/** Each midnight creates one day of every table and drops one, as the sweeps do, but without an hour in between. */
const passMidnights = async (
  stack: Stack,
  system: Database,
  seed: Seed,
  { midnights, callers }: MonthOptions,
): Promise<Midnights> => {
  const { today, parents } = await listPartitions(system)
  const result: Midnights = { made: 0, dropped: 0, busy: 0, statuses: {}, slowestMs: 0, deadlocks: 0 }
  const whileBusy = async (work: () => Promise<boolean>): Promise<boolean> => {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof DatabaseBusy)) throw error
        result.busy++
        await sleep(300)
      }
    }
  }
  const dayOf = (parent: string, day: number) => ({ parent, firstDay: day, endDay: day + 1 })
  for (let night = 0; night < midnights; night++) {
    for (const parent of parents) await makePartition(system, dayOf(parent, today - 3 - night))
  }
  const load = startLoad(stack, seed, { callers, result })
  for (let night = 0; night < midnights; night++) {
    for (const parent of parents) {
      if (await whileBusy(() => makePartition(system, dayOf(parent, today + 15 + night)))) result.made++
    }
    for (const parent of parents) {
      if (await whileBusy(() => dropPartition(system, dayOf(parent, today - 3 - night)))) result.dropped++
    }
    if (night % 5 === 0) tell(`midnight ${night + 1}: ${JSON.stringify(result.statuses)}, busy ${result.busy}`)
    await sleep(400)
  }
  await load.stop()
  await withClient(stack.postgres.superuserUrl('ars'), async (client) => {
    const { rows } = await client.query<{ deadlocks: number }>(
      'select deadlocks::integer as deadlocks from pg_stat_database where datname = current_database()',
    )
    result.deadlocks = rows[0]?.deadlocks ?? 0
  })
  return result
}

const startLoad = (stack: Stack, seed: Seed, { callers, result }: { callers: number; result: Midnights }) => {
  const agentId = seed.agents.find(({ name }) => name === 'test-echo')?.id
  const pool = new Pool(`https://127.0.0.1:${stack.ports.gateway[0]}`, {
    connections: callers,
    connect: { ca: readFileSync(stack.tls.certFile), servername: 'localhost' },
  })
  let isStopped = false
  const ask = async (): Promise<number> => {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: '/v2/runs',
      headers: { authorization: `Bearer ${seed.api_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ agent_id: agentId, input: { query: 'x' } }),
    })
    await body.dump()
    return statusCode
  }
  const call = async (): Promise<void> => {
    while (!isStopped) {
      const beganMs = performance.now()
      const status = await ask().catch(() => noResponse)
      result.statuses[status] = (result.statuses[status] ?? 0) + 1
      result.slowestMs = Math.max(result.slowestMs, performance.now() - beganMs)
      // A refused caller waits for the second that `Retry-After` names.
      if (!(Number(status) < 400)) await sleep(1000)
    }
  }
  const calls = Array.from({ length: callers }, call)
  return {
    stop: async () => {
      isStopped = true
      await Promise.all(calls)
      await pool.close()
    },
  }
}

/** Fills days that are past the retention and drops each, oldest first. */
const dropLargeDays = async (stack: Stack, system: Database, options: MonthOptions): Promise<DroppedDay[]> => {
  const { today, parents } = await listPartitions(system)
  const dropped: DroppedDay[] = []
  for (let n = 0; n < options.days; n++) {
    const firstDay = today - retentionDays - 2 - n
    for (const parent of parents) await makePartition(system, { parent, firstDay, endDay: firstDay + 1 })
    tell(`writing ${options.rows.toLocaleString('en')} runs of day ${n + 1}`)
    await withClient(stack.postgres.superuserUrl('ars'), async (client) => {
      await client.query('set synchronous_commit = off')
      await client.query(fillDay, [firstDay, options.rows])
    })
    const beganMs = performance.now()
    await dropOldPartitions({ system, log: createLog({ level: 'silent' }) }, { days: retentionDays, deltaHours: 24 })
    const ms = performance.now() - beganMs
    const left = (await listPartitions(system)).partitions.filter((each) => each.firstDay === firstDay).length
    if (left > 0) throw new Error(`${left} partitions of the day are left`)
    dropped.push({ day: new Date(firstDay * 86_400_000).toISOString().slice(0, 10), rows: options.rows, ms })
    tell(`dropped in ${Math.round(ms)} ms`)
  }
  return dropped
}

const fillDay = `with made as materialized (
    select (left(uuid_floor((date '1970-01-01' + $1::integer)::timestamp at time zone 'utc'
              + (n::double precision / $2) * interval '86399 seconds')::text, 14) || '7' || substr(md5('a' || n), 1, 3)
            || '-8' || substr(md5('b' || n), 1, 3) || '-' || substr(md5('c' || n), 1, 12))::uuid as id,
           md5('organisation ' || n % 100)::uuid as org_id, n
      from generate_series(1, $2::integer) n
  ), run as (
    insert into runs (input_bytes, created_by, created_by_type, id, org_id, agent_id, agent_version, input, timeout_seconds)
    select 2, '01890a5d-ac96-774b-bcce-b302099a80ff'::uuid, 'key', id, org_id, org_id, 1, json_build_object('query', md5(n::text)), 600 from made
  ), event as (
    insert into run_events (run_id, seq, org_id, type) select id, 1, org_id, 'run.created' from made
  )
  insert into run_results (last_seq, stored_bytes, run_id, org_id, agent_id, status, output, input_tokens, output_tokens, finished_at)
  select 1, 0, id, org_id, org_id, 'completed', json_build_object('result', repeat(md5(n::text), 4)), 1, 1, app_now() from made`

const failuresOf = ({ statuses }: Midnights): number =>
  Object.entries(statuses).reduce((sum, [status, count]) => sum + (Number(status) < 500 ? 0 : count), 0)

const isRight = (midnights: Midnights, days: readonly DroppedDay[]): boolean =>
  failuresOf(midnights) === 0 && midnights.deadlocks === 0 && days.every(({ ms }) => ms <= maxDropMs)

const outcomeOf = (midnights: Midnights, days: readonly DroppedDay[]): Outcome => ({
  claims: [
    claim(
      'no request fails beside partitions that come and go',
      failuresOf(midnights) === 0,
      JSON.stringify(midnights.statuses),
    ),
    claim('no deadlock', midnights.deadlocks === 0, String(midnights.deadlocks)),
    bar('the slowest drop of a day, ms', Math.max(...days.map(({ ms }) => ms)), { most: maxDropMs }, 0),
  ],
  metrics: [
    ['partitions created', midnights.made],
    ['partitions dropped', midnights.dropped],
    ['slowest response, ms', Math.round(midnights.slowestMs)],
    ['runs of a day', days[0]?.rows ?? 0],
  ],
})

const report = (options: MonthOptions, startedAt: Date, midnights: Midnights, days: readonly DroppedDay[]): string =>
  `# Bench: a month of partitions

Measured on ${startedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${cpus().length} vCPU, load ${loadAverage().toFixed(1)}, everything on one machine. Made by \`${options.command}\`.

## ${options.midnights} midnights under load

${options.callers} callers run \`test-echo\` as fast as they are answered. Each midnight creates one day of every table and drops one.

| | |
|---|---|
| Partitions created, dropped | ${midnights.made}, ${midnights.dropped} |
| Locks given up and tried again | ${midnights.busy} |
| Responses by status | ${Object.entries(midnights.statuses)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ')} |
| Responses of 5xx, and requests without a response (must be 0) | ${failuresOf(midnights)} |
| Deadlocks (must be 0) | ${midnights.deadlocks} |
| Slowest response | ${Math.round(midnights.slowestMs)} ms |

## Retention of large days

| Day | Runs | Dropped in (at most ${maxDropMs / 1000} s) |
|---|---|---|
${days.map(({ day, rows, ms }) => `| ${day} | ${rows.toLocaleString('en')} | ${(ms / 1000).toFixed(1)} s |`).join('\n')}
`
