/** The runs that this worker is executing, so that each can be stopped by name. */
export type Executing = {
  start(at: ExecutingRun, outer: AbortSignal): { signal: AbortSignal; end(): void }
  stop(runId: string): void
  list(): readonly ExecutingRun[]
}

export type ExecutingRun = { runId: string; epoch: number }

export const createExecuting = (): Executing => {
  const under = new Map<AbortController, ExecutingRun>()
  return {
    start: (at, outer) => {
      const controller = new AbortController()
      under.set(controller, at)
      return { signal: AbortSignal.any([controller.signal, outer]), end: () => under.delete(controller) }
    },
    stop: (runId) => {
      for (const [controller, at] of under) if (at.runId === runId) controller.abort()
    },
    list: () => [...under.values()],
  }
}
