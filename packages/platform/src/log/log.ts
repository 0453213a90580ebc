import pino from 'pino'
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

export const createLog = (options: {
  level: (typeof logLevels)[number]
  write?: (line: string) => void
  fields?: Fields
}): Log => {
  const destination = options.write ? { write: options.write } : standardOutput()
  const logger = pino(
    {
      level: options.level,
      base: { ...options.fields },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: describeError },
      hooks: { streamWrite: redact },
    },
    destination,
  )
  return wrap(logger)
}

// Lines are buffered and written together; the rest is flushed when the process ends.
const standardOutput = () => {
  const destination = pino.destination({ fd: 1, sync: false })
  process.on('exit', () => destination.flushSync())
  return destination
}

const wrap = (logger: pino.Logger): Log => ({
  debug: (message, fields) => logger.debug(fields ?? {}, message),
  info: (message, fields) => logger.info(fields ?? {}, message),
  warn: (message, fields) => logger.warn(fields ?? {}, message),
  error: (message, fields) => logger.error(fields ?? {}, message),
  child: (fields) => wrap(logger.child(fields)),
})

const describeError = (error: unknown): unknown =>
  error instanceof Error
    ? { name: error.name, message: error.message, stack: error.stack, cause: error.cause && describeError(error.cause) }
    : error
