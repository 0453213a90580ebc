import { sql, statement } from './statement.ts'

/**
 * Disables scans of whole tables for the rest of a transaction. Statements are planned once, mostly while the queue is empty,
 * when a scan looks cheapest; they run when it is full.
 *
 * Bitmaps are disabled too. Only a plain index scan marks the entries of deleted rows, so that later scans pass them by. With
 * bitmaps each look at a queue visits all rows that went through it since the last vacuum.
 */
export const preferIndexes = statement(
  'prefer_indexes',
  sql`select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`,
)
