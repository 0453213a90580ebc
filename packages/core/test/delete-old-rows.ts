import { systemClock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import { createLog } from '@ars/platform/log/log'
import { oldRowsSweep } from '../src/retention/index.ts'

/** One round of the sweep of old rows, over all tables. Runs are kept for 30 days. */
export const deleteOldRows = (system: Database): Promise<void> =>
  oldRowsSweep({ system, clock: systemClock, log: createLog({ level: 'silent' }), retentionDays: 30 }).run()
