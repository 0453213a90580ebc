/** A colour of the charts. The name of the series stands beside it. */
export type Tone = 'accent' | 'good' | 'bad' | 'warn' | 'run'

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
