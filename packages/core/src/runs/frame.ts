import type { RunId, Run as WireRun } from '@ars/contract'
import { Fault } from '../fault.ts'

/** A frame of a run's stream, ready for the wire. One string serves all who read the run. */
export type Frame = { seq: number; text: string }

/** News of a run, told after its commit: how far its feed has come, and what is small enough to travel along. */
export type News = {
  seq: number
  /** The frames up to `seq`, without a gap between them. */
  frames?: readonly Frame[]
  ended?: boolean
  /** It waits for a person. */
  parked?: boolean
  /** The run at its end. */
  run?: WireRun
}

/** An event of a run as the database keeps it. */
export type StoredFrame = { seq: number; type: string; data: Record<string, unknown> | null; created_at: Date }

/**
 * A frame as the wire wants it. The data is one line of JSON, in which a line break can only stand escaped: whatever
 * an agent says, it cannot begin a line of its own and so cannot forge a frame.
 */
export const encodeFrame = (runId: RunId, { seq, type, data, created_at }: StoredFrame): Frame => {
  const own = { type, run_id: runId, created_at: created_at.toISOString() }
  // They stand first, and the rest cannot replace them.
  const line = JSON.stringify({ ...own, ...data, ...own }).replace(otherLineBreaks, escapeCharacter)
  return { seq, text: `id: ${seq}\nevent: ${type}\ndata: ${line}\n\n` }
}

// They break no line of an event stream, but some clients cut their input wherever Unicode sees a line end.
const otherLineBreaks = /[\u0085\u2028\u2029]/g
const escapeCharacter = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** The last frame of a run: how it ended, with the whole run. */
export const encodeEnd = (seq: number, run: WireRun): Frame =>
  encodeFrame(run.id, {
    seq,
    type: `run.${run.status}`,
    data: { run },
    created_at: new Date(run.finished_at ?? run.created_at),
  })

/** Stands in for frames that are no longer kept, up to and with number `seq`: the state of the run. */
export const encodeSnapshot = (seq: number, run: WireRun, at: Date): Frame =>
  encodeFrame(run.id, { seq, type: 'run.snapshot', data: { run }, created_at: at })

const endings: ReadonlySet<string> = new Set(['run.completed', 'run.failed', 'run.cancelled'])

export const isEnding = (type: string): boolean => endings.has(type)

/** A stretch of numbers without a row, named by the last of them. */
export type Hole = { hole: true; seq: number }

/** What follows number `after`, up to `upTo`, in order: the rows, and a hole wherever numbers have no row. */
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

/** Where a stream goes on. The header wins: a browser that reconnects repeats the address that it began with. */
export const resumeAfter = (lastEventId: string | undefined, after: number | undefined): number => {
  if (lastEventId === undefined || lastEventId === '') return after ?? 0
  if (!/^[0-9]{1,9}$/.test(lastEventId)) {
    throw new Fault('invalid_request', 'Last-Event-ID must be the id of a frame, a whole number', {
      param: 'Last-Event-ID',
    })
  }
  return Number(lastEventId)
}
