import type { RunId, Run as WireRun } from '@ars/contract'
import { Fault } from '../../fault.ts'

/** A frame of a run's stream, ready for the wire. All readers of the run share the string. */
export type Frame = { seq: number; text: string }

/** A message about a run, published after its commit: the last number of its feed, and small payloads. */
export type News = {
  seq: number
  /** The frames up to `seq`, without a gap. */
  frames?: readonly Frame[]
  ended?: boolean
  /** It waits for a person. */
  parked?: boolean
  /** The run at its end. */
  run?: WireRun
  /** Never published: the history of the database went back, so earlier numbers may belong to other frames. */
  wentBack?: boolean
}

/** An event of a run as stored. */
export type StoredFrame = { seq: number; type: string; data: Record<string, unknown> | null; created_at: Date }

/**
 * A frame in wire form. The data is one line of JSON with escaped line breaks, so that the output of an agent cannot
 * forge a frame.
 */
export const encodeRunFrame = (runId: RunId, { seq, type, data, created_at }: StoredFrame): Frame => {
  const own = { type, run_id: runId, created_at: created_at.toISOString() }
  // These fields come first and cannot be overwritten by the rest.
  const line = JSON.stringify({ ...own, ...data, ...own }).replace(otherLineBreaks, escapeCharacter)
  return { seq, text: `id: ${seq}\nevent: ${type}\ndata: ${line}\n\n` }
}

/** Whether a frame is text of a step, or withdraws it. A published frame carries its type in its text only. */
export const isOutput = ({ text }: Frame): boolean => text.startsWith('event: run.output.', text.indexOf('\n') + 1)

// These characters end no line of an event stream, but some clients split their input at every Unicode line end.
const otherLineBreaks = /[\u0085\u2028\u2029]/g
const escapeCharacter = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** The last frame of a run: its outcome, with the whole run. */
export const encodeEnd = (seq: number, run: WireRun): Frame =>
  encodeRunFrame(run.id, {
    seq,
    type: `run.${run.status}`,
    data: { run },
    created_at: new Date(run.finished_at ?? run.created_at),
  })

/** The stand-in for frames that are no longer kept, up to number `seq`: the state of the run. */
export const encodeSnapshot = (seq: number, run: WireRun, at: Date): Frame =>
  encodeRunFrame(run.id, { seq, type: 'run.snapshot', data: { run }, created_at: at })

const endings: ReadonlySet<string> = new Set(['run.completed', 'run.failed', 'run.cancelled'])

export const isEnding = (type: string): boolean => endings.has(type)

/** A range of numbers without rows, named by its last number. */
export type Hole = { hole: true; seq: number }

/** Everything after number `after`, up to `upTo`, in order: the rows, and a hole where numbers have no row. */
export const withHoles = <Row extends { seq: number }>(
  after: number,
  rows: readonly Row[],
  upTo: number,
): (Row | Hole)[] => {
  const found: (Row | Hole)[] = []
  let at = after
  for (const row of rows) {
    if (row.seq > at + 1) found.push({ hole: true, seq: row.seq - 1 })
    found.push(row)
    at = row.seq
  }
  if (upTo > at) found.push({ hole: true, seq: upTo })
  return found
}

/** Where a stream continues. The header wins: a browser that reconnects repeats its first URL. */
export const resumeAfter = (lastEventId: string | undefined, after: number | undefined): number => {
  if (lastEventId === undefined || lastEventId === '') return after ?? 0
  if (!/^[0-9]{1,9}$/.test(lastEventId)) {
    throw new Fault('invalid_request', 'Last-Event-ID must be the id of a frame, a whole number', {
      param: 'Last-Event-ID',
    })
  }
  return Number(lastEventId)
}
