import { type TokenCounts, tokenColumns, usageOf } from '../run/tokens.ts'

/** The columns of `toHeldRow` and `toStepRow` in a JSON row. */
export const stepFields = `run_id uuid, epoch integer, attempt integer, claim_id uuid, step integer, kind text,
             ${tokenColumns((column) => `${column} bigint`)}, cost_usd numeric, messages_read integer,
             started_at timestamptz, model text, next_type text`

/** The data of `run.step.completed`, from the columns of `stepFields`. Durations are those of the stored milliseconds. */
export const completedStep = ({ from, step, status }: { from: string; step: string; status: string }): string =>
  `json_build_object('step', ${step}, 'status', ${status}, 'model', ${from}.model, 'usage', ${usageOf(from)}, 'duration_ms', greatest(0, (extract(epoch from
             date_trunc('milliseconds', app_now()) - date_trunc('milliseconds', ${from}.started_at)) * 1000)::bigint))`

/** A row of a run as Postgres sends it: bigint and numeric arrive as text. */
export type TextNumbers<Row> = Omit<Row, 'cost_usd' | 'waiting_ms'> & {
  run_id: string
  cost_usd: string | null
  waiting_ms: string
}

export type TextTotals<Row> = Omit<TextNumbers<Row>, keyof TokenCounts> & TokenCounts<string>
