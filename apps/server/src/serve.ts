import { Config } from '@ars/core/config'
import { parseConfig } from '@ars/platform/config'
import { createLog, type Log } from '@ars/platform/log/log'
import { createMetrics } from '@ars/platform/metrics'
import { createShutdown, type Shutdown, stopOnSignals } from '@ars/platform/shutdown'
import { createErrorSink } from './error-sink.ts'
import { createFigures } from './figures.ts'
import { startGateway } from './gateway/gateway.ts'
import { openParts } from './parts.ts'
import { servePrivate } from './private-server.ts'
import { createReadiness, refuseTestClock } from './readiness.ts'
import { startWorker } from './worker/worker.ts'

export const roles = ['gateway', 'worker', 'all'] as const
export type Role = (typeof roles)[number]

/** `ars-server serve`: one program, and the role says which half of it this process is. */
export const serve = async (role: Role, env: NodeJS.ProcessEnv): Promise<void> => {
  const config = parseConfig(Config, env)
  const log = createLog({ level: config.logLevel, fields: { role } })
  const shutdown = createShutdown(log)
  stopOnSignals(shutdown)
  process.on('uncaughtException', (error) => {
    log.error('uncaught exception', { error })
    void shutdown.run('uncaught exception').finally(() => process.exit(1))
  })
  try {
    await start({ role, config, environment: env, log, shutdown })
  } catch (error) {
    // What was opened before it failed would keep a process alive that serves nobody.
    await shutdown.run('it could not start')
    throw error
  }
}

/** Starts a role inside this process; what was started is stopped by `shutdown`. */
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
  const metrics = createMetrics()
  const figures = createFigures(metrics.meter)
  const parts = await openParts(config, environment, log, (pool, waitedMs) => figures.poolWait(pool, waitedMs / 1_000))
  shutdown.add('parts', () => parts.close())
  shutdown.add('metrics', () => metrics.close())
  await refuseTestClock(parts)
  const readiness = createReadiness(parts)
  const privateServer = await servePrivate(config, metrics, readiness)
  shutdown.add('private server', () => privateServer.close())

  if (role !== 'gateway') await startWorker({ parts, figures, meter: metrics.meter, shutdown })
  if (role !== 'worker') {
    await startGateway({ parts, figures, shutdown, readiness, reportError: createErrorSink(log, figures) })
  }
  // Added last, so it runs first: nobody is sent here any more while the rest winds down.
  shutdown.add('readiness', () => readiness.stop())
  log.info('serving', { http_port: role === 'worker' ? undefined : config.httpPort })
}
