/** From the most talkative to silence. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'off'] as const
export type LogLevel = (typeof logLevels)[number]

/** `console`, or a logger with the same methods. Facts never contain keys, parameters or bodies. */
export type Logger = Readonly<Record<Exclude<LogLevel, 'off'>, (message: string, facts: object) => void>>

/** A logger that passes on messages of the level and above. */
export const createLog = (logger: Logger, level: LogLevel): Logger => {
  const least = logLevels.indexOf(level)
  const at = (name: keyof Logger): Logger[keyof Logger] =>
    logLevels.indexOf(name) < least
      ? () => undefined
      : (message, facts) => logger[name](`agent-run-service: ${message}`, facts)
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
