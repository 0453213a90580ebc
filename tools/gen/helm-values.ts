import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Config } from '@ars/core/config'
import { fileVariableName, variableName } from '@ars/platform/config'
import { parse } from 'yaml'
import { pageHead, table } from './markdown.ts'
import { packageVersion } from './package-version.ts'

/** A value of the chart, as in JSON Schema. */
type Value = {
  readonly description: string
  readonly type: 'string' | 'integer' | 'boolean' | 'object' | 'array'
  readonly properties?: Readonly<Record<string, Value>>
  readonly [keyword: string]: unknown
}

const chart = 'deploy/helm/agent-run-service'
const root = join(import.meta.dirname, '../..')

const chartFile = `# Written by \`pnpm gen\`, with the version of the packages.
apiVersion: v2
name: agent-run-service
description: Agent Run Service, gateways and workers. Postgres, Redis and Restate are outside of it.
type: application
version: ${packageVersion}
appVersion: "${packageVersion}"
kubeVersion: ">=1.29.0-0"
keywords: [agents, llm, rest]
home: https://github.com/agent-run-service/agent-run-service
sources: [https://github.com/agent-run-service/agent-run-service]
`

/** The chart's own file, the schema and the page of the values, and the copy of the alert rules, because a chart reads its own folder only. */
export const helmFiles = (): Readonly<Record<string, string>> => ({
  [`${chart}/Chart.yaml`]: chartFile,
  [`${chart}/values.schema.json`]: `${JSON.stringify(schema, null, 2)}\n`,
  [`${chart}/files/rules.yml`]: readFileSync(join(root, 'deploy/prometheus/rules.yml'), 'utf8'),
  'docs/reference/helm.md': valuesPage(),
})

const text = (description: string, more: object = {}): Value => ({ description, type: 'string', ...more })
const number = (description: string, minimum: number, maximum: number): Value => ({
  description,
  type: 'integer',
  minimum,
  maximum,
})
const flag = (description: string): Value => ({ description, type: 'boolean' })
const list = (description: string, items: object = { type: 'object' }): Value => ({ description, type: 'array', items })
const ports = (description: string): Value => list(description, { type: 'integer', minimum: 1, maximum: 65_535 })
const texts = (description: string): Value => ({
  description,
  type: 'object',
  additionalProperties: { type: 'string' },
})
const object = (description: string, properties: Record<string, Value>): Value => ({
  description,
  type: 'object',
  additionalProperties: false,
  properties,
})
const open = (description: string): Value => ({ description, type: 'object' })

const secretName = (description: string): Value => text(description, { pattern: '^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$' })
const secretKey = (description: string): Value => text(description, { pattern: '^[-._a-zA-Z0-9]+$' })
const address = { pattern: '^$|^https?://' }
const peers = 'Peers as in a NetworkPolicy. Empty: every address.'

/** Names that the templates set, and those of tests. */
const setByTheChart = new Set([
  'ARS_PUBLIC_URL',
  'ARS_HTTP_HOST',
  'ARS_HTTP_PORT',
  'ARS_METRICS_HOST',
  'ARS_METRICS_PORT',
  'ARS_WORKER_HOST',
  'ARS_WORKER_PORT',
  'ARS_WORKER_URL',
  'ARS_ENGINE_INGRESS_URL',
  'ARS_ENGINE_ADMIN_URL',
  'ARS_ENGINE_METRICS_URL',
  'ARS_ENGINE_IDENTITY_KEY',
  'ARS_ENGINE_PARTITIONS',
  'ARS_TLS_CERT_FILE',
  'ARS_TLS_KEY_FILE',
  'ARS_DRAIN_DELAY_MS',
  'ARS_BACKUPS',
  'ARS_KEK_FILE',
  'ARS_KEKS',
  'ARS_MODELS_FILE',
  'ARS_TEST_STACK',
  'ARS_TEST_LEDGER_FILE',
])

const otherSettings = Object.keys(Config.shape)
  .filter((field) => fileVariableName(Config, field) === undefined && !setByTheChart.has(variableName(field)))
  .map(variableName)

/** Read by the OpenTelemetry SDK from the environment. The certificates of `ca` are a file of the pods. */
const settingsOfTheSdk = [
  'OTEL_EXPORTER_OTLP_TIMEOUT',
  'OTEL_EXPORTER_OTLP_COMPRESSION',
  'OTEL_EXPORTER_OTLP_CERTIFICATE',
]

const quantities = open(
  'Requests and limits of a container. CPU has no limit: a throttled event loop delays every run.',
)

