import type { Waiting } from '@ars/contract'
import { coreBounds } from './bounds.ts'

/** A row of a work queue, and the other rows of its organisation. */
export type WorkStanding = {
  is_held: boolean
  is_due: boolean
  tries: number
  /** Rows of the organisation that workers hold now, and those that are due. At most `maxCounted`. */
  in_work: number
  due: number
}

/** A count stops here: a page shows a hundred rows. */
export const maxCounted = coreBounds.waitingCounted.count

const shown = (count: number): string => (count >= maxCounted ? `${maxCounted} or more` : `${count}`)

/** Null: a worker has it, or it waits for something else. `things`: what the rows are called. */
export const waitOf = (
  { is_held, is_due, tries, in_work, due }: WorkStanding,
  { perOrg, maxTries, things }: { perOrg: number; maxTries: number; things: string },
): Waiting | null => {
  if (is_held) return null
  const numbers = `workers work on ${shown(in_work)} of your ${things} now, and ${shown(due)} are due.`
  if (is_due)
    return in_work >= perOrg
      ? { reason: 'share', message: `The share of your organisation is in use: ${numbers}` }
      : { reason: 'turn', message: `It waits for its turn: ${numbers}` }
  if (tries > 0)
    return {
      reason: 'retry',
      message: `Its last ${tries === 1 ? 'attempt' : `${tries} attempts`} made no progress. It is tried again; after ${maxTries} it is ended.`,
    }
  return null
}
