import { readdir, readFile } from 'node:fs/promises'
import { constants, monitorEventLoopDelay, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import type { GatewayParts } from '@ars/core'
import type { PoolState } from '@ars/platform/db/database'
import type { LogOutput } from '@ars/platform/log/output'
import { serverBounds } from './bounds.ts'
import type { Instruments } from './instruments.ts'
import type { Role } from './parts.ts'
import { watchPeerCertificate } from './peer-certificate.ts'
import { version } from './version.ts'

const maxEngineMs = serverBounds.engineAsked.ms
const loopTickMs = 20

/** What every process says of itself and of the components that it uses. */
export const observeProcess = (
  instruments: Instruments,
  {
    role,
    parts,
    redisUrl,
    output,
    look,
  }: {
    role: Role
    parts: Pick<GatewayParts, 'engine' | 'pubSub'> & { pools(): Map<string, PoolState> }
    redisUrl: string | undefined
    output(): LogOutput
    /** Asks the databases whether they can be written. */
    look(): Promise<unknown>
  },
): { close(): void } => {
  const { gauge, countedElsewhere } = instruments
  gauge('ars_build_info', (observe) => observe(1, { version, role }))
  gauge('ars_database_up', (observe) => {
    for (const [pool, { isUp }] of parts.pools()) observe(isUp ? 1 : 0, { pool })
  })
  gauge('ars_database_writable', async (observe) => {
    await answersInTime(look())
    for (const [pool, { canWrite }] of parts.pools()) observe(canWrite ? 1 : 0, { pool })
  })
  const redisCertificate = watchPeerCertificate(redisUrl)
  gauge('ars_peer_certificate_expiry_timestamp_seconds', async (observe) => {
    const dates = [...parts.pools().values()].flatMap(({ certificateUntil }) => certificateUntil ?? [])
    const postgres = dates.toSorted((a, b) => a.getTime() - b.getTime())[0]
    if (postgres) observe(postgres.getTime() / 1_000, { component: 'postgres' })
    const redis = await redisCertificate()
    if (redis) observe(redis.getTime() / 1_000, { component: 'redis' })
  })
  gauge('ars_log_writable', (observe) => observe(output().isWritten ? 1 : 0))
  countedElsewhere('ars_log_lines_lost_total', (observe) => observe(output().lostLines))
  gauge('ars_pool_size', (observe) => {
    for (const [pool, { size }] of parts.pools()) observe(size, { pool })
  })
  gauge('ars_pool_connections', (observe) => {
    for (const [pool, { inUse, idle, waiting }] of parts.pools())
      for (const [state, count] of Object.entries({ in_use: inUse, idle, waiting })) observe(count, { pool, state })
  })
  gauge('ars_redis_up', (observe) => observe(parts.pubSub.isUp() ? 1 : 0))
  gauge('ars_engine_up', async (observe) => observe((await answersInTime(parts.engine.version())) ? 1 : 0))
  observeNode(instruments)
  return watchCollections(instruments)
}

const answersInTime = async (answer: Promise<unknown>): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), maxEngineMs)
  })
  const isAnswered = answer.then(
    () => true,
    () => false,
  )
  return Promise.race([isAnswered, late]).finally(() => clearTimeout(timer))
}

/** By the names that dashboards for Node expect. */
const observeNode = ({ gauge, countedElsewhere }: Instruments): void => {
  const delay = monitorEventLoopDelay({ resolution: loopTickMs })
  delay.enable()
  gauge('ars_event_loop_delay_p99_seconds', (observe) => {
    // Node measures the time between ticks; anything beyond one tick is delay.
    observe(Math.max(0, delay.percentile(99) / 1e9 - loopTickMs / 1e3))
    delay.reset()
  })
  countedElsewhere('process_cpu_seconds_total', (observe) => {
    const { user, system } = process.cpuUsage()
    observe((user + system) / 1e6)
  })
  gauge('process_start_time_seconds', (observe) => observe(performance.timeOrigin / 1_000))
  gauge('process_resident_memory_bytes', (observe) => observe(process.memoryUsage.rss()))
  gauge('process_open_fds', async (observe) => observe((await readdir('/proc/self/fd')).length))
  gauge('process_max_fds', async (observe) => {
    const limit = /^Max open files +(\d+)/m.exec(await readFile('/proc/self/limits', 'utf8'))?.[1]
    if (limit !== undefined) observe(Number(limit))
  })
  gauge('nodejs_version_info', (observe) => observe(1, { version: process.version }))
  gauge('nodejs_heap_size_used_bytes', (observe) => observe(process.memoryUsage().heapUsed))
  gauge('nodejs_heap_size_total_bytes', (observe) => observe(process.memoryUsage().heapTotal))
  gauge('nodejs_external_memory_bytes', (observe) => observe(process.memoryUsage().external))
}

const kinds = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
])

type CollectionEntry = PerformanceEntry & { detail?: { kind?: number } }

const watchCollections = ({ histogram }: Instruments): { close(): void } => {
  const seconds = histogram('nodejs_gc_duration_seconds')
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as CollectionEntry[]) {
      const kind = kinds.get(entry.detail?.kind ?? -1)
      if (kind !== undefined) seconds.record(entry.duration / 1_000, { kind })
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  return { close: () => observer.disconnect() }
}
