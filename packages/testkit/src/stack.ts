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

/** What a process needs for itself. `own`: for apps that a test file starts. `shared`: for the app of all its files. */
export type Share = 'own' | 'shared'

/** Vitest runs this many test files at a time (`vitest.config.ts`). */
const workers = 2

/**
 * An engine of this test process. Apps at the same time need different engines, because an engine sends the calls of a
 * service to the worker that registered last.
 */
export const testEngine = (share: Share = 'own'): EngineFacts => {
  const engine = stackFacts().engines[numberOf(share)]
  if (!engine) throw new Error('the test stack has no engine')
  return engine
}

/** A separate Redis database, so that parallel files can flush theirs. */
export const testRedisUrl = (share: Share = 'own'): string =>
  `redis://127.0.0.1:${stackFacts().redisPort}/${numberOf(share)}`

const numberOf = (share: Share): number =>
  ((Number(process.env.VITEST_POOL_ID ?? 1) - 1) % workers) + (share === 'shared' ? workers : 0)
