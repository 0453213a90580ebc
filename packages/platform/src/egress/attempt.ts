import type { Clock } from '../clock.ts'
import { EgressFailed } from './failure.ts'

/** The deadlines of one call, from DNS look-up to the last byte. `signal` aborts when they expire. */
export type Attempt = {
  readonly signal: AbortSignal
  /** Settles like the promise, or rejects when the attempt ends. */
  orOver<T>(promise: Promise<T>): Promise<T>
  /** The time until this settles does not count: the peer is not responsible for it. */
  uncounted<T>(promise: Promise<T>): Promise<T>
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

export const beginAttempt = (clock: Clock, { deadlineMs, idleTimeoutMs, signal: outer }: AttemptLimits): Attempt => {
  const controller = new AbortController()
  const { signal } = controller
  const over = (says: string) => (): void => controller.abort(new EgressFailed(says, { kind: 'timeout' }))
  const after = (ms: number, says: string) => setTimeout(over(says), Math.min(ms, longestTimerMs))
  const tooLate = `There was no whole answer within ${deadlineMs} ms`
  const beganMs = clock.monotonicMs()
  let uncountedMs = 0
  let deadline = after(deadlineMs, tooLate)
  const listen = () =>
    idleTimeoutMs === undefined ? undefined : after(idleTimeoutMs, `No byte moved for ${idleTimeoutMs} ms`)
  let silence = listen()
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
    uncounted: async (promise) => {
      const stoppedMs = clock.monotonicMs()
      clearTimeout(deadline)
      clearTimeout(silence)
      const result = await promise
      if (signal.aborted) return result
      uncountedMs += clock.monotonicMs() - stoppedMs
      deadline = after(deadlineMs - (clock.monotonicMs() - beganMs - uncountedMs), tooLate)
      silence = listen()
      return result
    },
    stir: () => {
      silence?.refresh()
    },
    end,
  }
}
