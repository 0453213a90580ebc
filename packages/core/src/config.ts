import { flag } from '@ars/platform/config'
import { logLevels } from '@ars/platform/log/log'
import { z } from 'zod'

const port = (fallback: number) => z.coerce.number().int().min(1).max(65_535).default(fallback)
const count = (fallback: number, most: number) => z.coerce.number().int().min(1).max(most).default(fallback)
const postgresUrl = z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address' })
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })

const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  )

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
  databaseAcquireTimeoutMs: count(500, 60_000).describe(
    'How long a request waits for a connection before it is answered 503.',
  ),
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
  plainHttpPort: z.coerce
    .number()
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .describe(
      'A port for plain HTTP. Everything there is refused with 403 `https_required`, but what a trusted proxy sends with `X-Forwarded-Proto: https`. Without it there is no such port.',
    ),
  plainHttpKey: z
    .enum(['flag', 'revoke'])
    .default('flag')
    .describe('What becomes of a live key that was seen on plain HTTP: its owner is told, or it is revoked too.'),
  trustedProxies: list
    .describe(
      'Ranges of the proxies in front of the gateway, like `10.0.0.0/24`. Only theirs are the headers `X-Forwarded-For` and `X-Forwarded-Proto` that count.',
    )
    .meta({ examples: ['10.0.0.0/24'] }),
  unauthorizedPerMinute: count(300, 1_000_000).describe(
    'How many requests of one address may fail to authenticate in a minute, at each gateway, before it is answered 429.',
  ),
  connectionsMax: count(18_000, 1_000_000).describe(
    'How many connections one gateway holds; one more is closed at once. Keep it below the process’s limit of open files.',
  ),
  connectionsPerAddress: count(1_200, 1_000_000).describe(
    'How many of them one address may hold (of IPv6, one network of 64 bits); trusted proxies are not counted. Raise it where everybody comes through one address, as behind a balancer of connections.',
  ),
  headersTimeoutMs: count(10_000, 60_000).describe(
    'How long a client may take for the handshake, and then for the headers of a request.',
  ),
  requestTimeoutMs: count(30_000, 300_000).describe('How long a client may take to send a whole request.'),
  workerHost: z.string().default('127.0.0.1').describe('The address that the worker listens on for the engine.'),
  workerPort: port(9080).describe('The worker’s port. Workers of one release on one box share it.'),
  workerUrl: httpUrl.default('http://127.0.0.1:9080').describe('How the engine reaches the workers of this release.'),
  metricsHost: z.string().default('127.0.0.1').describe('The private address of metrics and probes.'),
  metricsPort: port(9464).describe('The private port of metrics and probes.'),
  egressAllowRanges: list
    .describe('Ranges of your own network that every customer may call, like `10.20.0.0/16,fd12:3456::/48`.')
    .meta({ examples: ['10.20.0.0/16'] }),
  egressAllowPorts: list.describe(
    'Ports beside 443 that customers’ hosts may be called on, like `8443,9443`. `any` on a test stack only.',
  ),
  egressCaFile: z
    .string()
    .optional()
    .describe('Authorities to trust beside the known ones when customers’ hosts are called, PEM.'),
  egressAllowPlainHttp: flag.describe('With `ARS_TEST_STACK` only: customers’ hosts may be called without TLS.'),
  kekFile: z
    .string()
    .optional()
    .describe(
      'The key-encryption keys that customers’ secrets are sealed with, one `id:base64` or `id:command:/path/of/a/program` a line, the active one first; mode 0600. Without any, no credentials are kept.',
    ),
  keks: z
    .string()
    .optional()
    .describe('The same keys from the environment, separated by commas. Set this or `ARS_KEK_FILE`, not both.')
    .meta({ secret: true }),
  modelsFile: z
    .string()
    .optional()
    .describe(
      'The file that lists model providers, models and prices; `models.yaml`. Without it, only `simulated/…` models exist.',
    ),
  catalogFolder: z
    .string()
    .optional()
    .describe(
      'A folder of your own with agents to hire, one YAML file each, beside those that come with the service. Of two with one key yours counts.',
    ),
  catalogModel: z
    .string()
    .optional()
    .describe(
      'The model that hired agents get unless the hire names another, like `openai/gpt-5-mini`. Without it they play a script, so that they can be tried without a model.',
    ),
  cellSlots: count(512, 10_000).describe(
    'How many runs of all organisations may be under way at once: what the workers of this installation can carry together.',
  ),
  webhookPlaces: count(128, 10_000).describe(
    'How many deliveries one worker sends at once. One endpoint gets at most 10 of all workers’, one organisation a quarter of each.',
  ),
  cancelGraceMs: count(10_000, 600_000).describe(
    'How long a cancelled run may take to stop before it is ended without its worker.',
  ),
  retentionDays: count(30, 3650).describe('Days for which ended runs and their events are kept.'),
  deltaRetentionHours: count(24, 8760).describe(
    'Hours after the end of a run for which its streamed output is kept piece by piece.',
  ),
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
