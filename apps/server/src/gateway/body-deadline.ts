import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '@ars/core/fault'
import type { Clock } from '@ars/platform/clock'

/** The longest that the body of a request may take to arrive, over either protocol. One timer for all of them. */
export type BodyDeadlines = {
  /** Called when the body is about to be read, and not for one that is refused unread. */
  expect(body: Arriving, answer: Pick<ServerResponse, 'writeContinue'>): void
  close(): void
}

/** A request whose client waits for a word before it sends the body: `Expect: 100-continue`. */
export type Arriving = IncomingMessage & { awaitsContinue?: boolean }

export const createBodyDeadlines = ({
  timeoutMs,
  checkEveryMs,
  clock,
}: {
  timeoutMs: number
  checkEveryMs: number
  clock: Clock
}): BodyDeadlines => {
  // In the order in which they began. There are no more of them than connections and their streams.
  const arriving = new Map<Arriving, number>()

  const look = (): void => {
    const latestMs = clock.monotonicMs() - timeoutMs
    for (const [body, beganMs] of arriving) {
      if (beganMs > latestMs) return
      arriving.delete(body)
      // Whoever reads the body answers this as any other failure to read it.
      if (body.listenerCount('error') === 0) continue
      body.emit('error', new Fault('request_timeout', `The body did not arrive within ${timeoutMs / 1_000} s`))
    }
  }
  const timer = setInterval(look, checkEveryMs)
  timer.unref()

  return {
    expect: (body, answer) => {
      if (body.awaitsContinue) answer.writeContinue()
      if (body.complete) return
      arriving.set(body, clock.monotonicMs())
      const forget = () => arriving.delete(body)
      body.once('end', forget)
      body.once('close', forget)
    },
    close: () => clearInterval(timer),
  }
}
