import type { Run as WireRun } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { listFitting, readRuns } from './list.store.ts'
import { toWire } from './run.ts'

/**
 * Runs as the wire shows them, by their UUIDs. In the order in which they are asked for, as many as can be held in memory
 * at once, and at least one of those that there are: whoever misses some asks for them again.
 */
export type ReadRuns = (org: string, ids: readonly string[]) => Promise<Map<string, WireRun>>

// Of what is stored, which may be compressed: read back it can be some tens of times as much.
const storedBytesMost = 262_144

export const createReadRuns =
  ({ app }: { app: Database }): ReadRuns =>
  async (org, ids) => {
    const fitting = ids.length > 1 ? await listFitting(app, org, ids, storedBytesMost) : ids
    return new Map((await readRuns(app, org, fitting)).map((run) => [run.id, toWire(run)]))
  }
