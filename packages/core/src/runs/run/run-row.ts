import type { Run } from './run.ts'

/** A run read from its three rows, with its open actions. `toRun` converts it. */
export type RunRow = Omit<Run, 'input_tokens' | 'output_tokens' | 'waiting_ms' | 'cost_usd'> & {
  input_tokens: string
  output_tokens: string
  waiting_ms: string
  cost_usd: string | null
}

export const toRun = (row: RunRow): Run => ({
  ...row,
  input_tokens: Number(row.input_tokens),
  output_tokens: Number(row.output_tokens),
  waiting_ms: Number(row.waiting_ms),
  cost_usd: row.cost_usd === null ? null : Number(row.cost_usd),
  actions: (row.actions ?? []).map((action) => ({
    ...action,
    created_at: new Date(action.created_at),
    expires_at: new Date(action.expires_at),
  })),
})
