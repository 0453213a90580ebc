import type { Run as WireRun } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { toWireRun } from '../run/run.ts'
import { readRuns } from './list.store.ts'

/**
 * Runs in their wire form, by UUID, in the requested order. It answers as many as fit into memory, and at least one
 * of those that exist; the caller asks again for the rest.
 */
export type ReadRuns = (org: string, ids: readonly string[]) => Promise<Map<string, WireRun>>

export const createReadRuns =
  ({ app }: { app: Database }): ReadRuns =>
  async (org, ids) =>
    new Map((await readRuns(app, org, ids)).map((run) => [run.id, toWireRun(run)]))
