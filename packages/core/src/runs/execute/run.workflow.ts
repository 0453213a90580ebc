import type { DurableService } from '@ars/platform/durable/worker'
import { type Segment, type StepSignal, segmentTarget } from '../run/segment.ts'
import type { SegmentService } from './segment.service.ts'

/**
 * The engine's part of a run: a small loop without product knowledge. The results of steps are in Postgres and the
 * engine stores none, so any worker of any release can continue: an invocation that is retried finds the stored steps
 * and goes on after them.
 */
export const runWorkflow = (segments: SegmentService): DurableService => ({
  name: segmentTarget.service,
  kind: 'service',
  handlers: {
    [segmentTarget.handler]: async ({ signal }, message: Segment) => {
      let { step } = message
      let word: StepSignal = 'stale'
      const trace = segments.openTrace()
      try {
        // After the signal the engine has another attempt. A claim of this one would take the step away from it.
        while (!signal.aborted) {
          const result = await segments.advance(message, step, signal, trace)
          if (result.word !== 'continue') {
            word = result.word
            break
          }
          step = result.step + 1
        }
      } catch (error) {
        trace?.failed('retried')
        trace?.end('retried')
        throw error
      }
      trace?.end(word)
    },
  },
})
