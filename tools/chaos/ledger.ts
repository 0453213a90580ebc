import { existsSync, readFileSync } from 'node:fs'
import { parseLines } from './journal.ts'

/** Written by each step of `test-steps` before it works, outside the database: what really ran. */
export interface LedgerLine {
  /** The run's UUID. */
  run_id: string
  step: number
  attempt: number
}

export function readLedger(file: string): LedgerLine[] {
  return existsSync(file) ? parseLines<LedgerLine>(readFileSync(file, 'utf8')) : []
}
