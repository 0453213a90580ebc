import type { RunFrame, RunGuardrailFrame } from '@agent-run-service/sdk'
import { type Bar, ordered } from './run-picture.ts'

/** What the frames of a run add up to. Pure: the same frames give the same picture, live or later. */
export type Feed = {
  status: string
  /** In the order of the frames; `barsOfFeed` puts them into the order of the picture. */
  bars: readonly Bar[]
  /** The text by step. */
  said: ReadonlyMap<number, string>
  /** Steps whose text was taken back. If they speak again, it was a retry; if not, they ended in tool calls. */
  withdrawn: ReadonlySet<number>
  /** What policies have found, in the order of the frames, at most `maxFindings`. */
  findings: readonly RunGuardrailFrame[]
  lastMs: number
  waits: number
  /** A snapshot stood for frames that are no longer kept: the text is not complete. */
  hasGap: boolean
}

export const emptyFeed: Feed = {
  status: '',
  bars: [],
  said: new Map(),
  withdrawn: new Set(),
  findings: [],
  lastMs: 0,
  waits: 0,
  hasGap: false,
}

/** More findings of one run are not shown. */
const maxFindings = 1_000

export const textOfFeed = ({ said }: Feed): string =>
  [...said]
    .toSorted(([one], [other]) => one - other)
    .map(([, text]) => text)
    .join('')

export const barsOfFeed = ({ bars }: Feed): readonly Bar[] => ordered(bars)

/** Frames of an unknown type change nothing. */
export const fold = (feed: Feed, frame: RunFrame): Feed => {
  const atMs = Date.parse(frame.created_at)
  const next = { ...feed, lastMs: Math.max(feed.lastMs, atMs) }
  switch (frame.type) {
    case 'run.created':
      return { ...next, status: 'queued', bars: opened(feed.bars, { key: 'queue', kind: 'queue', step: 0, atMs }) }
    case 'run.started':
      return { ...next, status: 'running', bars: closed(feed.bars, ({ kind }) => kind === 'queue', atMs) }
    case 'run.step.started':
      return { ...next, status: startedStatus(feed.status), bars: stepStarted(feed.bars, frame, atMs) }
    case 'run.step.completed':
      return { ...next, bars: stepCompleted(feed.bars, frame, atMs) }
    case 'run.tool_call.started':
      return { ...next, bars: opened(feed.bars, { ...toolOf(frame), atMs }) }
    case 'run.tool_call.completed':
      return { ...next, bars: toolCompleted(feed.bars, frame, atMs) }
    case 'run.requires_action': {
      const key = `wait-${feed.waits + 1}`
      const left = feed.bars.filter(({ kind, endMs }) => kind !== 'step' || endMs !== null)
      const bars = opened(left, { key, kind: 'wait', step: 0, atMs })
      return { ...next, status: 'requires_action', waits: feed.waits + 1, bars }
    }
    case 'run.resumed':
      return { ...next, status: 'running', bars: closed(feed.bars, ({ kind }) => kind === 'wait', atMs) }
    case 'run.output.delta':
      return { ...next, ...spoken(feed, frame.step, frame.delta) }
    case 'run.output.reset': {
      const said = new Map([...feed.said].filter(([step]) => step !== frame.step))
      return { ...next, said, withdrawn: new Set(feed.withdrawn).add(frame.step) }
    }
    case 'run.guardrail':
      return { ...next, findings: [...feed.findings, frame].slice(0, maxFindings) }
    case 'run.cancelling':
      return { ...next, status: 'cancelling' }
    case 'run.snapshot':
      return { ...next, status: frame.run.status, hasGap: true }
    case 'run.completed':
    case 'run.failed':
    case 'run.cancelled':
      return { ...next, status: frame.type.slice('run.'.length), bars: finished(feed.bars, frame.type, atMs) }
    default:
      return feed
  }
}

const startedStatus = (status: string): string => (status === 'cancelling' ? status : 'running')

type NewBar = Pick<Bar, 'key' | 'kind' | 'step'> & { atMs: number; name?: string; stepType?: string; retries?: number }

/** A bar that begins again, such as a step after a crash, replaces the one before. */
const opened = (bars: readonly Bar[], { atMs, name = '', stepType = '', retries = 0, ...bar }: NewBar): Bar[] => [
  ...bars.filter(({ key }) => key !== bar.key),
  { ...bar, name, stepType, retries, startMs: atMs, endMs: null, isFailed: false },
]

const closed = (bars: readonly Bar[], isMeant: (bar: Bar) => boolean, endMs: number): Bar[] =>
  bars.map((bar) => (bar.endMs === null && isMeant(bar) ? { ...bar, endMs } : bar))

const stepKey = (step: number): string => `step-${step}`

const stepStarted = (
  bars: readonly Bar[],
  { step, step_type, model }: Extract<RunFrame, { type: 'run.step.started' }>,
  atMs: number,
): Bar[] => {
  const before = bars.find(({ key }) => key === stepKey(step))
  const retries = before ? before.retries + (before.endMs === null ? 1 : 0) : 0
  const named = { name: model ?? '', stepType: step_type ?? '' }
  return opened(bars, { key: stepKey(step), kind: 'step', step, atMs, retries, ...named })
}

/** A fallback may have answered for the model that the step began with. */
const stepCompleted = (
  bars: readonly Bar[],
  { step, status, model }: Extract<RunFrame, { type: 'run.step.completed' }>,
  atMs: number,
): Bar[] =>
  closed(bars, (bar) => bar.key === stepKey(step), atMs).map((bar) =>
    bar.key === stepKey(step)
      ? { ...bar, name: model || bar.name, isFailed: bar.isFailed || status === 'failed' }
      : bar,
  )

type ToolFrame = Extract<RunFrame, { type: 'run.tool_call.started' | 'run.tool_call.completed' }>

const toolOf = ({ step, call, name }: ToolFrame) => ({ key: `tool-${step}-${call}`, kind: 'tool' as const, step, name })

const toolCompleted = (
  bars: readonly Bar[],
  frame: Extract<RunFrame, { type: 'run.tool_call.completed' }>,
  atMs: number,
): Bar[] => {
  const { key } = toolOf(frame)
  return bars.map((bar) => (bar.key === key ? { ...bar, endMs: atMs, isFailed: frame.status === 'failed' } : bar))
}

const retried = (bars: readonly Bar[], step: number): Bar[] =>
  bars.map((bar) => (bar.key === stepKey(step) ? { ...bar, retries: bar.retries + 1 } : bar))

/** A step that a cancel stopped did not fail. */
const failedAtEnd = (bar: Bar, type: string, last: number): boolean =>
  type !== 'run.cancelled' && (bar.isFailed || (type === 'run.failed' && bar.step === last))

/** The end of the run ends everything; the last step of a failed run failed. */
const finished = (bars: readonly Bar[], type: string, atMs: number): Bar[] => {
  const last = Math.max(0, ...bars.filter(({ kind }) => kind === 'step').map(({ step }) => step))
  return closed(bars, () => true, atMs).map((bar) =>
    bar.kind === 'step' ? { ...bar, isFailed: failedAtEnd(bar, type, last) } : bar,
  )
}

const spoken = (feed: Feed, step: number, delta: string): Pick<Feed, 'said' | 'bars' | 'withdrawn'> => {
  const isRetry = feed.withdrawn.has(step)
  return {
    said: new Map(feed.said).set(step, (feed.said.get(step) ?? '') + delta),
    bars: isRetry ? retried(feed.bars, step) : feed.bars,
    withdrawn: isRetry ? new Set([...feed.withdrawn].filter((each) => each !== step)) : feed.withdrawn,
  }
}
