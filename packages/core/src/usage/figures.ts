import type { AnalyticsFigures } from '@ars/contract'
import { addCounts, type Histogram, quantile } from './histogram.ts'

/** The figures of some bucket rows. */
export type Figures = {
  completed: number
  failed: number
  cancelled: number
  inputTokens: number
  outputTokens: number
  cachedTokens: number
  costUsd: number
  unpricedRuns: number
  guardrailBlocks: number
  deliveriesSucceeded: number
  deliveriesFailed: number
  errors: Readonly<Record<string, number>>
  latency: Histogram
  queue: Histogram
}

/** The columns of a row of figures that are added up as numbers. */
export const figureColumns = [
  'completed',
  'failed',
  'cancelled',
  'input_tokens',
  'output_tokens',
  'cached_tokens',
  'cost_usd',
  'unpriced_runs',
  'guardrail_blocks',
  'deliveries_succeeded',
  'deliveries_failed',
] as const

/** As the database returns them: `bigint` and `numeric` arrive as text. */
export type FiguresRow = Readonly<Record<(typeof figureColumns)[number], string>> & {
  errors: Readonly<Record<string, number>> | null
  latency: Histogram | null
  queue: Histogram | null
}

export const toFigures = (row: FiguresRow): Figures => ({
  completed: Number(row.completed),
  failed: Number(row.failed),
  cancelled: Number(row.cancelled),
  inputTokens: Number(row.input_tokens),
  outputTokens: Number(row.output_tokens),
  cachedTokens: Number(row.cached_tokens),
  costUsd: Number(row.cost_usd),
  unpricedRuns: Number(row.unpriced_runs),
  guardrailBlocks: Number(row.guardrail_blocks),
  deliveriesSucceeded: Number(row.deliveries_succeeded),
  deliveriesFailed: Number(row.deliveries_failed),
  errors: row.errors ?? {},
  latency: row.latency ?? {},
  queue: row.queue ?? {},
})

export const addFigures = (all: readonly Figures[]): Figures => {
  const sum = (numberOf: (figures: Figures) => number): number => all.reduce((total, each) => total + numberOf(each), 0)
  return {
    completed: sum(({ completed }) => completed),
    failed: sum(({ failed }) => failed),
    cancelled: sum(({ cancelled }) => cancelled),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    cachedTokens: sum(({ cachedTokens }) => cachedTokens),
    costUsd: sum(({ costUsd }) => costUsd),
    unpricedRuns: sum(({ unpricedRuns }) => unpricedRuns),
    guardrailBlocks: sum(({ guardrailBlocks }) => guardrailBlocks),
    deliveriesSucceeded: sum(({ deliveriesSucceeded }) => deliveriesSucceeded),
    deliveriesFailed: sum(({ deliveriesFailed }) => deliveriesFailed),
    errors: addCounts(all.map(({ errors }) => errors)),
    latency: addCounts(all.map(({ latency }) => latency)),
    queue: addCounts(all.map(({ queue }) => queue)),
  }
}

export const runsOf = ({ completed, failed, cancelled }: Pick<Figures, 'completed' | 'failed' | 'cancelled'>): number =>
  completed + failed + cancelled

/** The figures of `GET /usage`. */
export const toUsageFigures = (figures: Figures) => ({
  runs: runsOf(figures),
  completed: figures.completed,
  failed: figures.failed,
  cancelled: figures.cancelled,
  input_tokens: figures.inputTokens,
  output_tokens: figures.outputTokens,
  cached_tokens: figures.cachedTokens,
  cost_usd: rounded(figures.costUsd, 1e9),
  unpriced_runs: figures.unpricedRuns,
})

export const toAnalyticsFigures = (figures: Figures): AnalyticsFigures => ({
  ...toUsageFigures(figures),
  success_rate: share(figures.completed, figures.failed),
  latency_p50_ms: milliseconds(quantile(figures.latency, 0.5)),
  latency_p95_ms: milliseconds(quantile(figures.latency, 0.95)),
  latency_p99_ms: milliseconds(quantile(figures.latency, 0.99)),
  queue_wait_p95_ms: milliseconds(quantile(figures.queue, 0.95)),
  webhook_success_rate: share(figures.deliveriesSucceeded, figures.deliveriesFailed),
  guardrail_blocks: figures.guardrailBlocks,
})

const share = (good: number, bad: number): number | null => (good + bad === 0 ? null : good / (good + bad))
// Sums of binary fractions have digits that no price has.
const rounded = (value: number, digits: number): number => Math.round(value * digits) / digits
const milliseconds = (value: number | null): number | null => (value === null ? null : rounded(value, 10))
