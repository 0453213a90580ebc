/** The columns of `toHeldRow` and `toStepRow` in a JSON row. */
export const stepFields = `run_id uuid, epoch integer, attempt integer, step integer, kind text,
             input_tokens bigint, output_tokens bigint, cost_usd numeric, messages_read integer, started_at timestamptz, next_type text`

/** The data of `run.step.completed`, from the columns of `stepFields`. Durations are those of the stored milliseconds. */
export const completedStep = ({ from, step, status }: { from: string; step: string; status: string }): string =>
  `json_build_object('step', ${step}, 'status', ${status}, 'usage', json_build_object('input_tokens', ${from}.input_tokens,
             'output_tokens', ${from}.output_tokens, 'cost_usd', ${from}.cost_usd), 'duration_ms', greatest(0, (extract(epoch from
             date_trunc('milliseconds', app_now()) - date_trunc('milliseconds', ${from}.started_at)) * 1000)::bigint))`

type Totals = 'input_tokens' | 'output_tokens' | 'cost_usd' | 'waiting_ms'

/** A row of a run as Postgres sends it: bigint and numeric arrive as text. */
export type TextTotals<Row> = Omit<Row, Totals> & {
  run_id: string
  input_tokens: string
  output_tokens: string
  cost_usd: string | null
  waiting_ms: string
}
