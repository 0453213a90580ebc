import type { Segment } from '../run/segment.ts'

export type AdmissionSettings = {
  /** How many runs the cell executes at once. */
  cellSlots: number
  /** When the relay sends an order that no worker has claimed. */
  relayAfterMs: number
}

/** `busy`: another transaction admits now, so nothing was looked at. `left`: runs still wait. */
export type AdmissionResult = { admitted: Segment[]; busy: boolean; left: boolean }

export type AdmissionRow = Segment & { what: 'admitted' | 'busy' | 'left' }

/** How many runs one look admits. */
export const runsPerAdmission = 100

export const toAdmissionResult = (rows: readonly AdmissionRow[]): AdmissionResult => ({
  admitted: rows.flatMap(({ what, ...segment }) => (what === 'admitted' ? [segment] : [])),
  busy: rows.some(({ what }) => what === 'busy'),
  left: rows.some(({ what }) => what === 'left'),
})
