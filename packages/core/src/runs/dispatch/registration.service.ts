import type { Engine } from '@ars/platform/durable/engine'
import type { Log } from '@ars/platform/log/log'

/** Registers the workers' address with the engine: at start, and again after the engine lost its disk. */
export type Registration = { ensure(): Promise<void>; isDone(): boolean }

export const createRegistration = (deps: { engine: Engine; workerUrl: string; log: Log }): Registration => {
  let underWay: Promise<void> | undefined
  let done = false
  const register = async (): Promise<void> => {
    await deps.engine.register(deps.workerUrl)
    done = true
    deps.log.info('workers registered with the engine', { worker_url: deps.workerUrl })
  }
  return {
    ensure: () => {
      underWay ??= register().finally(() => {
        underWay = undefined
      })
      return underWay
    },
    isDone: () => done,
  }
}
