import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '@ars/core/fault'
import type { Clock } from '@ars/platform/clock'

/** The deadline for receiving a request body, over both protocols. One timer serves all requests. */
export type BodyDeadlines = {
  /** Called when the body is about to be read, not for refused requests. */
  expect(body: Arriving, answer: Pick<ServerResponse, 'writeContinue'>): void
  close(): void
}

/** A request with `Expect: 100-continue`, whose client waits before it sends the body. */
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
  // In start order. Their number is bounded by the connections and their streams.
  const arriving = new Map<Arriving, number>()

  const look = (): void => {
    const latestMs = clock.monotonicMs() - timeoutMs
    for (const [body, beganMs] of arriving) {
      if (beganMs > latestMs) return
      arriving.delete(body)
      // The body reader handles this like any other read error.
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
