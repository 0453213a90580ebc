import type { Engine } from '@ars/platform/durable/engine'
import type { Log } from '@ars/platform/log/log'
import { runsBounds } from '../bounds.ts'
import { type Segment, segmentKey, segmentTarget } from '../run/segment.ts'

/**
 * Sends a segment to the engine right after its commit. Best effort: an order that fails, or that is not tried
 * because too many are in flight, stays in the outbox, and the relay sends it with the same key.
 */
export type Dispatcher = {
  send(segment: Segment): void
  /** Waits for the engine's acknowledgement; for the relay. */
  sendNow(segment: Segment): Promise<void>
}

const maxSendsUnderWay = runsBounds.sendsUnderWay.count

export const createDispatcher = (deps: { engine: Engine; log: Log }): Dispatcher => {
  let underWay = 0
  const sendNow = (segment: Segment): Promise<void> => deps.engine.send(segmentTarget, segment, segmentKey(segment))
  return {
    sendNow,
    send: (segment) => {
      if (underWay >= maxSendsUnderWay) return
      underWay++
      sendNow(segment)
        .catch((error: unknown) => deps.log.warn('segment left to the relay', { run_id: segment.run, error }))
        .finally(() => {
          underWay--
        })
    },
  }
}
