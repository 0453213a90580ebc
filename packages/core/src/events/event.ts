import type { Event, EventType, Run as WireRun } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'

/** An event as the database keeps it. All ids are UUIDs. */
export type EventRow = {
  id: string
  type: EventType
  subject_id: string
  created_at: Date
  /** Null: it is all in the subject. */
  data: Readonly<Record<string, unknown>> | null
  /** Not null: a test, for this endpoint and for nobody else. What it tells is in `data`. */
  webhook_id: string | null
}

/** The run that must be read to tell of the event; null where the event has all that it tells. */
export const runOf = ({ type, subject_id, webhook_id }: EventRow): string | null =>
  type.startsWith('run.') && webhook_id === null ? subject_id : null

/**
 * The envelope, whose fields have this order wherever it is shown. Null: the run that it tells of is no longer kept.
 *
 * A run that has ended does not change. One that waited for a person has gone on since, so the event holds what was
 * different then.
 */
const toEnvelope = (row: EventRow, run: WireRun | undefined): Event | null => {
  const { id, type, created_at, data } = row
  const head = { id: fromUuid('evt', id), type, created_at: created_at.toISOString() }
  if (runOf(row) === null) return { ...head, data: data ?? {} }
  return run === undefined ? null : { ...head, data: asItWas(run, data ?? {}) }
}

const asItWas = (run: WireRun, then: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
  ...run,
  ...then,
  timing: { ...run.timing, ...(then.timing as object | undefined) },
})

/** An event that can be told, with the bytes that a webhook is sent. */
export type Told = { row: EventRow; event: Event; text: string }

export const tell = (row: EventRow, run: WireRun | undefined): Told | null => {
  const event = toEnvelope(row, run)
  return event && { row, event, text: JSON.stringify(event) }
}

/** An event as a frame of the stream. The data is one line, whatever an agent has said. */
export const encodeFrame = ({ event, text }: Told): string =>
  `id: ${event.id}\nevent: ${event.type}\ndata: ${text.replace(otherLineBreaks, escapeCharacter)}\n\n`

// They break no line of an event stream, but some clients cut their input wherever Unicode sees a line end.
const otherLineBreaks = /[\u0085\u2028\u2029]/g
const escapeCharacter = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
