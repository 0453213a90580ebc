import type { Analytics, AnalyticsExport, AnalyticsFigures } from '@ars/contract'

const columns = [
  'runs', 'completed', 'failed', 'cancelled', 'success_rate', 'latency_p50_ms', 'latency_p95_ms', 'latency_p99_ms',
  'queue_wait_p95_ms', 'input_tokens', 'output_tokens', 'cached_tokens', 'cost_usd', 'unpriced_runs', 'webhook_success_rate',
  'guardrail_blocks',
] as const satisfies readonly (keyof AnalyticsFigures)[] // biome-ignore format: a list of columns

/** One line per interval. All cells are times and numbers, so none needs quotes; an unknown value is empty. */
export const toCsv = ({ from, to, interval, series }: Analytics): AnalyticsExport => ({
  object: 'analytics_export',
  filename: `analytics-${from.slice(0, 10)}-${to.slice(0, 10)}-${interval}.csv`,
  content: [
    ['started_at', ...columns].join(','),
    ...series.map(({ started_at, figures }) => [started_at, ...columns.map((name) => figures[name] ?? '')].join(',')),
    '',
  ].join('\r\n'),
})
