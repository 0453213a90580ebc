import type { Run } from './run.ts'
import { type TokenCounts, tokenNumbers } from './tokens.ts'

/** A run read from its three rows, with its open actions. `toRun` converts it. */
export type RunRow = Omit<Run, keyof TokenCounts | 'waiting_ms' | 'cost_usd'> &
  TokenCounts<string> & { waiting_ms: string; cost_usd: string | null }

export const toRun = (row: RunRow): Run => ({
  ...row,
  ...tokenNumbers(row),
  waiting_ms: Number(row.waiting_ms),
  cost_usd: row.cost_usd === null ? null : Number(row.cost_usd),
  actions: (row.actions ?? []).map((action) => ({
    ...action,
    created_at: new Date(action.created_at),
    expires_at: new Date(action.expires_at),
  })),
})
