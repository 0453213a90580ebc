import { limits, type Plan } from '@ars/contract'
import { flag } from '@ars/platform/config'
import { logLevels } from '@ars/platform/log/log'
import { mailboxIn } from '@ars/platform/mail/mailbox'
import { smtpServerIn } from '@ars/platform/mail/smtp'
import { z } from 'zod'

const port = (fallback: number) => z.coerce.number().int().min(1).max(65_535).default(fallback)
const count = (fallback: number, most: number) => z.coerce.number().int().min(1).max(most).default(fallback)
const postgresUrl = z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address' })
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })

const itemsOf = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

const list = z.string().default('').transform(itemsOf)

const maxEngineNodes = 16
const engineNodes = z
  .string()
  .transform(itemsOf)
  .pipe(z.array(httpUrl).min(1, 'must name an http:// or https:// address').max(maxEngineNodes))

/** A text that `read` understands. It answers null otherwise. */
const readAs = <Value>(read: (text: string) => Value | null, fault: string) =>
  z.string().transform((text, context): Value => {
    const value = read(text)
    if (value !== null) return value
    context.addIssue(fault)
    return z.NEVER
  })

const maxPairs = 20

/** `name=value,name=value`, with percent-encoded values, as the variables of OpenTelemetry have it. Null: malformed. */
const pairsIn = (text: string, name: RegExp, value: RegExp): Record<string, string> | null => {
  const pairs: Record<string, string> = {}
  const items = itemsOf(text)
  if (items.length > maxPairs) return null
  for (const item of items) {
    const end = item.indexOf('=')
    const [key, content] = [item.slice(0, end).trim(), decoded(item.slice(end + 1).trim())]
    if (end === -1 || !name.test(key) || content === null || !value.test(content)) return null
    pairs[key] = content
  }
  return pairs
}

const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

const headersIn = (text: string) => pairsIn(text, /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, /^[\t\x20-\x7e]*$/)
const attributesIn = (text: string) => pairsIn(text, /^[\w./-]{1,255}$/, /^[^\p{Cc}]{0,255}$/u)

const pairs = (read: (text: string) => Record<string, string> | null) =>
  readAs(read, 'must look like name=value,name=value, with percent-encoded values').prefault('')

const collectorUrl = httpUrl.refine(
  (text) => !URL.canParse(text) || new URL(text).username + new URL(text).search === '',
  {
    error: 'must have neither a user name nor a query; use OTEL_EXPORTER_OTLP_HEADERS for a credential',
  },
)

const otlpProtocol = z.enum(['http/protobuf', 'http/json', 'grpc'])

/** Exactly as browsers send it. `*` is no wildcard. */
const isHttpsOrigin = (text: string): boolean =>
  text.startsWith('https://') && !text.includes('*') && URL.canParse(text) && new URL(text).origin === text

