/** The runs that this worker is executing, so that each can be stopped. */
export type InFlight = {
  start(at: InFlightRun, outer: AbortSignal): { signal: AbortSignal; stop(): void; end(): void }
  has(runId: string): boolean
  /** Each with its own stop function: a restarted run may be here twice, and only the older one must stop. */
  list(): readonly (InFlightRun & { stop(): void })[]
}

export type InFlightRun = { runId: string; epoch: number }

export const createInFlight = (): InFlight => {
  const under = new Map<AbortController, InFlightRun>()
  return {
    start: (at, outer) => {
      const controller = new AbortController()
      const abort = (): void => controller.abort()
      if (outer.aborted) abort()
      else outer.addEventListener('abort', abort, { once: true })
      under.set(controller, at)
      return {
        signal: controller.signal,
        stop: abort,
        end: () => {
          under.delete(controller)
          outer.removeEventListener('abort', abort)
        },
      }
    },
    has: (runId) => [...under.values()].some((at) => at.runId === runId),
    list: () => [...under].map(([controller, at]) => ({ ...at, stop: () => controller.abort() })),
  }
}
