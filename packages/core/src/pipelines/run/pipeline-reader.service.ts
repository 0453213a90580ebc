import type { PipelineRun as WirePipelineRun } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { readPipelineRuns } from './pipeline-run.store.ts'
import { toWirePipelineRun } from './pipeline-run.ts'

/** Pipeline runs in their wire form, by UUID: all of those that exist. */
export const createPipelineReader =
  ({ app }: { app: Database }) =>
  async (org: string, ids: readonly string[]): Promise<Map<string, WirePipelineRun>> =>
    new Map((await readPipelineRuns(app, org, ids)).map(({ run, steps }) => [run.id, toWirePipelineRun(run, steps)]))
