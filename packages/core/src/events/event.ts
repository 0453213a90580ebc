import type { Event, EventType, Run as WireRun } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'

/** An event as stored. All ids are UUIDs. */
export type EventRow = {
  id: string
  type: EventType
  subject_id: string
  created_at: Date
  /** Null: the subject holds all data. */
  data: Readonly<Record<string, unknown>> | null
  /** Not null: a test event for this endpoint only. Its content is in `data`. */
  webhook_id: string | null
}

/** The run that must be read to render the event. Null: the event holds all its data. */
export const runOf = ({ type, subject_id, webhook_id }: EventRow): string | null =>
  type.startsWith('run.') && webhook_id === null ? subject_id : null

/** The pipeline run that must be read to render the event. Null: there is none. */
export const pipelineRunOf = ({ type, subject_id, data }: EventRow): string | null =>
  type === 'pipeline.completed' && data === null ? subject_id : null

/** A run, or a pipeline run that has ended, in its wire form. */
export type EventSubject = WireRun | Readonly<Record<string, unknown>>

/**
 * The envelope. Its fields have the same order everywhere. Null: the run that it describes is no longer kept. An
 * ended run does not change. A run that waited for a person has continued since, so the event stores the values that
 * differed then.
 */
const toEnvelope = (row: EventRow, subject: EventSubject | undefined): Event | null => {
  const { id, type, created_at, data } = row
  const head = { id: fromUuid('evt', id), type, created_at: created_at.toISOString() }
  if (pipelineRunOf(row) !== null) return subject === undefined ? null : { ...head, data: { ...subject } }
  if (runOf(row) === null) return { ...head, data: data ?? {} }
  return subject === undefined ? null : { ...head, data: asItWas(subject as WireRun, data ?? {}) }
}

const asItWas = (run: WireRun, then: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
  ...run,
  ...then,
  usage: { ...run.usage, ...(then.usage as object | undefined) },
  timing: { ...run.timing, ...(then.timing as object | undefined) },
})

/** A rendered event with the bytes that a webhook is sent. */
export type RenderedEvent = { row: EventRow; event: Event; text: string }

export const renderEvent = (row: EventRow, subject: EventSubject | undefined): RenderedEvent | null => {
  const event = toEnvelope(row, subject)
  return event && { row, event, text: JSON.stringify(event) }
}

/** An event as a frame of the stream. The data is always one line. */
export const encodeEventFrame = ({ event, text }: RenderedEvent): string =>
  `id: ${event.id}\nevent: ${event.type}\ndata: ${text.replace(otherLineBreaks, escapeCharacter)}\n\n`

// These characters end no line of an event stream, but some clients split their input at every Unicode line end.
const otherLineBreaks = /[\u0085\u2028\u2029]/g
const escapeCharacter = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
