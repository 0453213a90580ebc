import { exitCodes } from './exit-code.ts'

/** The first Ctrl-C aborts, so that the command can print what it leaves behind. The second exits immediately. */
export const interruption = new AbortController()

export const listenForInterruption = (): void => {
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (interruption.signal.aborted) process.exit(exitCodes.interrupted)
      interruption.abort()
    })
  }
}
