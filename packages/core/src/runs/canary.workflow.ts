import type { DurableService } from '@ars/platform/durable/worker'
import { canaryTarget } from './canary.ts'

/** A bird for every partition of the engine: it takes the whole way to a worker and back, and leaves a trace. */
export const canaryWorkflow = (): DurableService => ({
  name: canaryTarget.service,
  kind: 'object',
  handlers: {
    [canaryTarget.handler]: async (durable, message: { at: string }) => {
      durable.keep('at', message.at)
      return 'pong'
    },
  },
})
