/** Gateways say here that a run waits for a slot. */
export const queueChannel = 'runs:queued'

/** Workers that execute a run listen here for the word to stop. */
export const stopChannel = 'runs:stop'

/**
 * How the slots of a cell are shared out. The last fifth is kept for organisations that have little under way, so that one
 * that fills the cell, with however long runs, does not keep the others from starting; it still gets four fifths.
 */
export const sharesOf = (cellSlots: number): { all: number; common: number; light: number } => ({
  all: cellSlots,
  common: cellSlots - Math.floor(cellSlots / 5),
  /** An organisation with fewer under way may use the rest too. */
  light: Math.max(2, Math.ceil(cellSlots / 10)),
})

/**
 * What a run without slots waits for, and in which order. From `firstGateRank` up it waits at the gate of its agent, which
 * has a limit of its own; let in, it joins the queue of its organisation with the rank that it has there.
 */
export const ranks = { resumed: 0, new: 1, resumedAtGate: 2, newAtGate: 3 } as const
export const firstGateRank = ranks.resumedAtGate
