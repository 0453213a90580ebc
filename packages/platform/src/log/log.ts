import pino from 'pino'
import { fromUuid } from '../id.ts'
import { type LogOutput, openLogOutput } from './output.ts'
import { redact } from './redact.ts'

export type Fields = Readonly<Record<string, unknown>>

/** A fixed message with facts as fields. `error` means that a person must act. */
export type Log = {
  debug(message: string, fields?: Fields): void
  info(message: string, fields?: Fields): void
  warn(message: string, fields?: Fields): void
  error(message: string, fields?: Fields): void
  child(fields: Fields): Log
}

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** The log of a process. Its level can change while the process runs, for it and for all its children. */
export type RootLog = Log & { level(): LogLevel; setLevel(level: LogLevel): void; output(): LogOutput }

export const createLog = (options: {
  level: LogLevel
  write?: (line: string) => void
  fields?: Fields
  /** Prefixes of public ids by the name of the field. A UUID in such a field is written as its public id. */
  idPrefixes?: Readonly<Record<string, string>>
}): RootLog => {
  const { idPrefixes } = options
  const least = { level: options.level }
  const output = options.write
    ? { write: options.write, state: () => ({ isWritten: true, lostLines: 0 }) }
    : standardOutput()
  const logger = pino(
    {
      level: 'debug',
      base: { ...options.fields },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        ...(idPrefixes && { log: (fields: Record<string, unknown>) => withPublicIds(fields, idPrefixes) }),
      },
      serializers: { error: describeError },
      hooks: { streamWrite: redact },
    },
    { write: output.write },
  )
  return {
    ...wrap(logger, least),
    output: output.state,
    level: () => least.level,
    setLevel: (level) => {
      least.level = level
    },
  }
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** One search for the id that a customer knows finds every line, whatever form the code had at hand. */
const withPublicIds = (
  fields: Record<string, unknown>,
  idPrefixes: Readonly<Record<string, string>>,
): Record<string, unknown> => {
  let changed: Record<string, unknown> | undefined
  for (const name in fields) {
    const prefix = idPrefixes[name]
    const value = fields[name]
    if (prefix === undefined || typeof value !== 'string' || !uuid.test(value)) continue
    changed ??= { ...fields }
    changed[name] = fromUuid(prefix, value)
  }
  return changed ?? fields
}

// The rest is written when the process ends.
const standardOutput = (): ReturnType<typeof openLogOutput> => {
  const output = openLogOutput(standardOutputFile)
  process.on('exit', () => output.flush())
  return output
}

const standardOutputFile = 1

// A logger of pino keeps the level with which it was created, so the level is checked here.
const wrap = (logger: pino.Logger, least: { level: LogLevel }): Log => {
  const at =
    (level: Exclude<LogLevel, 'silent'>, rank: number) =>
    (message: string, fields: Fields = {}): void => {
      if (rank >= logLevels.indexOf(least.level)) logger[level](fields, message)
    }
  return {
    debug: at('debug', 0),
    info: at('info', 1),
    warn: at('warn', 2),
    error: at('error', 3),
    child: (fields) => wrap(logger.child(fields), least),
  }
}

const describeError = (error: unknown): unknown =>
  error instanceof Error
    ? { name: error.name, message: error.message, stack: error.stack, cause: error.cause && describeError(error.cause) }
    : error
