import { Config } from '@ars/core/config'
import { ConfigError, parseConfig } from '@ars/platform/config'
import { readRelease } from '@ars/platform/db/schema-files'
import { holdSoleLock } from '@ars/platform/db/sole-process'
import type { RootLog } from '@ars/platform/log/log'
import { createMetricsExporter } from '@ars/platform/metrics'
import { createShutdown, type Shutdown, stopOnSignals } from '@ars/platform/shutdown'
import { withoutRedis } from './doctor/redis.ts'
import { createErrorSink } from './error-sink.ts'
import { requireIdentityKey } from './exposure.ts'
import { startGateway } from './gateway/gateway.ts'
import { createInstruments } from './instruments.ts'
import { createMetrics } from './metrics.ts'
import { schemaDir } from './migrate.ts'
import { observeProcess } from './observe-process.ts'
import { openGatewayParts, openParts, poolsOf, type Role } from './parts.ts'
import { servePrivate } from './private-server.ts'
import { createReadiness, refuseTestClock, refuseUnfitSchema } from './readiness.ts'
import { createServiceLog, switchLevelOnSignal } from './service-log.ts'
import { explainStart } from './start-fault.ts'
import { startTracing } from './tracing.ts'
import { version } from './version.ts'
import { startWorker } from './worker/worker.ts'

export const roles = Object.keys(poolsOf) as Role[]

/** `ars-server serve`: runs the role of this process. */
export const serve = async (role: Role, env: NodeJS.ProcessEnv): Promise<void> => {
  const config = parseConfig(Config, env)
  const log = createServiceLog({ level: config.logLevel, role })
  switchLevelOnSignal(log)
  const shutdown = createShutdown(log)
  stopOnSignals(shutdown)
  process.on('uncaughtException', (error) => {
    log.error('uncaught exception', { error })
    void shutdown.run('uncaught exception').finally(() => process.exit(1))
  })
  try {
    await start({ role, config, environment: env, log, shutdown })
  } catch (error) {
    // Open handles would keep a failed process alive.
    await shutdown.run('start failed')
    throw explainStart(error, config)
  }
}

/** Starts a role in this process; `shutdown` stops it. */
export const start = async ({
  role,
  config,
  environment,
  log,
  shutdown,
}: {
  role: Role
  config: Config
  environment: NodeJS.ProcessEnv
  log: RootLog
  shutdown: Shutdown
}): Promise<void> => {
  if (role !== 'gateway') requireIdentityKey(config)
  const exporter = createMetricsExporter()
  const instruments = createInstruments(exporter.meter)
  const metrics = createMetrics(instruments)
  const release = await readRelease(schemaDir, version)
  const pools = {
    onAcquire: (pool: string, waitedMs: number) => metrics.poolWait(pool, waitedMs / 1_000),
    onError: metrics.poolError,
  }
  const tracing = await startTracing(config, role, log)
  const opening = { config, environment, log, pools, role, tracer: tracing?.tracer }
  const workerParts = role === 'gateway' ? undefined : await openParts(opening)
  const parts = workerParts ?? (await openGatewayParts(opening))
  const readiness = createReadiness(parts, role, release)
  const observed = observeProcess(instruments, {
    role,
    parts,
    redisUrl: config.redisUrl,
    output: log.output,
    look: readiness.check,
  })
  metrics.observeRefusedMessages(() => parts.seal?.refused() ?? 0)
  shutdown.add('parts', () => parts.close())
  shutdown.add('metrics', () => {
    observed.close()
    return exporter.close()
  })
  if (tracing) {
    metrics.observeSpans(tracing.counts)
    shutdown.add('traces', () => tracing.close())
  }
  await refuseUnfitSchema(parts, release)
  await beAlone(config, { role, log, shutdown })
  await refuseTestClock(parts)
  metrics.observeThreads(parts.threads.metrics)
  // Most tests need no thread, and each costs a second of CPU time. There, the first task starts one.
  if (!config.testStack) parts.threads.warm()
  const privateServer = await servePrivate(config, exporter, readiness)
  shutdown.add('private server', () => privateServer.close())

  if (workerParts) await startWorker({ parts: workerParts, metrics, instruments, shutdown })
  if (role !== 'worker') {
    await startGateway({ parts, metrics, instruments, shutdown, readiness, reportError: createErrorSink(log, metrics) })
  }
  // Added last, so it runs first: the process stops receiving traffic before the rest shuts down.
  shutdown.add('readiness', () => readiness.stop())
  log.info('serving', { http_port: role === 'worker' ? undefined : config.httpPort })
}

/** Processes notify each other and count together in Redis. Without it, only one may serve. */
const beAlone = async (
  { redisUrl, databaseUrl }: Config,
  { role, log, shutdown }: { role: Role; log: RootLog; shutdown: Shutdown },
): Promise<void> => {
  if (redisUrl !== undefined) return
  if (role !== 'all')
    throw new ConfigError('ARS_REDIS_URL: is required, because a gateway and a worker notify each other through Redis')
  const onLost = (): void => void shutdown.run('another process serves').finally(() => process.exit(1))
  const sole = await holdSoleLock({ url: databaseUrl, log, onLost })
  if (sole === null)
    throw new ConfigError(
      'ARS_REDIS_URL: is required, because another process serves this database; set it for both, or stop the other one',
    )
  shutdown.add('sole process', () => sole.close())
  log.warn('serving without redis', { effect: withoutRedis })
}
