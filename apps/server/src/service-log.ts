import { hostname } from 'node:os'
import { createLog, type LogLevel, type RootLog } from '@ars/platform/log/log'
import type { Role } from './parts.ts'
import { version } from './version.ts'

/** Fields of lines that hold an id. They are written in the form that customers know. */
const idPrefixes = {
  run_id: 'run',
  org_id: 'org',
  agent_id: 'ag',
  deployment_id: 'dep',
  connector_id: 'con',
  webhook_id: 'wh',
  delivery_id: 'dlv',
  event_id: 'evt',
  recovery_id: 'rec',
  key_id: 'key',
}

/** The log of a process of the service. Every line says which process of which release wrote it. */
export const createServiceLog = (options: { level: LogLevel; role: Role; write?: (line: string) => void }): RootLog => {
  const { level, role, write } = options
  return createLog({
    level,
    fields: { role, version, host: hostname(), pid: process.pid },
    idPrefixes,
    ...(write && { write }),
  })
}

/** SIGUSR2 switches to `debug`, and the next one back to the configured level. */
export const switchLevelOnSignal = (log: RootLog): void => {
  const configured = log.level()
  process.on('SIGUSR2', () => {
    const next = log.level() === 'debug' ? configured : 'debug'
    // Written at the level that shows more, so that each change can be seen.
    log.setLevel('debug')
    log.info('log level changed', { log_level: next })
    log.setLevel(next)
  })
}
