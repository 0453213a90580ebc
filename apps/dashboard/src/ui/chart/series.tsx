import { useRouter } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import { moment } from '../format.ts'
import { isPlainClick, ownHref } from '../own-link.ts'
import { fills, type Series, type TimeChartProps } from './types.ts'

/** Which colour is which series. */
export const SeriesKey = ({ series, threshold }: { series: readonly Series[]; threshold?: string | undefined }) => (
  <span className="flex flex-wrap gap-x-3 text-ink-2 text-xs">
    {series.map(({ id, name, tone }) => (
      <span key={id} className="flex items-center gap-1.5">
        <span aria-hidden className={`size-2 rounded-[2px] ${fills[tone]}`} />
        {name}
      </span>
    ))}
    {threshold !== undefined && (
      <span className="flex items-center gap-1.5">
        <span aria-hidden className="w-4 border-bad border-t border-dashed" />
        {threshold}
      </span>
    )}
  </span>
)

/** The values of a chart as text, newest first. */
export const SeriesTable = ({
  title,
  times,
  series,
  format,
  hrefOf,
  id,
  timeZone,
}: TimeChartProps & { id: string; timeZone: string | undefined }) => {
  const timeOf = (n: number) => moment(times[n]?.toISOString() ?? '', timeZone, Date.now())
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling block must be reachable by keyboard.
      tabIndex={0}
      aria-label={title}
      className="max-h-64 overflow-auto rounded-md border border-line"
    >
      <table id={id} className="w-full text-xs">
        <thead>
          <tr>
            {['Time', ...series.map(({ name }) => name)].map((name) => (
              <th key={name} scope="col" className="border-line border-b px-2 py-1 text-start font-medium text-ink-3">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times
            .map((_, n) => times.length - 1 - n)
            .map((n) => (
              <tr key={times[n]?.getTime()}>
                <th scope="row" className="num px-2 py-0.5 text-start font-normal">
                  {hrefOf ? <PointLink path={hrefOf(n)} text={timeOf(n)} /> : timeOf(n)}
                </th>
                {series.map(({ id: seriesId, values }) => (
                  <td key={seriesId} className="num px-2 py-0.5">
                    {values[n] === null || values[n] === undefined ? '–' : format(values[n])}
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  )
}

const PointLink = ({ path, text }: { path: string; text: string }) => {
  const router = useRouter({ warn: false })
  const follow = (event: MouseEvent) => {
    if (!isPlainClick(event)) return
    event.preventDefault()
    router.history.push(ownHref(path))
  }
  return (
    <a href={ownHref(path)} onClick={follow} className="inline-block py-1 text-accent underline">
      {text}
    </a>
  )
}
