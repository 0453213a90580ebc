import { inject } from 'vitest'

/** Where the parts are that the test run started; put there by the global setup, the same for every test file. */
export interface StackFacts {
  /** Over the socket, as superuser, in the database `postgres`. */
  postgresSuperuserUrl: string
  /** Over TCP, for the roles of the service; all four have the same password. */
  postgresPort: number
  postgresPassword: string
  redisPort: number
  engines: readonly EngineFacts[]
  tls: { certFile: string; keyFile: string }
}

export interface EngineFacts {
  ingressUrl: string
  adminUrl: string
  identityKey: string
}

declare module 'vitest' {
  interface ProvidedContext {
    stack: StackFacts
  }
}

export function stackFacts(): StackFacts {
  return inject('stack')
}

/**
 * The engine of this test file. Files that run side by side get different ones, because an engine sends the calls of a
 * service to the worker that registered last, which would then be the other file's.
 */
export function testEngine(): EngineFacts {
  const { engines } = stackFacts()
  const engine = engines[workerNumber() % engines.length]
  if (!engine) throw new Error('the test stack has no engine')
  return engine
}

/** A Redis database of this worker's own, so that files side by side may flush without harm to each other. */
export function testRedisUrl(): string {
  return `redis://127.0.0.1:${stackFacts().redisPort}/${workerNumber()}`
}

function workerNumber(): number {
  return Number(process.env.VITEST_POOL_ID ?? 1) - 1
}
