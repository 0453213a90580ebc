import { createCoalesced } from '@ars/platform/coalesced'
import type { FanOut } from '../events/index.ts'
import type { Parts } from '../parts.ts'
import type { PipelineExpressions } from './pipeline-expressions.service.ts'
import { createAdvancer } from './run/advance.service.ts'
import { advanceSweep } from './run/advance.sweep.ts'
import { pipelineChannel } from './run/pipeline-run.ts'
import type { CancelPipelineItem, StartPipelineItem } from './run/start.service.ts'
import { wakePipelineRuns } from './run/wake.store.ts'

export { createPipelineExpressions } from './pipeline-expressions.service.ts'
export { itemFieldsOf, type PipelineItemRef } from './run/claimed-item.ts'
export { claimItems, itemFields } from './run/head.store.ts'
export { createPipelineReader } from './run/pipeline-reader.service.ts'
export { createPipelineRuns } from './run/pipeline-run.service.ts'
export { createItemStart } from './run/start.service.ts'

/** Messages over Redis may be forged, so a flood of them must not become a flood of queries. */
const nudgesEveryMs = 20

/** The worker's part of pipelines. */
export const createPipelineWorker = (
  parts: Parts,
  deps: {
    expressions: Pick<PipelineExpressions, 'open' | 'render'>
    startRun: StartPipelineItem
    cancelRun: CancelPipelineItem
  },
) => {
  const { system, steps: app, newId, log, pubSub } = parts
  let isDraining = false
  const advancer = createAdvancer({ ...deps, system, app, newId, log })
  const sweep = advanceSweep({ advancer, isDraining: () => isDraining })
  const nudges = createCoalesced({
    work: sweep.run,
    everyMs: nudgesEveryMs,
    onError: (error) => log.warn('pipeline runs could not be advanced', { error }),
  })
  let woken = 0
  return {
    /** The ends of runs among the events of each batch wake their pipeline runs. */
    alsoWakes: (fanOut: FanOut): FanOut => ({
      ...fanOut,
      createDeliveries: async (tx, batch) => {
        const [made, count] = await Promise.all([fanOut.createDeliveries(tx, batch), wakePipelineRuns(tx, batch)])
        woken += count
        return made
      },
      onAssigned: () => {
        fanOut.onAssigned?.()
        if (woken === 0) return
        woken = 0
        nudges.call()
        pubSub.publish(pipelineChannel, '')
      },
    }),
    sweeps: [sweep],
    listen: () => pubSub.subscribe(pipelineChannel, nudges.call),
    /** Claims no further pipeline run. Another worker can repeat the acts that this one does not finish. */
    drain: () => {
      isDraining = true
      nudges.close()
    },
    isIdle: advancer.isIdle,
  }
}
