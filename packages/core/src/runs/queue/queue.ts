/** Gateways publish here that a run waits to be admitted. */
export const queueChannel = 'runs:queued'

/** Workers that execute a run subscribe here to requests to stop. */
export const stopChannel = 'runs:stop'

/**
 * How organisations share the runs that a cell executes. The last fifth is kept for organisations with few runs in
 * progress, so that an organisation that fills the cell with long runs does not keep the others from starting. It still
 * gets four fifths.
 */
export const sharesOf = (cellSlots: number): { cellRuns: number; sharedRuns: number; lightRuns: number } => ({
  cellRuns: cellSlots,
  sharedRuns: cellSlots - Math.floor(cellSlots / 5),
  /** An organisation with at most this many runs in progress may use the kept fifth too. */
  lightRuns: Math.max(2, Math.ceil(cellSlots / 10)),
})
