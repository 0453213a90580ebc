import { useRouter } from '@tanstack/react-router'
import { scaleLinear, scaleTime, scaleUtc } from 'd3-scale'
import { type KeyboardEvent, type MouseEvent, useId, useState } from 'react'
import { Button } from '../button.tsx'
import { moment } from '../format.ts'
import { ownHref } from '../own-link.ts'
import { usePreferences } from '../preferences.ts'
import { Marks } from './marks.tsx'
import { SeriesKey, SeriesTable } from './series.tsx'
import type { Series, TimeChartProps } from './types.ts'
import { useWidth } from './use-width.ts'

const margin = { top: 8, right: 20, bottom: 22, left: 56 }

/** Values over time: areas, lines or bars, a threshold, a cross-hair for mouse and arrow keys, and the same as a table. */
export const TimeChart = (props: TimeChartProps) => {
  const { times, series, kind, format, threshold, hrefOf, height = 200 } = props
  const router = useRouter({ warn: false })
  const preferred = usePreferences().zone
  const zone = props.isUtc ? 'utc' : preferred
  const [place, width] = useWidth()
  const [at, setAt] = useState<number>()
  const [isTable, setIsTable] = useState(false)
  const tableId = useId()
  const timeZone = zone === 'utc' ? 'UTC' : undefined
  const inner = Math.max(0, width - margin.left - margin.right)
  const bottom = height - margin.top - margin.bottom
  const x = (zone === 'utc' ? scaleUtc() : scaleTime()).domain(spanOf(times, kind)).range([0, inner])
  const most = Math.max(threshold?.value ?? 0, highest(series, kind, times.length))
  const y = scaleLinear([0, most === 0 ? 1 : most], [bottom, 0]).nice(4)
  const xOf = (n: number): number => (n < times.length ? x(times[n] ?? 0) : inner)
  /** Where the cross-hair stands: a bar has its middle. */
  const middleOf = (n: number): number => (kind === 'bars' ? (xOf(n) + xOf(n + 1)) / 2 : xOf(n))
  const open = (n: number | undefined) => {
    if (n !== undefined && hrefOf) router.history.push(ownHref(hrefOf(n)))
  }
  const move = (event: KeyboardEvent) => {
    if (event.key === 'Enter') open(at)
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -times.length, End: times.length }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const from = step > 0 ? -1 : times.length
    setAt((was = from) => Math.max(0, Math.min(times.length - 1, was + step)))
  }
  const placeOf = ({ clientX, currentTarget }: MouseEvent): number => {
    const px = clientX - currentTarget.getBoundingClientRect().left - margin.left
    const middles = times.map((_, n) => middleOf(n))
    return nearest(middles, px)
  }
  return (
    <figure ref={place} className="relative min-w-0">
      <figcaption className="mb-1 flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium">{props.title}</span>
        <SeriesKey series={series} threshold={threshold?.name} />
        <Button isSmall kind="quiet" className="ms-auto" aria-expanded={isTable} onClick={() => setIsTable(!isTable)}>
          {isTable ? 'Show as chart' : 'Show as table'}
        </Button>
      </figcaption>
      {isTable ? (
        <SeriesTable {...props} id={tableId} timeZone={timeZone} />
      ) : (
        width > 0 && (
          <svg
            role="img"
            aria-label={`${props.title}. Arrow keys read the values${hrefOf ? ', Enter shows the runs' : ''}.`}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: the cross-hair follows the arrow keys.
            tabIndex={0}
            width={width}
            height={height}
            onKeyDown={move}
            onPointerMove={(event) => setAt(placeOf(event))}
            onClick={(event) => open(placeOf(event))}
            className={`max-w-full ${hrefOf ? 'cursor-pointer' : ''}`}
            onPointerLeave={() => setAt(undefined)}
            onBlur={() => setAt(undefined)}
          >
            <g transform={`translate(${margin.left},${margin.top})`}>
              {y.ticks(4).map((tick) => (
                <g key={tick} transform={`translate(0,${y(tick)})`}>
                  <line x2={inner} stroke="var(--line)" />
                  <text x={-8} dy="0.32em" textAnchor="end" fontSize={11} fill="var(--ink-3)">
                    {format(tick)}
                  </text>
                </g>
              ))}
              {x.ticks(Math.max(2, Math.floor(inner / 110))).map((tick) => (
                <text
                  key={tick.getTime()}
                  x={x(tick) + middleOf(0)}
                  y={height - margin.top - 6}
                  textAnchor="middle"
                  fontSize={11}
                  fill="var(--ink-3)"
                >
                  {x.tickFormat()(tick)}
                </text>
              ))}
              <Marks kind={kind} series={series} count={times.length} xOf={xOf} y={y} at={at} />
              {threshold && (
                <line
                  x2={inner}
                  y1={y(threshold.value)}
                  y2={y(threshold.value)}
                  stroke="var(--bad)"
                  strokeDasharray="4 4"
                />
              )}
              {at !== undefined && kind !== 'bars' && (
                <line x1={xOf(at)} x2={xOf(at)} y2={bottom} stroke="var(--ink-3)" />
              )}
            </g>
          </svg>
        )
      )}
      <div aria-live="polite">
        {!isTable && at !== undefined && (
          <div
            className="pointer-events-none absolute top-8 z-10 rounded-md border border-line bg-raised px-2.5 py-1.5 text-xs shadow-lg"
            style={
              middleOf(at) > inner / 2
                ? { insetInlineEnd: inner - middleOf(at) + 24 }
                : { insetInlineStart: middleOf(at) + margin.left + 12 }
            }
          >
            <p className="text-ink-3">{momentOf(times[at], timeZone)}</p>
            {series.map(({ id, name, values }) => (
              <p key={id} className="num flex gap-3">
                {name}
                <span className="ms-auto font-medium">{wordOf(values[at], format)}</span>
              </p>
            ))}
          </div>
        )}
      </div>
    </figure>
  )
}

const wordOf = (value: number | null | undefined, format: (value: number) => string): string =>
  value === null || value === undefined ? '–' : format(value)

const momentOf = (time: Date | undefined, zone: string | undefined): string =>
  time ? moment(time.toISOString(), zone, Date.now()) : ''

/**
 * One moment alone gets a minute on each side, so that it stands in the middle. The last bar needs the length of its
 * interval, which is that of the one before.
 */
const spanOf = (times: readonly Date[], kind: TimeChartProps['kind']): [Date, Date] => {
  const [first = new Date(0), last = first] = [times[0], times.at(-1)]
  if (first.getTime() === last.getTime())
    return [new Date(first.getTime() - 60_000), new Date(first.getTime() + 60_000)]
  const stepMs = last.getTime() - (times.at(-2)?.getTime() ?? 0)
  return [first, kind === 'bars' ? new Date(last.getTime() + stepMs) : last]
}

const highest = (series: readonly Series[], kind: TimeChartProps['kind'], count: number): number => {
  const sums = Array.from({ length: count }, (_, n) => series.map(({ values }) => values[n] ?? 0))
  return Math.max(
    0,
    ...sums.map((values) => (kind === 'lines' ? Math.max(...values) : values.reduce((a, b) => a + b, 0))),
  )
}

const nearest = (places: readonly number[], px: number): number =>
  places.reduce((best, each, n) => (Math.abs(each - px) < Math.abs((places[best] ?? 0) - px) ? n : best), 0)
