/** The columns of `toHeldRow` and `toStepRow` in a JSON row. */
export const stepFields = `run_id uuid, epoch integer, attempt integer, step integer, kind text, step_output text,
             input_tokens bigint, output_tokens bigint, cost_usd numeric, messages_read integer, started_at timestamptz`

type Totals = 'input_tokens' | 'output_tokens' | 'cost_usd' | 'waiting_ms'

/** A row of a run as Postgres sends it: bigint and numeric arrive as text. */
export type TextTotals<Row> = Omit<Row, Totals> & {
  run_id: string
  input_tokens: string
  output_tokens: string
  cost_usd: string | null
  waiting_ms: string
}
