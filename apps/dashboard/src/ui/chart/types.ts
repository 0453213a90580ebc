/** A colour of the charts. The name of the series stands beside it. */
export type Tone = keyof typeof fills

export const fills = {
  accent: 'bg-accent',
  good: 'bg-good-fill',
  bad: 'bg-bad-fill',
  warn: 'bg-warn-fill',
  run: 'bg-run-fill',
  plain: 'bg-line-strong',
} as const

export type Series = { id: string; name: string; tone: Tone; values: readonly (number | null)[] }

export type TimeChartProps = {
  title: string
  /** The begin of each interval. */
  times: readonly Date[]
  series: readonly Series[]
  /** Stacked areas, lines, or stacked bars, which are as wide as their interval. */
  kind: 'stack' | 'lines' | 'bars'
  format(value: number): string
  /** A dashed line with this name. */
  threshold?: { value: number; name: string } | undefined
  height?: number
  /** The times are days of UTC, whatever the person prefers. */
  isUtc?: boolean
  /** The page behind a point, below the base, such as `/runs?…`. A click or Enter on the point opens it. */
  hrefOf?(n: number): string
}
