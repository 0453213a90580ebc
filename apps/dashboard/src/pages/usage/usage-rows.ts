import type { Usage, UsageFigures } from '@agent-run-service/sdk'
import type { Series } from '../../ui/chart/types.ts'
import type { Cell } from '../../ui/csv.ts'
import { shortCount, usd } from '../../ui/format.ts'

const monthsShown = 13

/** The months that the service keeps, this one first, such as `2026-11`. Months are UTC. */
export const monthsUntil = (nowMs: number): readonly string[] => {
  const now = new Date(nowMs)
  return Array.from({ length: monthsShown }, (_, n) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - n)).toISOString().slice(0, 7),
  )
}

export const monthName = (month: string): string =>
  new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(new Date(`${month}-01`))

/** Every day from the begin of the month to `untilMs`; days without runs have null. */
export const daysOf = ({ period, by_day }: Pick<Usage, 'period' | 'by_day'>, untilMs: number) => {
  const known = new Map(by_day.map(({ date, figures }) => [date, figures]))
  const [start, end] = [Date.parse(period.start), Math.min(Date.parse(period.end), untilMs)]
  const days = Math.max(1, Math.ceil((end - start) / 86_400_000))
  return Array.from({ length: days }, (_, n) => {
    const time = new Date(start + n * 86_400_000)
    return { time, figures: known.get(time.toISOString().slice(0, 10)) ?? null }
  })
}

type Chart = { title: string; format(value: number): string; series: readonly (Omit<Series, 'values'> & Reader)[] }
type Reader = { of(figures: UsageFigures): number }

/** What the chart of the days can show. */
export const usageCharts = {
  runs: {
    title: 'Ended runs by day',
    format: shortCount,
    series: [
      { id: 'completed', name: 'Completed', tone: 'good', of: ({ completed }) => completed },
      { id: 'failed', name: 'Failed', tone: 'bad', of: ({ failed }) => failed },
      { id: 'cancelled', name: 'Cancelled', tone: 'plain', of: ({ cancelled }) => cancelled },
    ],
  },
  cost: {
    title: 'Cost by day',
    format: usd,
    series: [{ id: 'cost', name: 'Cost', tone: 'accent', of: ({ cost_usd }) => cost_usd }],
  },
  tokens: {
    title: 'Tokens by day',
    format: shortCount,
    series: [
      { id: 'input', name: 'Input', tone: 'run', of: ({ input_tokens }) => input_tokens },
      { id: 'output', name: 'Output', tone: 'accent', of: ({ output_tokens }) => output_tokens },
    ],
  },
} as const satisfies Record<string, Chart>

export type UsageChart = keyof typeof usageCharts

const figureNames = [
  ...(['runs', 'completed', 'failed', 'cancelled', 'input_tokens', 'output_tokens'] as const),
  ...(['cached_tokens', 'cost_usd', 'unpriced_runs'] as const),
]

/** The rows of a file, with the names of the API. */
export const usageTables: Readonly<
  Record<'day' | 'agent' | 'api-key', (usage: Usage) => readonly (readonly Cell[])[]>
> = {
  day: ({ by_day }) => tableOf(['date'], by_day, ({ date }) => [date]),
  agent: ({ by_agent }) => tableOf(['agent_id', 'name'], by_agent, ({ agent_id, name }) => [agent_id, name]),
  'api-key': ({ by_api_key }) =>
    tableOf(['api_key_id', 'name'], by_api_key, ({ api_key_id, name }) => [api_key_id, name]),
}

const tableOf = <Row extends { figures: UsageFigures }>(
  names: readonly string[],
  rows: readonly Row[],
  keysOf: (row: Row) => readonly Cell[],
): readonly (readonly Cell[])[] => [
  [...names, ...figureNames],
  ...rows.map((row) => [...keysOf(row), ...figureNames.map((name) => row.figures[name])]),
]
