import type { RunStep } from '@agent-run-service/sdk'
import { CircleX, ShieldAlert } from 'lucide-react'
import { count, duration } from '../../ui/format.ts'
import type { Bar } from './run-picture.ts'

const looks = { queue: 'bg-line-strong', step: 'bg-accent', tool: 'bg-good-fill', wait: 'bar-waiting' } as const

const lookOf = ({ kind, endMs, isFailed }: Bar): string => {
  if (isFailed) return 'bg-bad-fill'
  return endMs === null && kind !== 'wait' ? 'bar-running' : looks[kind]
}

const nameOf = (bar: Bar): string => {
  if (bar.kind === 'queue') return 'Waiting for a slot'
  if (bar.kind === 'wait') return 'Waiting for a person'
  if (bar.kind === 'tool') return bar.name
  if (bar.stepType === 'tools') return 'Tools'
  return bar.stepType === 'remote' ? 'Remote agent' : bar.name || `Step ${bar.step}`
}

const percent = (share: number): string => `${(share * 100).toFixed(3)}%`

export const WaterfallRow = (props: {
  bar: Bar
  step: RunStep | undefined
  endMs: number
  /** Places from 0 to 1; outside when zoomed. */
  from: number
  to: number
  isSelected: boolean
  /** How many findings policies have in the step; in the input for the queue. */
  findings: number
  onSelect(step: number | undefined): void
}) => {
  const { bar, step, isSelected, findings } = props
  const from = Math.max(0, Math.min(1, props.from))
  const to = Math.max(from, Math.min(1, props.to))
  const isOutside = props.to < 0 || props.from > 1
  const length = duration(props.endMs - bar.startMs)
  const content = (
    <>
      <span className={`flex h-8 min-w-0 items-center gap-2 ps-4 pe-2 ${bar.kind === 'tool' ? 'ps-11' : ''}`}>
        {bar.kind !== 'tool' && (
          <span className="num w-5 shrink-0 text-ink-3">{bar.kind === 'step' ? bar.step : ''}</span>
        )}
        <span className="truncate font-medium [unicode-bidi:isolate]">{nameOf(bar).slice(0, 200)}</span>
        {bar.isFailed && <CircleX aria-label="failed" role="img" size={13} className="shrink-0 text-bad" />}
        {bar.retries > 0 && (
          <span className="shrink-0 rounded bg-warn-soft px-1 text-warn">
            {bar.retries === 1 ? '1 retry' : `${bar.retries} retries`}
          </span>
        )}
        {findings > 0 && (
          <span className="inline-flex shrink-0 items-center gap-0.5 rounded bg-warn-soft px-1 text-warn">
            <ShieldAlert aria-hidden size={12} />
            {findings === 1 ? '1 finding' : `${findings} findings`}
          </span>
        )}
      </span>
      <span className="relative me-36 h-8">
        {!isOutside && (
          <>
            <span
              className={`absolute top-2.5 h-3 min-w-[3px] rounded-[3px] ${lookOf(bar)}`}
              style={{ left: percent(Math.min(from, 0.997)), width: percent(to - from) }}
            />
            <span
              className="num absolute top-1.5 whitespace-nowrap text-ink-2"
              style={{ left: `calc(${percent(to)} + 6px)` }}
            >
              {length}
              {bar.kind === 'step' && step && tokensOf(step)}
            </span>
          </>
        )}
      </span>
    </>
  )
  const look = 'grid w-full grid-cols-[minmax(9rem,15rem)_1fr] items-center border-line/60 border-b text-start'
  return (
    <li data-bar={bar.key}>
      {bar.step > 0 ? (
        <button
          type="button"
          aria-pressed={isSelected}
          onClick={() => props.onSelect(isSelected ? undefined : bar.step)}
          className={`${look} hover:bg-sunken aria-pressed:bg-accent-soft`}
        >
          {content}
        </button>
      ) : (
        <div className={look}>{content}</div>
      )}
    </li>
  )
}

const tokensOf = ({ usage }: RunStep) =>
  usage.input_tokens + usage.output_tokens > 0 && (
    <span className="text-ink-3">
      {' '}
      · {count(usage.input_tokens)}→{count(usage.output_tokens)} tok
    </span>
  )
