import type { IdRange } from '@ars/platform/id-range'

/**
 * The search for events that an endpoint missed: events of the types that it subscribes to now, created since the
 * endpoint exists, no test events, and without a delivery to it that succeeded or is pending.
 */
export type Search = {
  webhookId: string
  /** The endpoint's own list; `*` means all types. */
  types: readonly string[]
  /** Both inclusive, to the millisecond. Null: no bound. */
  since: Date
  until: Date | null
  ids: IdRange
}

/** How much one statement reads: events of any type, and events of the requested types. */
export type Portion = { order: 'oldest first' | 'newest first'; events: number; fitting: number }

export type MissedEvent = { id: string; type: string }

/** `next` is the last event that was read. Null: there are no more. */
export type Findings = { missed: readonly MissedEvent[]; looked: number; next: string | null }

/** The result of one statement. `last` is the last event of any type, `lastFitting` the last that matches. */
export const findingsOf = (
  { looked, last, fitting, lastFitting, missed }: Looked,
  portion: Pick<Portion, 'events' | 'fitting'>,
): Findings => {
  if (fitting >= portion.fitting) return { missed, looked, next: lastFitting }
  return { missed, looked, next: looked >= portion.events ? last : null }
}

export type Looked = {
  looked: number
  last: string | null
  fitting: number
  lastFitting: string | null
  missed: readonly MissedEvent[]
}
