import { setTimeout as sleep } from 'node:timers/promises'
import { toUuid } from '@ars/platform/id'
import { readWrites, writesBetween } from '../../../lab/measure/durability.ts'
import type { WindowResult } from '../../../lab/measure/load.ts'
import type { PlaceSettings } from '../../../lab/options.ts'
import { loadAverage, tell } from '../../../lab/report/progress.ts'
import { openSql, type Sql } from '../../../lab/stack/sql.ts'
import { type Correctness, checkCorrectness } from '../correctness.ts'
import { startLoad } from '../load.ts'
import { type Demand, type Part, parts } from './capacity.ts'
import { demandOf, type Held, holdAgainst, type Used } from './held.ts'
import { type CapacitySubject, startCapacitySubject } from './subject.ts'

export type MeasureOptions = PlaceSettings & {
  ratesPerSecond: readonly number[]
  streamsPerSecond: number
  seconds: number
}

/** One kind of load at one rate: the demand, its use of the stack, and the prediction beside it. */
export type Stretch = {
  name: string
  perSecond: number
  demand: Demand
  used: Used
  held: readonly Held[]
  window: WindowResult
}

export type CapacityMetrics = {
  options: MeasureOptions
  startedAt: Date
  loadAverage: number
  stretches: readonly Stretch[]
  correctness: Correctness
}

const callers = 64
const warmUpMs = 10_000
/** A backend that goes idle hands in its counts within ten seconds, and deliveries are sent within that time. */
const settleMs = 11_000
const sampleEveryMs = 2_000

/** Real runs at known rates, compared with what the model predicts for them. */
export const measureCapacity = async (options: MeasureOptions, base: number): Promise<CapacityMetrics> => {
  const startedAt = new Date()
  tell('Starting Postgres, Redis, Restate, a gateway, a worker and a receiver')
  const subject = await startCapacitySubject({ dir: options.dir, base })
  const sql = openSql(subject.stack.postgres.superuserUrl('ars'))
  try {
    const windows = { warmUp: [] as WindowResult[], measured: [] as WindowResult[] }
    const stretches: Stretch[] = []
    for (const plan of plansOf(options)) {
      const load = await startLoad(
        { service: subject.targets[plan.target], control: subject.targets.plain },
        subject.watched,
      )
      const order = { side: 'service', callers, ratePerSecond: plan.perSecond } as const
      tell(`${plan.name}: ${plan.perSecond} per second`)
      windows.warmUp.push(await load.run({ ...order, leadInMs: 0, lengthMs: warmUpMs }))
      await sleep(settleMs)
      const { window, used } = await measureUse(subject, sql, () =>
        load.run({ ...order, leadInMs: 0, lengthMs: 1000 * options.seconds }),
      )
      load.close()
      windows.measured.push(window)
      const demand = demandOf(used, {
        ...plan.kind,
        bytesPerRun: await payloadBytes(sql, window),
        eventsPerStream: await eventsPerStream(sql, window),
      })
      const held = holdAgainst(demand, used)
      stretches.push({ name: plan.name, perSecond: plan.perSecond, demand, used, held, window })
      for (const { quantity, predicted, measured } of held)
        tell(`  ${quantity}: ${predicted.toFixed(2)} / ${measured.toFixed(2)}`)
    }
    const correctness = await checkCorrectness(subject.stack.postgres.superuserUrl('ars'), windows)
    return { options, startedAt, loadAverage: loadAverage(), stretches, correctness }
  } finally {
    await sql.close()
    await subject.stop()
  }
}

type Plan = {
  name: string
  target: keyof CapacitySubject['targets']
  perSecond: number
  kind: Pick<Demand, 'stepsPerRun' | 'deliveriesPerRun' | 'streamShare'>
}