/** Every setting, parsed once at start. The reference page is generated from this object. */
export const Config = z.object({
  databaseUrl: postgresUrl
    .describe(
      'Postgres. Alone, it names a login that may create roles, and everything uses it: `migrate` makes the roles of the service, and processes connect as these. With the addresses of the other roles, it is Postgres as role `ars_app`, for the API and the steps.',
    )
    .meta({ secret: true }),
  databaseAuthUrl: postgresUrl
    .optional()
    .describe(
      'Postgres as role `ars_auth`, which looks up a key before its organisation is known. Set this and `ARS_DATABASE_FEED_URL`, or neither.',
    )
    .meta({ secret: true }),
  databaseFeedUrl: postgresUrl
    .optional()
    .describe(
      'Postgres as role `ars_feed`, which reads how far runs and events are, and nothing of their content. Set this and `ARS_DATABASE_AUTH_URL`, or neither.',
    )
    .meta({ secret: true }),
  databaseSystemUrl: postgresUrl
    .optional()
    .describe(
      'Postgres as role `ars_system`, for sweeps, relay and deliveries across organisations. With an address for each role, workers and admin commands need it; do not set it for gateways.',
    )
    .meta({ secret: true }),
  databaseOwnerUrl: postgresUrl
    .optional()
    .describe(
      'Postgres as role `ars_owner`. With an address for each role, `migrate`, `admin export-org`, `admin delete-org` and `admin move-org` need it; do not set it for the running service.',
    )
    .meta({ secret: true }),
  databaseBackupUrl: postgresUrl
    .optional()
    .describe(
      'Postgres as a superuser or a role with `replication`. Only `backup` needs it; do not set it for the running service.',
    )
    .meta({ secret: true }),
  databasePoolSize: count(10, 200).describe('Connections in the API’s pool and in the steps’ pool, each, per process.'),
  databaseAcquireTimeoutMs: count(500, 60_000).describe(
    'The time that a request waits for a database connection before the response is 503.',
  ),
  redisUrl: z
    .url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// address' })
    .optional()
    .describe(
      'Redis or Valkey, for notifications between processes and for rate limits. Its loss does not lose runs. If unset, one process with `--role all` runs without it: it counts rate limits alone, and no second process starts.',
    )
    .meta({ secret: true }),
  engineIngressUrl: engineNodes.describe(
    'Restate’s ingress, or that of each node of a cluster, separated by commas. The first node that responds is used; one that fails is skipped for 10 seconds. It has no authentication: keep it on a private network.',
  ),
  engineAdminUrl: engineNodes.describe(
    'Restate’s admin address, or that of each node, as above. Keep it on a private network.',
  ),
  engineMetricsUrl: httpUrl
    .optional()
    .describe(
      'Restate’s node address (`bind-port`), which serves its metrics. With it, `doctor` compares the engine’s limit of concurrent invocations with `ARS_CELL_SLOTS`.',
    ),
  engineIdentityKey: z
    .string()
    .regex(
      /^publickeyv1_[1-9A-HJ-NP-Za-km-z]+( *, *publickeyv1_[1-9A-HJ-NP-Za-km-z]+)*$/,
      'must look like publickeyv1_…',
    )
    .transform((text) => text.split(',').map((key) => key.trim()))
    .optional()
    .describe(
      'Restate’s public request-identity key, or several separated by commas while the key is rotated. Workers then refuse requests that none of them has signed. Required unless `ARS_WORKER_HOST` is a loopback address.',
    ),
  enginePartitions: count(4, 1024).describe(
    'The number of partitions that the engine was first started with; each gets an engine probe.',
  ),
  httpHost: z.string().default('0.0.0.0').describe('The address that the gateway listens on.'),
  httpPort: port(8443).describe('The HTTPS port of the gateway.'),
  publicUrl: httpUrl
    .default('https://localhost:8443')
    .describe('The address at which clients reach the gateway, without `/v2`.'),
  cookieOrigins: list
    .refine((origins) => origins.length <= 20 && origins.every(isHttpsOrigin), {
      error: 'must be at most 20 origins such as https://app.example.com, separated by commas, without a path',
    })
    .describe(
      'Other origins whose pages may use browser sessions, separated by commas, such as `https://app.example.com`. They get CORS with credentials, and their writes are accepted. Name only origins of the site of `ARS_PUBLIC_URL`: browsers send the cookie to no other site. Default: none.',
    ),
  tlsCertFile: z.string().default('/etc/ars/tls/cert.pem').describe('The certificate chain, PEM.'),
  tlsKeyFile: z.string().default('/etc/ars/tls/key.pem').describe('The private key, PEM.'),
  plainHttpPort: z.coerce
    .number()
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .describe(
      'A port for plain HTTP. Requests there are refused with 403 `https_required`, except those of a trusted proxy with `X-Forwarded-Proto: https`. If unset, there is no such port.',
    ),
  plainHttpKey: z
    .enum(['flag', 'revoke'])
    .default('flag')
    .describe(
      'The treatment of a valid key that was sent over plain HTTP: `flag` records it in the audit log, `revoke` also revokes the key.',
    ),
  dashboardDir: z
    .string()
    .optional()
    .describe(
      'The folder with the built dashboard, which the gateway reads once at start and serves at `/dashboard`. If unset, the folder that `pnpm --filter @ars/dashboard build` writes. Without files there is no dashboard.',
    ),
  docsDir: z
    .string()
    .optional()
    .describe(
      'The folder with the built documentation site, which the gateway reads once at start and serves at `/docs`. If unset, the folder that `pnpm --filter @ars/docs-site build` writes. `off`, or a folder without files: only `/docs/api` and `/docs/errors` are served.',
    ),
  trustedProxies: list
    .describe(
      'Address ranges of the proxies in front of the gateway, like `10.0.0.0/24`. The headers `X-Forwarded-For` and `X-Forwarded-Proto` are ignored from any other address.',
    )
    .meta({ examples: ['10.0.0.0/24'] }),
  securityContacts: list
    .refine(
      (contacts) => contacts.every((contact) => /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:\+[\d-]+)$/.test(contact)),
      {
        error: 'must be a list of mailto:, https: or tel: addresses',
      },
    )
    .describe(
      'Where to report a vulnerability, in order of preference. If set, the gateway serves `/.well-known/security.txt` (RFC 9116).',
    )
    .meta({ examples: ['mailto:security@example.com'] }),
  securityPolicyUrl: z
    .url({ protocol: /^https$/, error: 'must be an https:// address' })
    .optional()
    .describe('Your page about reporting vulnerabilities, named in `/.well-known/security.txt`.'),
  unauthorizedPerMinute: count(300, 1_000_000).describe(
    'The number of failed authentications per minute that each gateway accepts from one address before it answers 429.',
  ),
  organisationRequestsPerMinute: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000_000)
    .optional()
    .describe(
      'The number of requests per minute that all keys and sessions of an organisation may make together, over all gateways; it is also the burst. If unset, only the limits per key apply.',
    ),
  connectionsMax: count(18_000, 1_000_000).describe(
    'The maximum number of connections per gateway; further connections are closed at once. Keep it below the process’s limit of open files.',
  ),
  connectionsPerAddress: count(1_200, 1_000_000).describe(
    'The maximum number of connections per address (IPv6: per /64 network); trusted proxies are exempt. Raise it if all clients share one address, as behind a TCP load balancer.',
  ),
  headersTimeoutMs: count(10_000, 60_000).describe(
    'The timeout for the TLS handshake, and then for the headers of a request.',
  ),
  requestTimeoutMs: count(30_000, 300_000).describe('The timeout for a complete request from a client.'),
  requestBytesMax: count(268_435_456, 1_099_511_627_776).describe(
    'The maximum of request bodies in flight, in bytes per gateway. One organisation gets at most a quarter of it. Bodies above 1 MiB, which only batches have, get half as much besides, and count twice.',
  ),
  responseBytesMax: count(134_217_728, 1_099_511_627_776).describe(
    'The maximum of responses that clients have not read yet, in bytes per gateway. One organisation gets at most a quarter of it. Responses to writes may use twice as much.',
  ),
  historyBytesMax: count(134_217_728, 1_099_511_627_776).describe(
    'The maximum of histories of runs that a worker keeps between their steps, in bytes. Histories beyond it are read from Postgres at each step.',
  ),
  transferGraceMs: count(10_000, 600_000).describe(
    'The time that the body of a request, or a response, may stand still at its beginning. Every byte at the minimum rate earns further time, up to twice this time.',
  ),
  transferBytesPerSecond: count(16_384, 1_073_741_824).describe(
    'The minimum rate at which clients send bodies and read responses. A slower body is 408 `request_timeout`; a slower reader is disconnected. Streams have a separate bound.',
  ),
  workerHost: z.string().default('127.0.0.1').describe('The address that the worker listens on for the engine.'),
  workerPort: port(9080).describe('The worker’s port. Workers of one release on one box share it.'),
  workerUrl: httpUrl
    .default('http://127.0.0.1:9080')
    .describe('The address at which the engine reaches the workers of this release.'),
  metricsHost: z.string().default('127.0.0.1').describe('The private address of metrics and probes.'),
  metricsPort: port(9464).describe('The private port of metrics and probes.'),
  egressAllowRanges: list
    .describe('Ranges of your private network that every customer may call, like `10.20.0.0/16,fd12:3456::/48`.')
    .meta({ examples: ['10.20.0.0/16'] }),
  egressAllowPorts: list.describe(
    'Ports besides 443 on which customers’ hosts may be called, like `8443,9443`. Use `any` on a test stack only.',
  ),
  egressCaFile: z
    .string()
    .optional()
    .describe('Additional certificate authorities to trust when customers’ hosts are called, PEM.'),
  egressAllowPlainHttp: flag.describe('With `ARS_TEST_STACK` only: customers’ hosts may be called without TLS.'),
  backups: z
    .enum(['service', 'elsewhere'])
    .default('elsewhere')
    .describe(
      'Who makes back-ups of Postgres. `service`: `ars-server backup`, and `doctor` and the alerts tell when there is none. `elsewhere`: another program, or the provider of Postgres.',
    ),
  kekFile: z
    .string()
    .optional()
    .describe(
      'The file with the key-encryption keys for customers’ secrets, one `id:base64` or `id:command:/path/of/a/program` per line, the active one first; mode 0600, or 0640 if it belongs to root and the process does not run as root. Without a key, the service stores no credentials.',
    ),
  keks: z
    .string()
    .optional()
    .describe('The same keys from the environment, separated by commas. Set this or `ARS_KEK_FILE`, not both.')
    .meta({ secret: true, hasOwnFile: true }),
  modelsFile: z
    .string()
    .optional()
    .describe(
      'The file that lists model providers, models and prices (`models.yaml`). Without it, and without a key or an address in the next two rows, only `simulated/…` models exist.',
    ),
  modelKeysFromEnvironment: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      'Whether `OPENAI_API_KEY`, `ANTHROPIC_API_KEY` and `GEMINI_API_KEY` in the environment enable the providers `openai`, `anthropic` and `google` with all their models, unless `models.yaml` has a provider of this name. Set the variables on gateways and workers.',
    ),
  localModelUrl: z
    .string()
    .regex(/^https?:\/\/[^\s?#@]+$/, 'must be an http:// or https:// address without user, query or fragment')
    .optional()
    .describe(
      'The address of a model server with an API like that of OpenAI, such as `http://127.0.0.1:11434/v1`. It makes its models available as `local/…`, at no price, or replaces `base_url` of the provider `local` in `models.yaml`.',
    ),
  plansFile: z
    .string()
    .optional()
    .describe(
      'The file with the limits of the plans (`plans.yaml`), for admin commands. `admin plans --apply` gives its numbers to the organisations. Without it, the plans have the numbers of [Limits](../guides/limits.md#plans).',
    ),
  sessionTokens: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      'Whether short-lived tokens (`POST /session-tokens`) and links to runs (`POST /runs/{id}/shares`) can be used. `off` refuses new ones with 403 and existing ones with 401.',
    ),
  simulatedModels: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      'Whether `simulated/…` models, and with them the `test-…` agents, may be used. `off` refuses them when an agent is saved and when a run is started.',
    ),
  catalogFolder: z
    .string()
    .optional()
    .describe(
      'A folder with additional catalog agents, one YAML file each. An agent with the key of a built-in one replaces it.',
    ),
  catalogModel: z
    .string()
    .optional()
    .describe(
      'The default model of hired agents, like `openai/gpt-5-mini`. Without it they play a script, so that you can try them without a model.',
    ),
  cellSlots: count(512, 10_000).describe(
    'The maximum number of runs in flight over all organisations: the capacity of all workers of this installation together. `concurrent-invocations-limit` of Restate must not be lower.',
  ),
  webhookPlaces: count(128, 10_000).describe(
    'The number of deliveries that one worker sends concurrently. One endpoint gets at most 10 over all workers, one organisation a quarter of each worker.',
  ),
  deliveryAttempts: count(limits.deliveryAttempts, 10).describe(
    'Attempts of one delivery of a webhook: at once, after 1 s, after 5 s, and every 30 s from then on. Set it for all workers.',
  ),
  webhooksPerOrganisation: count(limits.webhooksPerOrganisation, 10_000).describe(
    'The number of webhooks of one organisation. Every event is stored for each of them.',
  ),
  cancelGraceMs: count(10_000, 600_000).describe(
    'The time that a cancelled run may take to stop before it is ended without its worker.',
  ),
  storageGibFree: count(1, 1_000_000).describe('The GiB that an organisation on the plan `free` or `demo` may store.'),
  storageGibDeveloper: count(10, 1_000_000).describe('The GiB that an organisation on the plan `developer` may store.'),
  storageGibBusiness: count(100, 1_000_000).describe('The GiB that an organisation on the plan `business` may store.'),
  storageGibNone: count(500, 1_000_000).describe('The GiB that an organisation on no plan (`none`) may store.'),
  storageGibEnterprise: count(500, 1_000_000).describe(
    'The GiB that an organisation on the plan `enterprise` may store. Over its limit, an organisation gets 429 `storage_exceeded` for new runs.',
  ),
  retentionDays: z.coerce
    .number()
    .int()
    .min(10)
    .max(3650)
    .default(30)
    .describe('The number of days that runs and their events are kept. A run lasts at most two days less.'),
  deltaRetentionHours: count(24, 8760).describe(
    'The number of hours that streamed deltas are kept. Whole days (UTC) are deleted.',
  ),
  otelExporterOtlpEndpoint: collectorUrl
    .optional()
    .describe(
      'The address of a collector that takes traces by OTLP over HTTP, such as `http://127.0.0.1:4318`; `/v1/traces` is appended. Without this or the next variable nothing is traced, and `traceparent` headers are ignored. Set it for gateways and workers.',
    ),
  otelExporterOtlpTracesEndpoint: collectorUrl
    .optional()
    .describe('The whole address of the collector for traces, if it is not that of `OTEL_EXPORTER_OTLP_ENDPOINT`.'),
  otelExporterOtlpHeaders: pairs(headersIn)
    .describe(
      'Headers for the collector, such as `authorization=Bearer%20…`, separated by commas. Values are percent-decoded.',
    )
    .meta({ secret: true }),
  otelExporterOtlpTracesHeaders: pairs(headersIn)
    .describe('Headers for traces only, as above. They replace those of the same name.')
    .meta({ secret: true }),
  otelExporterOtlpProtocol: otlpProtocol
    .default('http/protobuf')
    .describe('The encoding of what is sent to the collector. With `grpc`, a process that traces does not start.'),
  otelExporterOtlpTracesProtocol: otlpProtocol
    .optional()
    .describe('The encoding of traces, if it is not that of `OTEL_EXPORTER_OTLP_PROTOCOL`.'),
  otelTracesExporter: z.enum(['otlp', 'none']).default('otlp').describe('`none`: nothing is traced.'),
  otelTracesSampler: z
    .enum([
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
      'always_on',
      'always_off',
      'traceidratio',
    ])
    .default('parentbased_always_on')
    .describe(
      'Which requests begin a trace: all, none, or the share in `OTEL_TRACES_SAMPLER_ARG`. With `parentbased_…`, a request with a `traceparent` header follows the decision in it.',
    ),
  otelTracesSamplerArg: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('The share of requests for `parentbased_traceidratio` and `traceidratio`, from 0 to 1.'),
  otelServiceName: z
    .string()
    .max(255)
    .optional()
    .describe('`service.name` of the spans. If unset, that in `OTEL_RESOURCE_ATTRIBUTES`, or `agent-run-service`.'),
  otelResourceAttributes: pairs(attributesIn).describe(
    'Attributes of every span of the process, such as `deployment.environment.name=production`, separated by commas. Values are percent-decoded.',
  ),
  otelSdkDisabled: flag.describe('Turns tracing off, whatever the other variables say.'),
  mailFrom: readAs(mailboxIn, 'must be an address, or a name with an address: Agent Runs <runs@example.com>')
    .optional()
    .describe(
      'The sender of mails, such as `Agent Runs <runs@example.com>`. Set it for gateways and workers: it turns mail on. If unset, the service sends no mail, and links are passed on by hand.',
    )
    .meta({ examples: ['Agent Runs <runs@example.com>'] }),
  smtpUrl: readAs(smtpServerIn, 'must look like smtp://user:password@host:587 or smtps://user:password@host:465')
    .optional()
    .describe(
      'The mail server, for workers: `smtp://user:password@host:587` (STARTTLS) or `smtps://user:password@host:465`. User and password are percent-encoded. Workers with `ARS_MAIL_FROM` need it.',
    )
    .meta({ secret: true }),
  smtpTls: z
    .enum(['required', 'off'])
    .default('required')
    .describe(
      'Whether `smtp://` demands STARTTLS. `off` sends mails and the password in clear text: only for a server on the same machine.',
    ),
  smtpCaFile: z
    .string()
    .optional()
    .describe('Additional certificate authorities to trust when the mail server is called, PEM.'),
  logLevel: z.enum(logLevels).default('info').describe('The minimum level of log lines.'),
  drainDelayMs: z.coerce
    .number()
    .int()
    .min(0)
    .max(60_000)
    .default(1_000)
    .describe('The time that a stopping gateway still accepts connections after it reports unready.'),
  relayAfterMs: count(2000, 60_000).describe(
    'The age at which the relay sends a start order that its gateway did not send.',
  ),
  reconcileAfterMs: count(15_000, 600_000).describe(
    'The time without progress after which the reconciler asks the engine about a run.',
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

const bytesPerGib = 1_073_741_824

/** The bytes of runs that an organisation may store, by plan. */
export const storageLimitsOf = (config: Config): Readonly<Record<Plan, number>> => ({
  demo: config.storageGibFree * bytesPerGib,
  free: config.storageGibFree * bytesPerGib,
  developer: config.storageGibDeveloper * bytesPerGib,
  business: config.storageGibBusiness * bytesPerGib,
  enterprise: config.storageGibEnterprise * bytesPerGib,
  none: config.storageGibNone * bytesPerGib,
})
