import { createCoalesced } from '@ars/platform/coalesced'
import { createWorkLoop } from '@ars/platform/work/loop'
import type { WorkMetrics } from '@ars/platform/work/queue'
import type { EventListener } from '../events/index.ts'
import type { TextGuard } from '../guardrails/index.ts'
import type { Parts } from '../parts.ts'
import type { PipelineExpressions } from './pipeline-expressions.service.ts'
import { createPipelineQueue, type PipelineMetrics, pipelineWorkBounds } from './run/advance.service.ts'
import { readPipelineGauges } from './run/head.store.ts'
import { changeChannelOf, pipelineChannel } from './run/pipeline-run.ts'
import type { CancelPipelineItem, StartPipelineItem } from './run/start.service.ts'
import { wakePipelineRuns } from './run/wake.store.ts'

export { pipelineApi, pipelineReplays } from './manage/pipeline.api.ts'
export { createPipelines } from './manage/pipeline.service.ts'
export { createPipelineExpressions } from './pipeline-expressions.service.ts'
export type { PipelineMetrics } from './run/advance.service.ts'
export { itemFieldsOf, type PipelineItemRef } from './run/claimed-item.ts'
export { claimItems, itemFields } from './run/head.store.ts'
export { createPipelineReader } from './run/pipeline-reader.service.ts'
export { pipelineRunApi, pipelineRunReplays } from './run/pipeline-run.api.ts'
export { createPipelineRuns } from './run/pipeline-run.service.ts'
export { createPipelineRunView } from './run/pipeline-run-view.service.ts'
export { readPipelineStates } from './run/pipeline-state.store.ts'
export { createPipelineStreams } from './run/pipeline-stream.service.ts'
export { createItemStart } from './run/start.service.ts'
export { createPipelineStartCheck } from './run/start-check.service.ts'

/** Messages over Redis may be forged, so a flood of them must not become a flood of queries. */
const nudgesEveryMs = 20

/** Each start takes a connection, and the steps of runs need them too. */
/** The worker's part of pipelines. */
export const createPipelineWorker = (
  parts: Parts,
  deps: {
    expressions: Pick<PipelineExpressions, 'open' | 'render'>
    startRun: StartPipelineItem
    cancelRun: CancelPipelineItem
    texts: Pick<TextGuard, 'judge'>
    metrics: PipelineMetrics & WorkMetrics
  },
) => {
  const { system, steps: app, newId, clock, log, pubSub } = parts
  const onChanged = (org: string, id: string): void => pubSub.publish(changeChannelOf(org, id), '')
  const queue = createPipelineQueue({ ...deps, system, app, onChanged, newId })
  const loop = createWorkLoop(queue, pipelineWorkBounds, { clock, log, metrics: deps.metrics })
  const nudges = createCoalesced({
    work: async () => loop.nudge(),
    everyMs: nudgesEveryMs,
    onError: (error) => log.warn('pipeline runs could not be looked for', { error }),
  })
  const onEvents: EventListener = async (tx, batch) => {
    const { asking, woken } = await wakePipelineRuns(tx, batch)
    return () => {
      for (const { org, id } of asking) onChanged(org, id)
      if (woken === 0) return
      nudges.call()
      pubSub.publish(pipelineChannel, '')
    }
  }
  return {
    /** The ends of runs among the events of each batch wake their pipeline runs. */
    onEvents,
    loop,
    listen: () => pubSub.subscribe(pipelineChannel, nudges.call),
    /** Claims no further pipeline run. Another worker can repeat the acts that this one does not finish. */
    drain: nudges.close,
    readGauges: () => readPipelineGauges(system),
  }
}
