import type { PipelineId } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { fromUuid } from '@ars/platform/id'
import type { Caller } from '../../ctx.ts'
import { Fault } from '../../fault.ts'
import { findPipelineOf } from './pipeline-run.store.ts'
import { requireAgents } from './pipeline-run-view.service.ts'

/** Refuses a pipeline that the caller could not start now. `id` is a UUID. */
export const createPipelineStartCheck =
  ({ app }: { app: Database }) =>
  async (caller: Caller, id: string): Promise<void> => {
    const pipelineId: PipelineId = fromUuid('pl', id)
    const pipeline = await findPipelineOf(app, caller.org, id)
    if (!pipeline) throw new Fault('not_found', `No pipeline ${pipelineId}`, { param: 'pipeline_id' })
    if (pipeline.status === 'archived')
      throw new Fault('pipeline_archived', `Pipeline ${pipelineId} is archived`, { param: 'pipeline_id' })
    requireAgents(caller, pipeline.definition)
  }
