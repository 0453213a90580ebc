import type { Engine } from '@ars/platform/durable/engine'
import type { Log } from '@ars/platform/log/log'
import { type Segment, segmentKey, segmentTarget } from './segment.ts'

/**
 * Tells the engine of a segment right after its commit. Best effort: an order that fails here, or that is not even
 * tried because too many are under way, stands in the outbox, and the relay sends it with the same key.
 */
export type Sender = {
  send(segment: Segment): void
  /** Waits for the engine's word; for the relay. */
  sendNow(segment: Segment): Promise<void>
}

const sendsUnderWayMost = 1000

export const createSender = (deps: { engine: Engine; log: Log }): Sender => {
  let underWay = 0
  const sendNow = (segment: Segment): Promise<void> => deps.engine.send(segmentTarget, segment, segmentKey(segment))
  return {
    sendNow,
    send: (segment) => {
      if (underWay >= sendsUnderWayMost) return
      underWay++
      sendNow(segment)
        .catch((error: unknown) => deps.log.warn('segment left to the relay', { run_id: segment.run, error }))
        .finally(() => {
          underWay--
        })
    },
  }
}
