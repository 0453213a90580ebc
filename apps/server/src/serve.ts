import { Config } from '@ars/core/config'
import { parseConfig } from '@ars/platform/config'
import { readRelease } from '@ars/platform/db/schema-files'
import type { Log } from '@ars/platform/log/log'
import { createMetricsExporter } from '@ars/platform/metrics'
import { createShutdown, type Shutdown, stopOnSignals } from '@ars/platform/shutdown'
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
import { openTracing } from './tracing.ts'
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
  log: Log
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
  const tracing = openTracing(config, role, log)
  const opening = { config, environment, log, pools, role, tracer: tracing?.tracer }
  const workerParts = role === 'gateway' ? undefined : await openParts(opening)
  const parts = workerParts ?? (await openGatewayParts(opening))
  const observed = observeProcess(instruments, { role, parts })
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
  await refuseTestClock(parts)
  metrics.observeThreads(parts.threads.metrics)
  // Most tests need no thread, and each costs a second of CPU time. There, the first task starts one.
  if (!config.testStack) parts.threads.warm()
  const readiness = createReadiness(parts, role, release)
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
