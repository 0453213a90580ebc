import { exitCodes } from './exit-code.ts'

/**
 * Aborted by the first Ctrl-C, which lets the command say what it leaves behind. The second does not wait for that.
 */
export const interruption = new AbortController()

export const listenForInterruption = (): void => {
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (interruption.signal.aborted) process.exit(exitCodes.interrupted)
      interruption.abort()
    })
  }
}
