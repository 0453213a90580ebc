import type { DurableService } from '@ars/platform/durable/worker'
import { engineProbeTarget } from './engine-probe.ts'

/** The probe of a partition: it goes through the engine to a worker and back, and writes state. */
export const engineProbeWorkflow = (): DurableService => ({
  name: engineProbeTarget.service,
  kind: 'object',
  handlers: {
    [engineProbeTarget.handler]: async (durable, message: { at: string }) => {
      durable.keep('at', message.at)
      return 'pong'
    },
  },
})
