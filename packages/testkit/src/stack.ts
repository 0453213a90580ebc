import { inject } from 'vitest'

/** The addresses of the components that the test run started, set by the global setup. */
export type StackFacts = {
  /** Over the socket, as superuser, in the database `postgres`. */
  postgresSuperuserUrl: string
  /** Over TCP, for the roles of the service; all four have the same password. */
  postgresPort: number
  postgresPassword: string
  redisPort: number
  engines: readonly EngineFacts[]
  tls: { certFile: string; keyFile: string }
}

export type EngineFacts = {
  ingressUrl: string
  adminUrl: string
  metricsUrl: string
  identityKey: string
}

declare module 'vitest' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface merges with the declaration of the library.
  interface ProvidedContext {
    stack: StackFacts
  }
}

export const stackFacts = (): StackFacts => inject('stack')

/**
 * The engine of this test file. Parallel files use different engines, because an engine sends the calls of a service to
 * the worker that registered last.
 */
export const testEngine = (): EngineFacts => {
  const { engines } = stackFacts()
  const engine = engines[workerNumber() % engines.length]
  if (!engine) throw new Error('the test stack has no engine')
  return engine
}

/** A separate Redis database per worker, so that parallel files can flush it. */
export const testRedisUrl = (): string => `redis://127.0.0.1:${stackFacts().redisPort}/${workerNumber()}`

const workerNumber = (): number => Number(process.env.VITEST_POOL_ID ?? 1) - 1
