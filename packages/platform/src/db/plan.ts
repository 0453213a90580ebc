import { statement } from './statement.ts'

/**
 * For the rest of a transaction, plans go through indexes. Statements are planned once for ever, mostly while the queue is
 * empty, when reading the whole table looks best; they run when it is full.
 */
export const preferIndexes = statement('prefer_indexes', `select set_config('enable_seqscan', 'off', true)`)
