import { flag } from '@ars/platform/config'
import { logLevels } from '@ars/platform/log/log'
import { z } from 'zod'

const port = (fallback: number) => z.coerce.number().int().min(1).max(65_535).default(fallback)
const count = (fallback: number, most: number) => z.coerce.number().int().min(1).max(most).default(fallback)
const postgresUrl = z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address' })
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })

/** Every setting, parsed once at start. The reference page is made from this object. */
export const Config = z.object({
  databaseUrl: postgresUrl
    .describe('Postgres as role `ars_app`: what the API and the steps do.')
    .meta({ secret: true }),
  databaseAuthUrl: postgresUrl
    .describe('Postgres as role `ars_auth`: finds a key before its organisation is known.')
    .meta({ secret: true }),
  databaseSystemUrl: postgresUrl
    .describe('Postgres as role `ars_system`: sweepers, relay and feed, across organisations.')
    .meta({ secret: true }),
  databaseOwnerUrl: postgresUrl
    .optional()
    .describe('Postgres as role `ars_owner`. Only `migrate` needs it; leave it out of the running service.')
    .meta({ secret: true }),
  databasePoolSize: count(10, 200).describe('Connections of the API’s pool, and of the steps’ pool, in one process.'),
  redisUrl: z
    .url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// address' })
    .describe('Redis or Valkey: wake-ups between processes. Nothing is lost when it is.')
    .meta({ secret: true }),
  engineIngressUrl: httpUrl.describe('Restate’s ingress. It has no authentication: keep it on a private network.'),
  engineAdminUrl: httpUrl.describe('Restate’s admin address. Keep it on a private network.'),
  engineIdentityKey: z
    .string()
    .regex(/^publickeyv1_[1-9A-HJ-NP-Za-km-z]+$/, 'must look like publickeyv1_…')
    .optional()
    .describe('Restate’s public request-identity key. Workers then refuse whatever it has not signed.'),
  enginePartitions: count(4, 1024).describe(
    'How many partitions the engine was first started with; each gets a canary.',
  ),
  httpHost: z.string().default('0.0.0.0').describe('The address that the gateway listens on.'),
  httpPort: port(8443).describe('The HTTPS port of the gateway.'),
  publicUrl: httpUrl.default('https://localhost:8443').describe('How clients reach the gateway, without `/v2`.'),
  tlsCertFile: z.string().default('/etc/ars/tls/cert.pem').describe('The certificate chain, PEM.'),
  tlsKeyFile: z.string().default('/etc/ars/tls/key.pem').describe('The private key, PEM.'),
  workerHost: z.string().default('127.0.0.1').describe('The address that the worker listens on for the engine.'),
  workerPort: port(9080).describe('The worker’s port. Workers of one release on one box share it.'),
  workerUrl: httpUrl.default('http://127.0.0.1:9080').describe('How the engine reaches the workers of this release.'),
  metricsHost: z.string().default('127.0.0.1').describe('The private address of metrics and probes.'),
  metricsPort: port(9464).describe('The private port of metrics and probes.'),
  logLevel: z.enum(logLevels).default('info').describe('The least serious line that is written.'),
  drainDelayMs: z.coerce
    .number()
    .int()
    .min(0)
    .max(60_000)
    .default(1_000)
    .describe('How long a stopping gateway still accepts connections after its readiness is false.'),
  relayAfterMs: count(2000, 60_000).describe('The age at which the relay sends a start that its gateway did not.'),
  reconcileAfterMs: count(15_000, 600_000).describe(
    'How long a run may make no progress before the engine is asked about it.',
  ),
  testStack: flag.describe(
    'Marks a test stack: allows a moved database clock and the harmful test inputs. Never set it elsewhere.',
  ),
  testLedgerFile: z
    .string()
    .optional()
    .describe('With `ARS_TEST_STACK` only: each step of `test-steps` appends a line here.'),
})

export type Config = z.output<typeof Config>
