import { existsSync, readFileSync } from 'node:fs'
import { toUuid } from '@ars/platform/id'
import { parseLines } from './journal.ts'

/** Written by each step of `test-steps` before it works, outside the database: what really ran. */
export type LedgerLine = {
  /** The run's UUID. */
  run_id: string
  step: number
  attempt: number
}

export const readLedger = (file: string): LedgerLine[] => {
  if (!existsSync(file)) return []
  return parseLines<LedgerLine>(readFileSync(file, 'utf8')).map((line) => ({ ...line, run_id: toUuid(line.run_id) }))
}
