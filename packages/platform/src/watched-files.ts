import type { Log } from './log/log.ts'

const lookEveryMs = 5_000

/**
 * Takes renewed files into use without a restart: a few seconds after they have changed, and at once on SIGHUP. While they
 * are broken, or half of them is written, `read` throws and the old content stays in use; each fault is logged once.
 */
export const watchFiles = <Content>({
  inUse,
  read,
  isSame,
  use,
  unusable,
  log,
}: {
  inUse: Content
  read(): Content
  isSame(one: Content, other: Content): boolean
  use(next: Content): void
  /** The message of the log line. */
  unusable: string
  log: Log
}): { inUse(): Content; close(): void } => {
  let known = inUse
  let lastFault: string | undefined
  const look = (): void => {
    try {
      const next = read()
      lastFault = undefined
      if (isSame(next, known)) return
      use(next)
      known = next
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error)
      if (fault !== lastFault) log.error(unusable, { error })
      lastFault = fault
    }
  }
  const timer = setInterval(look, lookEveryMs)
  timer.unref()
  process.on('SIGHUP', look)
  return {
    inUse: () => known,
    close: () => {
      clearInterval(timer)
      process.off('SIGHUP', look)
    },
  }
}
