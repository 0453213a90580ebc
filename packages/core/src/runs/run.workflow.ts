import type { DurableService } from '@ars/platform/durable/worker'
import type { SegmentService } from './segment.service.ts'
import { type Segment, segmentTarget } from './segment.ts'

/**
 * The engine's part of a run: a small loop that knows no product. Results are in Postgres; the journal keeps one word
 * a step. The first step is not journalled at all: one-step agents are the common case, a repeated first step finds
 * its result stored, and the engine is spared a round trip.
 */
export const runWorkflow = (segments: SegmentService): DurableService => ({
  name: segmentTarget.service,
  kind: 'service',
  handlers: {
    [segmentTarget.handler]: async (durable, message: Segment) => {
      for (let step = message.step; ; step++) {
        const advance = () => segments.advance(message, step, durable.signal)
        const word = step === message.step ? await advance() : await durable.step(`step-${step}`, advance)
        if (word !== 'continue') return word
      }
    },
  },
})
