import type { Waiting } from '@ars/contract'
import { coreBounds } from './bounds.ts'

/** A row of a work queue, and the other rows of its organisation that the caller sees. */
export type WorkStanding = {
  is_held: boolean
  is_due: boolean
  tries: number
  /** Workers hold as many rows of the organisation as it may have in work. */
  is_share_used: boolean
  /** The caller is narrowed to agents, so the counts are of the rows of these. */
  is_narrowed: boolean
  /** Rows that workers hold now, and those that are due. At most `maxCounted`. */
  in_work: number
  due: number
}

/** A count stops here: a page shows a hundred rows. */
export const maxCounted = coreBounds.waitingCounted.count

const shown = (count: number): string => (count >= maxCounted ? `${maxCounted} or more` : `${count}`)

/** Null: a worker has it, or it waits for something else. `things`: what the rows are called. */
export const waitOf = (
  { is_held, is_due, tries, is_share_used, is_narrowed, in_work, due }: WorkStanding,
  { maxTries, things }: { maxTries: number; things: string },
): Waiting | null => {
  if (is_held) return null
  const ofCaller = is_narrowed ? `of the ${things} of your agents` : `of your ${things}`
  const numbers = `workers work on ${shown(in_work)} ${ofCaller} now, and ${shown(due)} are due.`
  if (is_due)
    return is_share_used
      ? { reason: 'share', message: `The share of your organisation is in use: ${numbers}` }
      : { reason: 'turn', message: `It waits for its turn: ${numbers}` }
  if (tries > 0)
    return {
      reason: 'retry',
      message: `Its last ${tries === 1 ? 'attempt' : `${tries} attempts`} made no progress. It is tried again; after ${maxTries} it is ended.`,
    }
  return null
}
