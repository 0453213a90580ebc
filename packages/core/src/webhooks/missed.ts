import type { IdRange } from '../id-range.ts'

/**
 * Where events are looked for that an endpoint has missed: events of the types that it asks for now, created since it is
 * there, no tests, and none of their deliveries to it has succeeded or is still to be made.
 */
export type Search = {
  webhookId: string
  /** The endpoint's own list; `*` stands for all. */
  types: readonly string[]
  /** Both included, to the millisecond; null: no bound. */
  since: Date
  until: Date | null
  ids: IdRange
}

/** How much is looked at in one statement: so many events of any kind, and so many of the types that were asked for. */
export type Portion = { order: 'oldest first' | 'newest first'; events: number; fitting: number }

export type MissedEvent = { id: string; type: string }

/** `next` is the last event that was looked at; null: there are no more. */
export type Findings = { missed: readonly MissedEvent[]; looked: number; next: string | null }

/** Answers from what one statement has read. `last` is the last event of any kind, `lastFitting` the last that fits. */
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
