import type { Run as WireRun } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { toWireRun } from '../run/run.ts'
import { listFitting, readRuns } from './list.store.ts'

/**
 * Runs in their wire form, by UUID, in the requested order. It answers as many as fit into memory, and at least one
 * of those that exist; the caller asks again for the rest.
 */
export type ReadRuns = (org: string, ids: readonly string[]) => Promise<Map<string, WireRun>>

// The stored size, which may be compressed; in memory it can be tens of times as much.
const maxStoredBytes = 262_144

export const createReadRuns =
  ({ app }: { app: Database }): ReadRuns =>
  async (org, ids) => {
    const fitting = ids.length > 1 ? await listFitting(app, org, ids, maxStoredBytes) : ids
    return new Map((await readRuns(app, org, fitting)).map((run) => [run.id, toWireRun(run)]))
  }
