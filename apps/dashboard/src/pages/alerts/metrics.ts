import type { AlertMetric, AlertTerms, AnalyticsFigures } from '@agent-run-service/sdk'
import { count, duration, percent, usd } from '../../ui/format.ts'
import { wordOf, words } from '../../ui/words.ts'

type Metric = {
  /** What the threshold counts, for its field. */
  unit: string
  print(value: number): string
  /** How many of the typed units one of the API's has: shares are typed in per cent. */
  typedPer?: number
  step: number
  /** The value of an hour; absent where analytics has none. */
  ofHour?(figures: AnalyticsFigures): number | null
  /** Shares and percentiles need a number of runs or deliveries. */
  hasSample?: boolean
  /** The service keeps no past values, so nothing can be previewed. */
  hasNoPast?: boolean
  /** It belongs to the whole organisation: the rule cannot name an agent. */
  hasNoAgent?: boolean
}

const rest = (share: number | null): number | null => (share === null ? null : 1 - share)
const share = { unit: '%', print: percent, typedPer: 100, step: 1 } as const
const time = { unit: 'ms', print: duration, step: 100, hasSample: true } as const
const short = (value: number): string => (Number.isInteger(value) ? count(value) : value.toFixed(2))

export const metrics: Readonly<Record<AlertMetric, Metric>> = {
  failure_rate: { ...share, hasSample: true, ofHour: ({ success_rate }) => rest(success_rate) },
  latency_p95_ms: { ...time, ofHour: ({ latency_p95_ms }) => latency_p95_ms },
  queue_wait_p95_ms: { ...time, ofHour: ({ queue_wait_p95_ms }) => queue_wait_p95_ms },
  runs_per_minute: { unit: 'runs', print: short, step: 1, ofHour: ({ runs }) => runs / 60 },
  tokens_per_hour: {
    unit: 'tokens',
    print: (value) => count(Math.round(value)),
    step: 1_000,
    ofHour: ({ input_tokens, output_tokens }) => input_tokens + output_tokens,
  },
  cost_per_hour_usd: { unit: 'USD', print: usd, step: 0.1, ofHour: ({ cost_usd }) => cost_usd },
  error_code_count: { unit: 'runs', print: short, step: 1 },
  webhook_failure_rate: {
    ...share,
    hasSample: true,
    hasNoAgent: true,
    ofHour: ({ webhook_success_rate }) => rest(webhook_success_rate),
  },
  quota_used: { ...share, hasNoPast: true, hasNoAgent: true },
  action_waiting_minutes: { unit: 'minutes', print: (value) => `${short(value)} min`, step: 1, hasNoPast: true },
}

/** The metric may be newer than this page. */
const metricOf = (metric: string): Metric | undefined => (metrics as Readonly<Record<string, Metric>>)[metric]

export const valueText = (metric: string, value: number): string => metricOf(metric)?.print(value) ?? String(value)

/** `Failure rate above 5.0 % over 5 min`. */
export const conditionText = (rule: Omit<AlertTerms, 'id' | 'name' | 'severity'>): string => {
  const { metric, error_code, operator, threshold, window_seconds, for_seconds } = rule
  const name = wordOf(words.alertMetrics, metric) + (error_code === null ? '' : ` ${error_code}`)
  const hold = for_seconds === 0 ? '' : `, for ${duration(for_seconds * 1_000)}`
  return `${name} ${operator} ${valueText(metric, threshold)} over ${duration(window_seconds * 1_000)}${hold}`
}
