/** Where a canary is sent: an object, so that its key decides the partition of the engine that it visits. */
export const canaryTarget = { service: 'Canary', handler: 'ping' } as const