const pods = (role: 'gateway' | 'worker', scaling: Record<string, Value>): Record<string, Value> => ({
  replicas: number('Pods, unless autoscaling is on.', 0, 1000),
  terminationGracePeriodSeconds: number(
    'Must exceed the time of a graceful stop: 25 s, and for gateways `drainDelayMs`.',
    40,
    3600,
  ),
  resources: quantities,
  podAnnotations: texts('Annotations of the pods.'),
  podLabels: texts('Further labels of the pods.'),
  nodeSelector: texts('Labels of the nodes.'),
  tolerations: list('Tolerations of the pods.'),
  priorityClassName: text('Priority class of the pods. Empty: that of the cluster.'),
  disruptionBudget: object('PodDisruptionBudget.', {
    enabled: flag('Whether there is one.'),
    maxUnavailable: number('Pods that a drained node may stop at the same time.', 1, 1000),
  }),
  autoscaling: object('HorizontalPodAutoscaler by metrics of the service. Needs `deploy/prometheus/adapter.yml`.', {
    enabled: flag('Whether there is one.'),
    minReplicas: number('The fewest pods.', 1, 1000),
    maxReplicas: number('The most pods. Count their database connections first.', 1, 1000),
    eventLoopDelaySeconds: text(
      `Add a ${role} when \`ars_event_loop_delay_p99_seconds\` exceeds it on average; \`100m\` is 0.1.`,
      {
        pattern: '^[0-9]+(\\.[0-9]+)?m?$',
      },
    ),
    ...scaling,
    scaleDownStabilizationSeconds: number('Remove a pod only after the metrics were low for this time.', 0, 3600),
  }),
})

