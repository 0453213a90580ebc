import type { Analytics, AnalyticsFigures } from '@agent-run-service/sdk'
import type { Series, TimeChartProps } from '../../ui/chart/types.ts'
import type { Cell } from '../../ui/csv.ts'
import { count, duration, percent, shortCount, usd } from '../../ui/format.ts'

type Figure = {
  name: string
  of(figures: AnalyticsFigures): number | null
  print(value: number | null): string
  /** Whether more is better; null: neither. */
  isMoreBetter: boolean | null
  /** Shares change by points, all else by per cent. */
  isShare?: boolean
}

/** The figures above the charts. */
export const figures: readonly Figure[] = [
  { name: 'Ended runs', of: ({ runs }) => runs, print: count, isMoreBetter: null },
  { name: 'Success rate', of: ({ success_rate }) => success_rate, print: percent, isMoreBetter: true, isShare: true },
  { name: 'Duration, median', of: ({ latency_p50_ms }) => latency_p50_ms, print: duration, isMoreBetter: false },
  { name: 'Duration, p95', of: ({ latency_p95_ms }) => latency_p95_ms, print: duration, isMoreBetter: false },
  { name: 'Duration, p99', of: ({ latency_p99_ms }) => latency_p99_ms, print: duration, isMoreBetter: false },
  {
    name: 'Wait in the queue, p95',
    of: ({ queue_wait_p95_ms }) => queue_wait_p95_ms,
    print: duration,
    isMoreBetter: false,
  },
  { name: 'Cost', of: ({ cost_usd }) => cost_usd, print: usd, isMoreBetter: null },
  {
    name: 'Tokens',
    of: ({ input_tokens, output_tokens }) => input_tokens + output_tokens,
    print: (value) => (value === null ? '–' : shortCount(value)),
    isMoreBetter: null,
  },
  {
    name: 'Deliveries to webhooks',
    of: ({ webhook_success_rate }) => webhook_success_rate,
    print: percent,
    isMoreBetter: true,
    isShare: true,
  },
  { name: 'Blocked by guardrails', of: ({ guardrail_blocks }) => guardrail_blocks, print: count, isMoreBetter: null },
]

/** The change against the period before, such as `+12.3 %` or `−0.4 points`, and whether it is a good one. Null: nothing to compare. */
export const changeOf = (
  { isMoreBetter, isShare }: Pick<Figure, 'isMoreBetter' | 'isShare'>,
  now: number | null,
  before: number | null,
): { text: string | null; tone: 'good' | 'bad' | 'plain' } => {
  if (now === null || before === null || (before === 0 && !isShare)) return { text: null, tone: 'plain' }
  const change = (isShare ? now - before : (now - before) / before) * 100
  const rounded = Math.round(change * 10) / 10
  if (rounded === 0) return { text: 'No change', tone: 'plain' }
  const text = `${rounded > 0 ? '+' : '−'}${Math.abs(rounded).toFixed(1)} ${isShare ? 'points' : '%'}`
  if (isMoreBetter === null) return { text, tone: 'plain' }
  return { text, tone: rounded > 0 === isMoreBetter ? 'good' : 'bad' }
}

type Chart = Pick<TimeChartProps, 'title' | 'kind' | 'format'> & {
  series: readonly (Omit<Series, 'values'> & { of(figures: AnalyticsFigures): number | null })[]
}

export const charts: readonly Chart[] = [
  {
    title: 'Ended runs',
    kind: 'bars',
    format: shortCount,
    series: [
      { id: 'completed', name: 'Completed', tone: 'good', of: ({ completed }) => completed },
      { id: 'failed', name: 'Failed', tone: 'bad', of: ({ failed }) => failed },
      { id: 'cancelled', name: 'Cancelled', tone: 'plain', of: ({ cancelled }) => cancelled },
    ],
  },
  {
    title: 'Success rate',
    kind: 'lines',
    format: (value) => percent(value, 0),
    series: [{ id: 'rate', name: 'Completed of completed and failed', tone: 'good', of: (each) => each.success_rate }],
  },
  {
    title: 'Duration',
    kind: 'lines',
    format: duration,
    series: [
      { id: 'p50', name: 'Median', tone: 'run', of: ({ latency_p50_ms }) => latency_p50_ms },
      { id: 'p95', name: 'p95', tone: 'accent', of: ({ latency_p95_ms }) => latency_p95_ms },
      { id: 'p99', name: 'p99', tone: 'warn', of: ({ latency_p99_ms }) => latency_p99_ms },
    ],
  },
  {
    title: 'Cost',
    kind: 'bars',
    format: usd,
    series: [{ id: 'cost', name: 'Model calls', tone: 'accent', of: ({ cost_usd }) => cost_usd }],
  },
  {
    title: 'Tokens',
    kind: 'bars',
    format: shortCount,
    series: [
      { id: 'input', name: 'Input', tone: 'run', of: ({ input_tokens }) => input_tokens },
      { id: 'output', name: 'Output', tone: 'accent', of: ({ output_tokens }) => output_tokens },
    ],
  },
]

type Point = { time: Date; end: Date; figures: AnalyticsFigures | null }

const intervalMs: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000 }

/** Every interval of the period, with null where no run has ended. Days begin in the time zone of the browser or in UTC. */
export const pointsOf = ({
  from,
  to,
  interval,
  series,
  time_zone,
}: Pick<Analytics, 'from' | 'to' | 'interval' | 'series' | 'time_zone'>): readonly {
  time: Date
  end: Date
  figures: AnalyticsFigures | null
}[] => {
  const known = new Map(series.map(({ started_at, figures: found }) => [Date.parse(started_at), found]))
  const stepMs = intervalMs[interval]
  const next = (time: Date): Date => {
    if (stepMs !== undefined) return new Date(time.getTime() + stepMs)
    if (time_zone === 'UTC') return new Date(time.getTime() + 86_400_000)
    return new Date(time.getFullYear(), time.getMonth(), time.getDate() + 1)
  }
  const points: Point[] = []
  for (let time = new Date(from); time.getTime() < Date.parse(to); time = next(time))
    points.push({ time, end: next(time), figures: known.get(time.getTime()) ?? null })
  return points
}

const names = [
  ...(['runs', 'completed', 'failed', 'cancelled', 'success_rate', 'latency_p50_ms', 'latency_p95_ms'] as const),
  ...(['latency_p99_ms', 'queue_wait_p95_ms', 'input_tokens', 'output_tokens', 'cached_tokens', 'cost_usd'] as const),
  ...(['unpriced_runs', 'webhook_success_rate', 'guardrail_blocks'] as const),
]

/** The rows of a file, with the names of the API. */
export const csvRows = {
  series: ({ series }: Analytics): readonly (readonly Cell[])[] => [
    ['started_at', ...names],
    ...series.map(({ started_at, figures: found }) => [started_at, ...names.map((name) => found[name])]),
  ],
  groups: ({ groups }: Analytics): readonly (readonly Cell[])[] => [
    ['key', 'name', ...names],
    ...(groups ?? []).map((group) => [group.key, group.name, ...names.map((name) => group.figures[name])]),
  ],
} as const
