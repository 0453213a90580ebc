/**
 * The target of a probe: an object, so that its key selects the partition. The handler is shared and stores nothing, so
 * a probe waits for no other, and is retried at the newest address of the workers.
 */
export const engineProbeTarget = { service: 'Canary', handler: 'echo' } as const

/** Stores a value under the key: the engine then says which partition has the key. */
export const markTarget = { service: engineProbeTarget.service, handler: 'ping' } as const
