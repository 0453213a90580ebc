import type { DurableService } from '@ars/platform/durable/worker'
import { type Segment, segmentTarget } from '../run/segment.ts'
import type { SegmentService } from './segment.service.ts'

/**
 * The engine's part of a run: a small loop without product knowledge. Results are in Postgres; the journal holds one
 * word per step. The first step is not journalled: one-step agents are the common case, a repeated first step finds
 * its stored result, and the engine saves a round trip.
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
