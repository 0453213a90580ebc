/** A colour of the charts. The name of the series stands beside it. */
export type Tone = keyof typeof fills

export const fills = {
  accent: 'bg-accent',
  good: 'bg-good-fill',
  bad: 'bg-bad-fill',
  warn: 'bg-warn-fill',
  run: 'bg-run-fill',
} as const

export type Series = { id: string; name: string; tone: Tone; values: readonly (number | null)[] }

export type TimeChartProps = {
  title: string
  times: readonly Date[]
  series: readonly Series[]
  kind: 'stack' | 'lines'
  format(value: number): string
  /** A dashed line with this name. */
  threshold?: { value: number; name: string } | undefined
  height?: number
}