const plansOf = ({ ratesPerSecond, streamsPerSecond }: MeasureOptions): Plan[] => {
  const plain = { stepsPerRun: 1, deliveriesPerRun: 0, streamShare: 0 }
  const [lowest = 1] = ratesPerSecond
  return [
    ...ratesPerSecond.map((perSecond) => ({ name: 'runs', target: 'plain' as const, perSecond, kind: plain })),
    { name: 'runs with a delivery', target: 'delivered', perSecond: lowest, kind: { ...plain, deliveriesPerRun: 1 } },
    {
      name: 'streamed runs',
      target: 'streamed',
      perSecond: streamsPerSecond,
      kind: { ...plain, streamShare: 1 },
    },
  ]
}

/** The deliveries of a stretch are made after its runs have ended, so the use is read until all of them are. */
const measureUse = async (
  { stack }: CapacitySubject,
  sql: Sql,
  play: () => Promise<WindowResult>,
): Promise<{ window: WindowResult; used: Used }> => {
  const before = { writes: await readWrites(stack), bytes: await databaseBytes(sql) }
  const sampler = sampleConnections(sql)
  const window = await play()
  const connections = await sampler.stop()
  await untilDelivered(sql)
  await sleep(settleMs)
  const writes = writesBetween(before.writes, await readWrites(stack))
  const cpuMs = Object.fromEntries(parts.map((part) => [part, window.cpu.parts[part] ?? 0])) as Record<Part, number>
  // CPU time is that of the window, and bytes are those of all runs of the stretch, which end a moment after it.
  const share = window.answers / window.answersInAll
  return {
    window,
    used: {
      seconds: window.seconds,
      runs: window.answers,
      cpuMs,
      walBytes: writes.postgresWalBytes * share,
      engineWalBytes: writes.engineWalBytes * share,
      storedBytes: ((await databaseBytes(sql)) - before.bytes) * share,
      connections,
    },
  }
}

const databaseBytes = async (sql: Sql): Promise<number> => {
  const [row] = await sql.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes')
  return Number(row?.bytes)
}

const maxDeliveryMs = 120_000

const untilDelivered = async (sql: Sql): Promise<void> => {
  const deadline = performance.now() + maxDeliveryMs
  const waiting = `select ((select coalesce(sum(waiting), 0) from webhook_lanes)
    + (select count(*) from events where position is null))::integer as waiting`
  for (;;) {
    const [row] = await sql.query<{ waiting: number }>(waiting)
    if (row?.waiting === 0) return
    if (performance.now() > deadline) throw new Error(`${row?.waiting} deliveries still wait`)
    await sleep(500)
  }
}

/** The most connections of the service that are open at the same time. */
const sampleConnections = (sql: Sql): { stop(): Promise<number> } => {
  let isOver = false
  const work = async (): Promise<number> => {
    let most = 0
    while (!isOver) {
      const [row] = await sql.query<{ open: number }>(
        `select count(*)::integer as open from pg_stat_activity where backend_type = 'client backend' and usename like 'ars\\_%'`,
      )
      most = Math.max(most, row?.open ?? 0)
      await sleep(sampleEveryMs)
    }
    return most
  }
  const working = work()
  return {
    stop: () => {
      isOver = true
      return working
    },
  }
}

/** Input and output of the runs of a window, as JSON. */
const payloadBytes = async (sql: Sql, { runIds }: WindowResult): Promise<number> => {
  const [some = ''] = runIds
  const [row] = await sql.query<{ bytes: string }>(
    `select avg(octet_length(r.input::text) + coalesce(octet_length(x.output::text), 0)) as bytes
       from runs r join run_results x on x.run_id = r.id where r.agent_id = (select agent_id from runs where id = $1)`,
    [toUuid(some as `run_${string}`)],
  )
  return Number(row?.bytes)
}

/** The events of the streams of a window. The last event of a run has the number of its events. */
const eventsPerStream = async (sql: Sql, { runIds }: WindowResult): Promise<number> => {
  const [row] = await sql.query<{ events: string }>(
    `select avg(last) as events from (
       select max(seq) as last from run_events where run_id = any ($1::uuid[]) group by run_id) as ended`,
    [runIds.map((id) => toUuid(id as `run_${string}`))],
  )
  return Number(row?.events)
}
