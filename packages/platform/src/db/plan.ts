import { sql, statement } from './statement.ts'

/**
 * Disables sequential scans for the rest of a transaction. Statements are planned once, mostly while the queue is
 * empty, when a scan looks cheapest; they run when it is full.
 */
export const preferIndexes = statement('prefer_indexes', sql`select set_config('enable_seqscan', 'off', true)`)
