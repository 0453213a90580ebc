import { fileURLToPath } from 'node:url'
import type { TestDatabase } from '@ars/testkit/database'
import { type ProgramEnd, runProgram } from '@ars/testkit/slow/program'
import { stackFacts, testEngine, testRedisUrl } from '@ars/testkit/stack'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** The program, run as an operator runs it, with these settings only. */
export const arsServer = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<ProgramEnd> =>
  runProgram(main, args, env)

/** The settings of a program on the parts of the test stack and on this database. */
export const stackSettings = (database: TestDatabase) => {
  const { tls } = stackFacts()
  const engine = testEngine()
  return {
    ARS_DATABASE_URL: database.appUrl,
    ARS_DATABASE_AUTH_URL: database.authUrl,
    ARS_DATABASE_FEED_URL: database.feedUrl,
    ARS_DATABASE_SYSTEM_URL: database.systemUrl,
    ARS_DATABASE_ACQUIRE_TIMEOUT_MS: '30000',
    ARS_REDIS_URL: testRedisUrl(),
    ARS_ENGINE_INGRESS_URL: engine.ingressUrl,
    ARS_ENGINE_ADMIN_URL: engine.adminUrl,
    ARS_TLS_CERT_FILE: tls.certFile,
    ARS_TLS_KEY_FILE: tls.keyFile,
  }
}
