import type { RunStep } from '@agent-run-service/sdk'
import { CircleX, ZoomIn, ZoomOut } from 'lucide-react'
import { type PointerEvent, useRef, useState } from 'react'
import { IconButton } from '../../ui/button.tsx'
import { duration } from '../../ui/format.ts'
import { useVisibleRows } from '../../ui/use-visible-rows.ts'
import type { Bar } from './run-picture.ts'
import { timeScale } from './time-scale.ts'
import { useZoom } from './use-zoom.ts'
import { WaterfallRow } from './waterfall-row.tsx'

const maxPlainRows = 200
const rowPx = 32

export type WaterfallProps = {
  bars: readonly Bar[]
  steps: readonly RunStep[]
  /** Where bars that are not over yet end. */
  nowMs: number
  selected: number | undefined
  /** What policies have found. */
  findings: readonly { step: number }[]
  onSelect(step: number | undefined): void
}

/** The run in time: queue, steps, tool calls and waits. Long waits are shortened, unless the person wants them whole. */
export const Waterfall = (props: WaterfallProps) => {
  const { bars, steps, nowMs, selected, findings } = props
  const [isShortened, setIsShortened] = useState(true)
  const zoom = useZoom()
  const endOf = ({ startMs, endMs }: Bar) => Math.max(startMs, endMs ?? nowMs)
  const startMs = Math.min(...bars.map((bar) => bar.startMs))
  const endMs = Math.max(startMs + 1, ...bars.map(endOf))
  const idle = bars
    .filter(({ kind }) => kind === 'wait' || kind === 'queue')
    .map((bar) => ({ startMs: bar.startMs, endMs: endOf(bar) }))
  const scale = timeScale({ startMs, endMs }, isShortened ? idle : [])
  const place = (ms: number) => zoom.place(scale.at(ms))
  const byNumber = new Map(steps.map((step) => [step.number, step]))
  if (bars.length === 0) return null
  const row = (bar: Bar) => (
    <WaterfallRow
      key={bar.key}
      bar={bar}
      step={byNumber.get(bar.step)}
      endMs={endOf(bar)}
      from={place(bar.startMs)}
      to={place(endOf(bar))}
      findings={hasFindings(bar) ? findings.filter(({ step }) => step === bar.step).length : 0}
      isSelected={bar.step > 0 && bar.step === selected && bar.kind === 'step'}
      onSelect={props.onSelect}
    />
  )
  const stepCount = bars.filter(({ kind }) => kind === 'step').length
  return (
    <section aria-label="Waterfall" className="text-xs">
      <div className="grid grid-cols-[minmax(9rem,15rem)_1fr] items-center border-line border-b text-ink-3">
        <div className="flex flex-wrap items-center gap-x-2 px-4 py-1">
          <h2 className="font-medium">{stepCount === 1 ? '1 step' : `${stepCount} steps`}</h2>
          <label className="ms-auto flex min-h-6 items-center gap-1">
            <input
              type="checkbox"
              checked={isShortened}
              onChange={() => setIsShortened(!isShortened)}
              className="accent-accent"
            />
            shorten waits
          </label>
        </div>
        <div className="relative flex items-center pe-36 max-sm:[&_.num]:hidden">
          <Axis zoom={zoom}>
            <span className="absolute start-0 top-1.5">
              {zoom.isWhole ? '0' : duration(scale.timeAt(zoom.from) - startMs)}
            </span>
            {scale.breaks.map((each) => {
              const middle = zoom.place((each.from + each.to) / 2)
              if (middle < 0.08 || middle > 0.9) return null
              return (
                <span
                  key={each.startMs}
                  className="num absolute top-1.5 -translate-x-1/2 whitespace-nowrap text-warn"
                  style={{ left: `${middle * 100}%` }}
                >
                  ⟨ {duration(each.endMs - each.startMs)} ⟩
                </span>
              )
            })}
            <span className="num absolute end-0 top-1.5">
              {duration((zoom.isWhole ? endMs : scale.timeAt(zoom.to)) - startMs)}
            </span>
          </Axis>
          <span className="absolute end-4 top-0.5 flex">
            <IconButton
              label="Zoom in"
              isSmall
              className="!size-6"
              onClick={() => zoom.nearer(centreOf(bars, selected, scale.at))}
            >
              <ZoomIn aria-hidden size={13} />
            </IconButton>
            <IconButton
              label="Show all (0)"
              isSmall
              className="!size-6"
              reason={zoom.isWhole ? 'Everything is shown.' : undefined}
              onClick={zoom.reset}
            >
              <ZoomOut aria-hidden size={13} />
            </IconButton>
          </span>
        </div>
      </div>
      {bars.length > maxPlainRows ? (
        <ManyRows bars={bars} row={row} />
      ) : (
        <ul aria-label="Steps in time">{bars.map(row)}</ul>
      )}
      {bars.some(({ isFailed }) => isFailed) && (
        <p className="flex items-center gap-1 px-4 py-1 text-ink-3">
          <CircleX aria-hidden size={12} className="text-bad" /> failed
        </p>
      )}
    </section>
  )
}

/** A finding belongs to a step; one in the input, whose step is 0, to the time before the first. */
const hasFindings = ({ kind }: Bar): boolean => kind === 'step' || kind === 'queue'

/** Where to look closer: the selected step, else the middle. */
const centreOf = (
  bars: readonly Bar[],
  selected: number | undefined,
  at: (ms: number) => number,
): number | undefined => {
  const bar = bars.find(({ kind, step }) => kind === 'step' && step === selected)
  return bar && (at(bar.startMs) + at(bar.endMs ?? bar.startMs)) / 2
}

/** The line of times. A stretch that is drawn over it is zoomed into. */
const Axis = ({ zoom, children }: { zoom: ReturnType<typeof useZoom>; children: React.ReactNode }) => {
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null)
  const placeOf = ({ clientX, currentTarget }: PointerEvent<HTMLElement>): number => {
    const { left, width } = currentTarget.getBoundingClientRect()
    return Math.max(0, Math.min(1, (clientX - left) / width))
  }
  return (
    <div
      className="relative h-7 min-w-0 flex-1 cursor-crosshair touch-none select-none"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        setDrag({ from: placeOf(event), to: placeOf(event) })
      }}
      onPointerMove={(event) => setDrag((was) => was && { ...was, to: placeOf(event) })}
      onPointerUp={() => {
        if (drag && Math.abs(drag.to - drag.from) > 0.02)
          zoom.into(Math.min(drag.from, drag.to), Math.max(drag.from, drag.to))
        setDrag(null)
      }}
    >
      {children}
      {drag && (
        <span
          className="absolute inset-y-0 bg-accent-soft opacity-70"
          style={{ left: `${Math.min(drag.from, drag.to) * 100}%`, width: `${Math.abs(drag.to - drag.from) * 100}%` }}
        />
      )}
    </div>
  )
}

const ManyRows = ({ bars, row }: { bars: readonly Bar[]; row(bar: Bar): React.ReactNode }) => {
  const scroller = useRef<HTMLDivElement>(null)
  const visible = useVisibleRows(scroller, { count: bars.length, rowPx })
  return (
    <div
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling block must be reachable by keyboard.
      tabIndex={0}
      onScroll={({ currentTarget }) => visible.onScroll(currentTarget.scrollTop)}
      className="max-h-[60vh] overflow-auto"
    >
      <div style={{ height: visible.before }} />
      <ul aria-label="Steps in time">{bars.slice(visible.first, visible.end).map(row)}</ul>
      <div style={{ height: visible.after }} />
    </div>
  )
}
