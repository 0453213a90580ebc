import { platformBounds } from './bounds.ts'
import type { Log } from './log/log.ts'

export type Shutdown = {
  /** Adds a step. Steps run one by one, the last added first. */
  add(name: string, step: () => Promise<void> | void): void
  run(reason: string): Promise<void>
}

const stepDeadlineMs = platformBounds.shutdownStep.ms

/** A graceful shutdown with a deadline: a step that hangs is skipped, and the process still ends. */
export const createShutdown = (log: Log): Shutdown => {
  const steps: { name: string; step: () => Promise<void> | void }[] = []
  let running: Promise<void> | undefined

  const runAll = async (reason: string): Promise<void> => {
    log.info('shutdown begins', { reason })
    for (const { name, step } of steps.toReversed()) {
      await withDeadline(name, step).catch((error: unknown) => log.error('shutdown step failed', { step: name, error }))
    }
    log.info('shutdown ends', { reason })
  }

  return {
    add: (name, step) => {
      steps.push({ name, step })
    },
    run: (reason) => {
      running ??= runAll(reason)
      return running
    },
  }
}

/** SIGTERM and SIGINT shut down gracefully; a second signal exits immediately. */
export const stopOnSignals = (shutdown: Shutdown): void => {
  let asked = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (asked) process.exit(1)
      asked = true
      void shutdown.run(signal).finally(() => process.exit(0))
    })
  }
}

const withDeadline = async (name: string, step: () => Promise<void> | void): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${name} did not stop in ${stepDeadlineMs} ms`)), stepDeadlineMs)
  })
  try {
    await Promise.race([step(), late])
  } finally {
    clearTimeout(timer)
  }
}
