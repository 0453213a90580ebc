/** Gateways say here that a run waits for a slot. */
export const queueChannel = 'runs:queued'

/** Workers that execute a run listen here for the word to stop. */
export const stopChannel = 'runs:stop'
