/** The runs that this worker is executing, so that each can be stopped by name. */
export type Executing = {
  start(at: ExecutingRun, outer: AbortSignal): { signal: AbortSignal; stop(): void; end(): void }
  stop(runId: string): void
  /** Each with its own stop: a run that was started again may be here twice, and only the late one must go. */
  list(): readonly (ExecutingRun & { stop(): void })[]
}

export type ExecutingRun = { runId: string; epoch: number }

export const createExecuting = (): Executing => {
  const under = new Map<AbortController, ExecutingRun>()
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
    stop: (runId) => {
      for (const [controller, at] of under) if (at.runId === runId) controller.abort()
    },
    list: () => [...under].map(([controller, at]) => ({ ...at, stop: () => controller.abort() })),
  }
}
