import { EgressFailed } from './failure.ts'

/** The deadlines of one call, from DNS look-up to the last byte. `signal` aborts when they expire. */
export type Attempt = {
  readonly signal: AbortSignal
  /** Settles like the promise, or rejects when the attempt ends. */
  orOver<T>(promise: Promise<T>): Promise<T>
  /** Restarts the idle timeout after a byte was transferred. */
  stir(): void
  end(): void
}

export type AttemptLimits = {
  readonly deadlineMs: number
  /** The idle timeout: the peer sends nothing, or the reader takes nothing. */
  readonly idleTimeoutMs?: number | undefined
  readonly signal?: AbortSignal | null | undefined
}

// Node fires timers with larger delays immediately.
const longestTimerMs = 2_147_483_647

export const beginAttempt = ({ deadlineMs, idleTimeoutMs, signal: outer }: AttemptLimits): Attempt => {
  const controller = new AbortController()
  const { signal } = controller
  const over = (says: string) => (): void => controller.abort(new EgressFailed(says, { kind: 'timeout' }))
  const after = (ms: number, says: string) => setTimeout(over(says), Math.min(ms, longestTimerMs))
  const deadline = after(deadlineMs, `There was no whole answer within ${deadlineMs} ms`)
  const silence =
    idleTimeoutMs === undefined ? undefined : after(idleTimeoutMs, `No byte moved for ${idleTimeoutMs} ms`)
  const follow = (): void => controller.abort(outer?.reason)
  const end = (): void => {
    clearTimeout(deadline)
    clearTimeout(silence)
    outer?.removeEventListener('abort', follow)
  }
  signal.addEventListener('abort', end, { once: true })
  if (outer?.aborted) follow()
  else outer?.addEventListener('abort', follow, { once: true })

  return {
    signal,
    orOver: (promise) =>
      new Promise((resolve, reject) => {
        const stop = (): void => reject(signal.reason)
        if (signal.aborted) stop()
        else signal.addEventListener('abort', stop, { once: true })
        promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
      }),
    stir: () => {
      silence?.refresh()
    },
    end,
  }
}