const properties: Readonly<Record<string, Value>> = {
  publicUrl: text('**Required.** The address at which clients reach the gateways, without `/v2`.', {
    pattern: '^$|^https://',
  }),
  image: object('The image of `ars-server`.', {
    repository: text('Registry and name.', { minLength: 1 }),
    tag: text('Empty: the version of the chart.'),
    digest: text('`sha256:…`; it wins over the tag.', { pattern: '^$|^sha256:[0-9a-f]{64}$' }),
    pullPolicy: text('When the node pulls it.', { enum: ['Always', 'IfNotPresent', 'Never'] }),
  }),
  imagePullSecrets: list('Secrets for the registry, as in a pod.'),
  secrets: object('Addresses with passwords, mounted as files.', {
    existingSecret: secretName('**Required.** The Secret that holds them.'),
    keys: object('Its keys.', {
      databaseUrl: secretKey('Postgres as `ars_app`.'),
      databaseAuthUrl: secretKey('Postgres as `ars_auth`.'),
      databaseFeedUrl: secretKey('Postgres as `ars_feed`.'),
      databaseSystemUrl: secretKey('Postgres as `ars_system`. Only workers get it.'),
      redisUrl: secretKey('Redis.'),
      otlpHeaders: text('Headers for the collector of traces. Empty: none.', { pattern: '^[-._a-zA-Z0-9]*$' }),
    }),
  }),
  tls: object('The certificate of the gateways.', {
    existingSecret: secretName(
      '**Required.** A Secret of the type `kubernetes.io/tls`. Gateways read it again when it changes.',
    ),
  }),
  kek: object('Key-encryption keys.', {
    existingSecret: secretName('The Secret that holds them. Empty: the service stores no credentials of customers.'),
    key: secretKey('Its key: lines of `id:base64`, the active one first.'),
  }),
  models: object('Model providers.', {
    existingSecret: secretName(
      'A Secret with the key `models.yaml` and a key for each `api_key_file`. Empty: only `simulated/…` models exist.',
    ),
  }),
  ca: object('Your own certificate authority, for Postgres (`sslrootcert=/etc/ars/ca/ca.crt`) and Redis.', {
    existingSecret: secretName('The Secret that holds its certificates. Empty: public authorities only.'),
    key: secretKey('Its key.'),
  }),
  engine: object('Restate.', {
    ingressUrl: text('**Required.** `ARS_ENGINE_INGRESS_URL`.', address),
    adminUrl: text('**Required.** `ARS_ENGINE_ADMIN_URL`.', address),
    metricsUrl: text('`ARS_ENGINE_METRICS_URL`. Empty: `doctor` does not compare limits.', address),
    identityKey: text('**Required.** `ARS_ENGINE_IDENTITY_KEY`.', { pattern: '^$|^publickeyv1_' }),
    partitions: number('`ARS_ENGINE_PARTITIONS`.', 1, 1024),
  }),
  settings: {
    description: 'Other [settings](configuration.md) of gateways and workers by name, as text, none of them secret.',
    type: 'object',
    propertyNames: { enum: [...otherSettings, ...settingsOfTheSdk] },
    additionalProperties: { type: 'string' },
  },
  listenAddress: text('The address that the processes listen on. `::` on clusters with IPv6 only.', {
    enum: ['0.0.0.0', '::'],
  }),
  clusterDomain: text('The domain of the cluster, for the address that the engine calls.', { minLength: 1 }),
  migrate: object('The Job that migrates the database before each installation and upgrade.', {
    enabled: flag('Whether there is one. If not, run `ars-server migrate` yourself.'),
    existingSecret: secretName('The Secret with the address of the owner. Empty: `secrets.existingSecret`.'),
    key: secretKey('Its key: Postgres as `ars_owner`. Only this Job gets it.'),
    activeDeadlineSeconds: number('The Job fails after this time.', 60, 86_400),
    resources: quantities,
  }),
  backup: object(
    'The pod that [copies Postgres](../operate/backup.md#kubernetes): its WAL as it is written, and all of it each day.',
    {
      enabled: flag('Whether there is one. If not, your provider or your operator of Postgres must make back-ups.'),
      existingSecret: secretName(
        'The Secret with the address of the role of back-ups. Empty: `secrets.existingSecret`.',
      ),
      key: secretKey('Its key: Postgres as `ars_backup`. Only this pod gets it.'),
      existingClaim: secretName('**Required** if it is enabled. The PersistentVolumeClaim that keeps the back-ups.'),
      baseEveryHours: number('A base back-up is taken when the newest one is older.', 1, 720),
      keep: number('Base back-ups that are kept, with the WAL since the oldest of them.', 1, 1000),
      resources: quantities,
    },
  ),
  gateway: object('Gateways.', {
    ...pods('gateway', {
      streamsPerGateway: number(
        'Add a gateway when `ars_streams_open` exceeds it on average. 0: not by this metric.',
        0,
        1_000_000,
      ),
    }),
    drainDelayMs: number(
      '`ARS_DRAIN_DELAY_MS`: longer than the cluster needs to take a stopping pod out of its load balancers.',
      0,
      60_000,
    ),
    service: object('The Service of the gateways.', {
      type: text('Its type.', { enum: ['ClusterIP', 'NodePort', 'LoadBalancer'] }),
      port: number('Its port.', 1, 65_535),
      annotations: texts('Its annotations.'),
    }),
  }),
  worker: object(
    'Workers.',
    pods('worker', {
      runsPerWorker: number(
        'Add a worker when `ars_cell_slots_used` exceeds this number for each. 0: not by this metric.',
        0,
        10_000,
      ),
    }),
  ),
  ingress: object('An Ingress for the gateways, which speak HTTPS themselves.', {
    enabled: flag('Whether there is one.'),
    className: text('Its class. Empty: that of the cluster.'),
    host: text('The host of `publicUrl`.'),
    annotations: texts('Its annotations: with most controllers one that makes them speak HTTPS to the gateways.'),
    tlsSecret: secretName('The certificate of the controller. Empty: its default one.'),
  }),
  networkPolicy: object('NetworkPolicies. All that is not listed is denied.', {
    enabled: flag('Whether there are any.'),
    gatewayFrom: list(`Who reaches the gateways. ${peers}`),
    engineFrom: list(`Who reaches the workers: the engine only. ${peers}`),
    metricsFrom: list(`Who reaches metrics and probes. ${peers}`),
    dnsTo: list(`The name servers. ${peers}`),
    ...Object.fromEntries(
      (['postgres', 'redis', 'engine'] as const).map((part) => [
        part,
        object(`The way to ${{ postgres: 'Postgres', redis: 'Redis', engine: 'Restate' }[part]}.`, {
          to: list(peers),
          ports: ports('Its ports.'),
        }),
      ]),
    ),
    outside: object('The way to customers’ hosts and model providers.', {
      ports: ports('Ports, as `ARS_EGRESS_ALLOW_PORTS`.'),
      blocks: list('Address blocks, without private addresses.'),
    }),
    extraEgress: list('Whole egress rules, such as one to your collector of traces.'),
  }),
  serviceMonitor: object('ServiceMonitor of the Prometheus operator.', {
    enabled: flag('Whether there is one.'),
    interval: text('How often it scrapes.', { pattern: '^[0-9]+(ms|s|m)$' }),
    labels: texts('Labels by which your Prometheus finds it.'),
  }),
  prometheusRule: object('The [alerts](../runbooks/README.md) as a PrometheusRule.', {
    enabled: flag('Whether there is one.'),
    labels: texts('Labels by which your Prometheus finds it.'),
  }),
}

const schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Values of the chart agent-run-service',
  type: 'object',
  additionalProperties: false,
  properties: {
    ...properties,
    global: { description: 'Of a chart that includes this one. Not read.', type: 'object' },
  },
}

const valuesPage = (): string => {
  const defaults: unknown = parse(readFileSync(join(root, chart, 'values.yaml'), 'utf8'))
  return `${pageHead('Values of the Helm chart', '`tools/gen/helm-values.ts` and `deploy/helm/agent-run-service/values.yaml`')}
[Kubernetes](../operate/kubernetes.md) shows how to use them. Helm refuses a value that is not in this list, and a setting that does not exist.

${table(['Value', 'Default', 'Meaning'], rowsOf(properties, defaults, ''))}
`
}

const rowsOf = (values: Readonly<Record<string, Value>>, defaults: unknown, path: string): string[][] =>
  Object.entries(values).flatMap(([name, value]) => {
    const found = (defaults as Record<string, unknown> | null)?.[name]
    if (value.properties) return rowsOf(value.properties, found, `${path}${name}.`)
    return [[`\`${path}${name}\``, found === '' ? 'empty' : `\`${JSON.stringify(found)}\``, value.description]]
  })
