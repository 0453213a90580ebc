/** Gateways publish here that a run waits for a slot. */
export const queueChannel = 'runs:queued'

/** Workers that execute a run subscribe here to requests to stop. */
export const stopChannel = 'runs:stop'

/**
 * How the slots of a cell are shared. The last fifth is reserved for organisations with few runs in progress, so that an
 * organisation that fills the cell with long runs does not keep the others from starting. It still gets four fifths.
 */
export const sharesOf = (cellSlots: number): { cellSlots: number; sharedCellSlots: number; lightOrgRuns: number } => ({
  cellSlots,
  sharedCellSlots: cellSlots - Math.floor(cellSlots / 5),
  /** An organisation with at most this many runs in progress may use the reserved slots too. */
  lightOrgRuns: Math.max(2, Math.ceil(cellSlots / 10)),
})

/**
 * The order of runs that wait for slots. From `firstGateRank` up a run waits at the gate of its agent, which limits its
 * concurrent runs. A run that passes the gate joins the queue of its organisation with the rank it has there.
 */
export const ranks = { resumed: 0, new: 1, resumedAtGate: 2, newAtGate: 3 } as const
export const firstGateRank = ranks.resumedAtGate
