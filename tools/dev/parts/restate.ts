import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { replaceSettings, restateSettings } from '@ars/platform/durable/restate-settings'
import { type Part, PartError } from './part.ts'
import { type ManagedProcess, managedProcess } from './process.ts'
import { keepIdentityKey } from './secrets.ts'

export type RestateOptions = {
  dir: string
  ingressPort: number
  adminPort: number
  nodePort: number
  /** Fixed for ever at the first start on this data. */
  partitions?: number
  /**
   * How many invocations each partition executes at the same time. It must not be below `ARS_CELL_SLOTS`: partitions do
   * not fill evenly, and a run that has slots would wait in the engine behind runs of others.
   */
  concurrentInvocations?: number
  /** It is a node of a cluster, with the settings of `deploy/ha/restate.toml`. */
  node?: ClusterNode
}

export type ClusterNode = {
  /** Counted from 1. The first one makes the cluster. */
  number: number
  /** The node addresses of all. */
  addresses: readonly string[]
  /** The private key that all share. */
  identityFile: string
}

export type RestatePart = Part & {
  readonly ingressUrl: string
  readonly adminUrl: string
  /** Serves the engine's metrics. */
  readonly metricsUrl: string
  /** The public key with which a worker checks that a request comes from this engine. */
  readonly identityKey: string
  /** Deletes all that the engine knows, as a lost disk would. The key stays. */
  wipe(): Promise<void>
  freeze(): void
  thaw(): void
  onUnexpectedEnd: ManagedProcess['onUnexpectedEnd']
}

export const restate = (options: RestateOptions): RestatePart => {
  const { dir, ingressPort, adminPort, nodePort } = options
  const name = options.node ? `restate-${options.node.number}` : 'restate'
  const identityKey = keepIdentityKey(identityFileOf(options))
  const configFile = join(dir, 'restate.toml')
  const ingressUrl = `http://127.0.0.1:${ingressPort}`
  const adminUrl = `http://127.0.0.1:${adminPort}`
  const server = managedProcess({
    name,
    dir,
    command: findRestate() ?? 'restate-server',
    args: ['--config-file', configFile, '--no-logo'],
    ports: [
      { port: ingressPort, what: `${name} (ingress)` },
      { port: adminPort, what: `${name} (admin)` },
      { port: nodePort, what: `${name} (node to node)` },
    ],
    // It leaves directories behind in the place for temporary files; there they go with its data.
    env: { ...process.env, TMPDIR: join(dir, 'data') },
    requireInstalled,
    prepare: () => writeFileSync(configFile, settingsOf(options)),
    isReady: () => answers(ingressUrl, adminUrl),
    stopTimeoutMs: 15_000,
  })
  return {
    ...server,
    ingressUrl,
    adminUrl,
    metricsUrl: `http://127.0.0.1:${nodePort}`,
    identityKey,
    async wipe() {
      await server.kill()
      rmSync(join(dir, 'data'), { recursive: true, force: true })
    },
  }
}

const requireInstalled = (): void => {
  if (findRestate()) return
  const system = `${process.platform}-${process.arch}`
  throw new PartError(`Restate is not installed for ${system}: \`pnpm install\` brings it (@restatedev/restate-server)`)
}

/** The npm package is a launcher; we run the program behind it ourselves, so that its process is the one we signal. */
const findRestate = (): string | undefined => {
  const require = createRequire(import.meta.url)
  try {
    const launcher = createRequire(require.resolve('@restatedev/restate-server/package.json'))
    return launcher.resolve(`@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`)
  } catch {
    return undefined
  }
}

// Several engines share one computer, and nobody watches their logs.
const settingsOf = (options: RestateOptions): string => `rocksdb-total-memory-size = "256MiB"
log-format = "compact"
log-disable-ansi-codes = true
${options.node ? clusterSettings(options, options.node) : aloneSettings(options)}`

// The look for a newer release fails without the internet, which is no matter for a log.
const logFilter = 'warn,octocrab=off'

const identityFileOf = ({ dir, node }: RestateOptions): string => node?.identityFile ?? join(dir, 'identity.pem')

const aloneSettings = (options: RestateOptions): string =>
  restateSettings({
    dataDir: join(options.dir, 'data'),
    identityFile: identityFileOf(options),
    ports: { ingress: options.ingressPort, admin: options.adminPort, node: options.nodePort },
    logFilter,
    ...(options.partitions && { partitions: options.partitions }),
    ...(options.concurrentInvocations && { concurrentInvocations: options.concurrentInvocations }),
  })

const clusterSettings = (options: RestateOptions, { number, addresses }: ClusterNode): string =>
  replaceSettings(readFileSync(new URL('../../../deploy/ha/restate.toml', import.meta.url), 'utf8'), {
    'node-name': `ars-${number}`,
    'base-dir': join(options.dir, 'data'),
    'auto-provision': number === 1,
    'default-num-partitions': options.partitions,
    'bind-ip': '127.0.0.1',
    'bind-port': options.nodePort,
    'advertised-address': addresses[number - 1],
    'log-filter': logFilter,
    'metadata-client.addresses': addresses,
    'worker.invoker.request-identity-private-key-pem-file': identityFileOf(options),
    'admin.bind-port': options.adminPort,
    'ingress.bind-port': options.ingressPort,
  })

/** Both doors may be open before the partitions behind them are: a count over all invocations needs every partition. */
const answers = async (ingressUrl: string, adminUrl: string): Promise<boolean> => {
  const signal = AbortSignal.timeout(5000)
  const doors = await Promise.all([
    fetch(`${ingressUrl}/restate/health`, { signal }),
    fetch(`${adminUrl}/health`, { signal }),
  ])
  if (doors.some((response) => !response.ok)) return false
  const counted = await fetch(`${adminUrl}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query: 'select count(*) as n from sys_invocation' }),
    signal,
  })
  return counted.ok
}
