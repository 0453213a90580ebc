import type { AgentRunService } from '@agent-run-service/sdk'
import { cliBounds } from './bounds.ts'
import { findIdByName } from './thing-name.ts'

/** A pipeline is named by its id, or by a name that only one active pipeline has. */
export const findPipelineId = (client: AgentRunService, given: string, signal: AbortSignal): Promise<string> =>
  findIdByName({ prefix: 'pl', noun: 'pipeline', list: 'ars pipelines list' }, given, () =>
    client.pipelines.list({ q: given, status: 'active', limit: cliBounds.page.count }, { signal }),
  )
