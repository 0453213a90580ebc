/**
 * Runs the work soon after a call, never concurrently with itself, and at most once per interval. Calls in between
 * share the next run, so a flood of calls costs no more than a few.
 */
export type Coalesced = { call(): void; close(): void }

export const createCoalesced = ({
  work,
  everyMs,
  onError,
}: {
  work(): Promise<void> | void
  everyMs: number
  onError(error: unknown): void
}): Coalesced => {
  let timer: NodeJS.Timeout | undefined
  let isRunning = false
  let again = false
  let isClosed = false
  let ranAtMs = Number.NEGATIVE_INFINITY

  const run = async (): Promise<void> => {
    timer = undefined
    isRunning = true
    again = false
    ranAtMs = performance.now()
    try {
      await work()
    } catch (error) {
      onError(error)
    } finally {
      isRunning = false
      if (again) schedule()
    }
  }

  const schedule = (): void => {
    if (isClosed || timer !== undefined) return
    timer = setTimeout(() => void run(), Math.max(0, ranAtMs + everyMs - performance.now()))
  }

  return {
    call: () => {
      if (isRunning) again = true
      else schedule()
    },
    close: () => {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
