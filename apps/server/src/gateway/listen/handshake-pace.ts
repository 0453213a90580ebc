import type { Clock } from '@ars/platform/clock'
import { serverBounds } from '../../bounds.ts'

/**
 * Starts TLS handshakes in portions. The key exchange of a handshake takes a millisecond or more of the event loop, so a
 * thousand connections at once would delay the requests of all others by seconds. Waiting handshakes are bounded by the
 * limits of connections.
 */
export type HandshakePace = {
  /** `start` is called in this turn of the event loop or a later one, in the order of arrival. */
  add(start: () => void): void
}

// One portion delays a request by at most this and one handshake.
const maxPortionMs = serverBounds.handshakePortion.ms

export const createHandshakePace = (clock: Clock): HandshakePace => {
  const waiting: (() => void)[] = []
  let isScheduled = false

  const runPortion = (): void => {
    isScheduled = false
    const endsMs = clock.monotonicMs() + maxPortionMs
    let started = 0
    while (started < waiting.length && clock.monotonicMs() < endsMs) waiting[started++]?.()
    waiting.splice(0, started)
    if (waiting.length > 0) schedule()
  }

  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    // Sockets are served between two immediates.
    setImmediate(runPortion)
  }

  return {
    add: (start) => {
      waiting.push(start)
      schedule()
    },
  }
}
