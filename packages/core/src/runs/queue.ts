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
