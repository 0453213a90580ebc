import type { Run, RunStep } from '@agent-run-service/sdk'

/** One row of the waterfall. */
export type Bar = {
  key: string
  kind: 'queue' | 'step' | 'tool' | 'wait'
  /** The number of the step; 0 for queues and waits. */
  step: number
  /** The name of a tool or model; empty until it is known. */
  name: string
  /** `model`, `tools` or `remote`; empty until it is known, and for bars that are no steps. */
  stepType: string
  startMs: number
  /** Null: not over yet. */
  endMs: number | null
  isFailed: boolean
  retries: number
}

type Times = Pick<Run, 'status' | 'created_at' | 'started_at' | 'finished_at' | 'error' | 'timing'>

/** The picture of a run from what is stored. For an ended run it equals what its frames add up to. */
export const barsOfSteps = (run: Times, steps: readonly RunStep[]): readonly Bar[] => {
  const lastNumber = Math.max(0, ...steps.map(({ number }) => number))
  const stepBars = steps.flatMap((step) => [stepBar(step, isFailed(run, step, lastNumber)), ...toolBars(step)])
  const bars = ordered([queueBar(run), ...stepBars, ...waitBars(run, steps)])
  if (!run.finished_at) return bars
  const finishedMs = Date.parse(run.finished_at)
  return bars.map((bar) => (bar.endMs === null ? { ...bar, endMs: finishedMs } : bar))
}

/** Queue, steps and waits in time; tool calls below their step. */
export const ordered = (bars: readonly Bar[]): readonly Bar[] => {
  const stepStarts = new Map(bars.filter(({ kind }) => kind === 'step').map(({ step, startMs }) => [step, startMs]))
  const placeOf = (bar: Bar): number => (bar.kind === 'tool' ? (stepStarts.get(bar.step) ?? bar.startMs) : bar.startMs)
  return bars.toSorted(
    (one, other) =>
      placeOf(one) - placeOf(other) ||
      ranks[one.kind] - ranks[other.kind] ||
      one.step - other.step ||
      one.key.localeCompare(other.key, 'en', { numeric: true }),
  )
}

/** What comes first if two begin at the same time. A wait begins when its step ends. */
const ranks: Readonly<Record<Bar['kind'], number>> = { queue: 0, step: 1, tool: 2, wait: 3 }

const plain = { name: '', stepType: '', isFailed: false, retries: 0 } as const

const queueBar = ({ created_at, started_at, finished_at }: Times): Bar => {
  const end = started_at ?? finished_at
  return {
    ...plain,
    key: 'queue',
    kind: 'queue',
    step: 0,
    startMs: Date.parse(created_at),
    endMs: end ? Date.parse(end) : null,
  }
}

/** A step that a cancel stopped did not fail. */
const isFailed = ({ status }: Times, step: RunStep, lastNumber: number): boolean =>
  status !== 'cancelled' && (step.status === 'failed' || (status === 'failed' && step.number === lastNumber))

const stepBar = (step: RunStep, hasFailed: boolean): Bar => ({
  ...plain,
  key: `step-${step.number}`,
  kind: 'step',
  step: step.number,
  name: step.model ?? '',
  stepType: step.type,
  startMs: Date.parse(step.started_at),
  endMs: step.finished_at ? Date.parse(step.finished_at) : null,
  isFailed: hasFailed,
  // The last try of a failed step is its failure, not a retry.
  retries: Math.max(0, step.attempts.length - (step.status === 'failed' ? 1 : 0)),
})

/** Calls that were never sent have no time, and no bar. */
const toolBars = ({ number, tool_calls }: RunStep): Bar[] =>
  tool_calls.flatMap(({ name, status, started_at, finished_at }, call) =>
    started_at === null
      ? []
      : [
          {
            ...plain,
            key: `tool-${number}-${call}`,
            kind: 'tool' as const,
            step: number,
            name,
            startMs: Date.parse(started_at),
            endMs: finished_at ? Date.parse(finished_at) : null,
            isFailed: status === 'failed',
          },
        ],
  )

/** A gap between two steps that holds a decision is a wait. So is the end of a run that nobody decided. */
const waitBars = (run: Times, steps: readonly RunStep[]): Bar[] => {
  const decidedMs = steps.flatMap(({ decisions }) => decisions.map(({ at }) => Date.parse(at)))
  const finishedMs = run.finished_at ? Date.parse(run.finished_at) : null
  const stored = steps.filter(({ finished_at }) => finished_at !== null)
  const waits = stored.flatMap((step, n) => {
    const fromMs = Date.parse(step.finished_at ?? '')
    const next = stored[n + 1]
    const toMs = next ? Date.parse(next.started_at) : (finishedMs ?? Number.POSITIVE_INFINITY)
    const inside = decidedMs.filter((ms) => ms >= fromMs && ms <= toMs)
    return inside.length > 0 ? [{ startMs: fromMs, endMs: Math.max(...inside) }] : []
  })
  const open = openWait(run, stored.at(-1), waits)
  return [...waits, ...open].map(({ startMs, endMs }, n) => ({
    ...plain,
    key: `wait-${n + 1}`,
    kind: 'wait',
    step: 0,
    startMs,
    endMs,
  }))
}

type Wait = { startMs: number; endMs: number | null }

const openWait = (run: Times, last: RunStep | undefined, decided: readonly Wait[]): Wait[] => {
  if (!last?.finished_at) return []
  const startMs = Date.parse(last.finished_at)
  if (run.status === 'requires_action') return [{ startMs, endMs: null }]
  if (!run.finished_at || decided.some((wait) => wait.startMs === startMs)) return []
  // The step ended the run. The difference between the waiting times comes from rounding.
  if (run.status === 'completed' || last.status === 'failed') return []
  const endMs = Date.parse(run.finished_at)
  const decidedMs = decided.reduce((sum, wait) => sum + (wait.endMs ?? 0) - wait.startMs, 0)
  const isUndecided = run.error?.code === 'action_timeout' || run.timing.waiting_ms - decidedMs > (endMs - startMs) / 2
  return isUndecided && run.timing.waiting_ms > 0 ? [{ startMs, endMs }] : []
}

/** Stored bars, replaced by live ones with the same key. Names and retries of both are kept. */
export const merged = (stored: readonly Bar[], live: readonly Bar[]): readonly Bar[] => {
  const bars = new Map(stored.map((bar) => [bar.key, bar]))
  for (const bar of live) {
    const known = bars.get(bar.key)
    bars.set(bar.key, {
      ...bar,
      name: bar.name || (known?.name ?? ''),
      stepType: bar.stepType || (known?.stepType ?? ''),
      retries: Math.max(bar.retries, known?.retries ?? 0),
    })
  }
  return ordered([...bars.values()])
}
