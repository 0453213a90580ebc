/** The control's name in the engine. */
export const bareService = { name: 'BenchEcho', handler: 'echo' } as const
