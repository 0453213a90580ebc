import type { DurableService } from '@ars/platform/durable/worker'
import { engineProbeTarget, markTarget } from './engine-probe.ts'

/** The probe of a partition: it goes through the engine to a worker and back. */
export const engineProbeWorkflow = (): DurableService => ({
  name: engineProbeTarget.service,
  kind: 'object',
  handlers: {
    [markTarget.handler]: async (durable, message: { at: string }) => durable.keep('at', message.at),
  },
  sharedHandlers: { [engineProbeTarget.handler]: () => Promise.resolve() },
})
