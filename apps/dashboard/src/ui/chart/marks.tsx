import { area, line, stack } from 'd3-shape'
import { fillOf } from './fill.ts'
import type { Series, TimeChartProps } from './types.ts'

export type MarksProps = {
  series: readonly Series[]
  /** How many points each series has. */
  count: number
  /** The place of a point. `count` is the end of the last interval. */
  xOf(n: number): number
  y(value: number): number
  /** The point below the cross-hair. */
  at: number | undefined
}

/** The values of all series, drawn. */
export const Marks = ({ kind, ...props }: MarksProps & Pick<TimeChartProps, 'kind'>) => {
  if (kind === 'lines') return <Lines {...props} />
  return kind === 'bars' ? <Bars {...props} /> : <Areas {...props} />
}

const layersOf = ({ series, count }: MarksProps) =>
  stack<number, string>()
    .keys(series.map(({ id }) => id))
    .value((n, id) => series.find((each) => each.id === id)?.values[n] ?? 0)(Array.from({ length: count }, (_, n) => n))

const Areas = (props: MarksProps) => {
  const shape = area<readonly [number, number]>()
    .x((_, n) => props.xOf(n))
    .y0(([low]) => props.y(low))
    .y1(([, high]) => props.y(high))
  return layersOf(props).map((layer, n) => (
    <path
      key={layer.key}
      d={shape(layer as unknown as [number, number][]) ?? ''}
      fill={fillOf(props.series[n]?.tone)}
      fillOpacity={0.28}
      stroke={fillOf(props.series[n]?.tone)}
      strokeWidth={1.25}
    />
  ))
}

/** One path for each series: a year by hour has thousands of bars. */
const Bars = (props: MarksProps) => {
  const { xOf, y, at, series } = props
  const barOf = (n: number, low: number, high: number): string => {
    const [from, to] = [xOf(n), xOf(n + 1)]
    const gap = Math.min(2, (to - from) / 5)
    return high > low ? `M${from + gap / 2} ${y(low)}H${to - gap / 2}V${y(high)}H${from + gap / 2}Z` : ''
  }
  return (
    <>
      {at !== undefined && <rect x={xOf(at)} width={xOf(at + 1) - xOf(at)} y={0} height={y(0)} fill="var(--sunken)" />}
      {layersOf(props).map((layer, n) => (
        <path
          key={layer.key}
          d={layer.map(([low, high], place) => barOf(place, low, high)).join('')}
          fill={fillOf(series[n]?.tone)}
        />
      ))}
    </>
  )
}

const maxDots = 120

const Lines = ({ series, count, xOf, y, at }: MarksProps) => {
  const path = line<number | null>()
    .defined((value) => value !== null)
    .x((_, n) => xOf(n))
    .y((value) => y(value ?? 0))
  return series.map(({ id, tone, values }) => (
    <g key={id}>
      <path d={path(values) ?? ''} fill="none" stroke={fillOf(tone)} strokeWidth={1.75} />
      {values.map((value, n) =>
        value !== null && (count <= maxDots || n === at || isAlone(values, n)) ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a point is its place in time.
          <circle key={n} cx={xOf(n)} cy={y(value)} r={n === at ? 4 : 2} fill={fillOf(tone)} />
        ) : null,
      )}
    </g>
  ))
}

/** A value between two gaps has no line. */
const isAlone = (values: readonly (number | null)[], n: number): boolean =>
  (values[n - 1] ?? null) === null && (values[n + 1] ?? null) === null
