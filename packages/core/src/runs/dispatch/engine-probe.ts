/** The target of a probe: an object, so that its key selects the partition. */
export const engineProbeTarget = { service: 'Canary', handler: 'ping' } as const
