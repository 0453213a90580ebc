import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'
import type { Part } from './part.ts'
import {
  createRoles,
  type PostgresCluster,
  type PostgresSettings,
  postgresEnv,
  prepareData,
  settleCluster,
  superuserUrl,
} from './postgres-cluster.ts'
import { clearOrphans, killBackends } from './postgres-orphans.ts'
import { type ManagedProcess, managedProcess } from './process.ts'
import { keepSecret } from './secrets.ts'

export type DatabaseRole = 'ars_owner' | 'ars_app' | 'ars_auth' | 'ars_feed' | 'ars_system'

export type PostgresOptions = {
  dir: string
  port: number
  /** Laid over the defaults below, for example `throwawaySettings`. `stock`: what `initdb` gives, as an operator has it. */
  settings?: PostgresSettings | 'stock'
}

export type PostgresPart = Part & {
  /** Of all four roles. */
  readonly password: string
  /** Over TCP with the password, as the service connects. */
  url(role: DatabaseRole, database?: string): string
  /** Over the socket, which only we can reach. */
  superuserUrl(database?: string): string
  /** Words about a place of the data that one would not expect. */
  note(): string | undefined
  onUnexpectedEnd: ManagedProcess['onUnexpectedEnd']
}

/** For data that is deleted after the test: nothing has to survive a loss of power. */
export const throwawaySettings: PostgresSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '128MB',
}

const defaultSettings: PostgresSettings = {
  listen_addresses: '127.0.0.1',
  shared_buffers: '256MB',
  max_connections: 200,
  max_locks_per_transaction: 256,
  fsync: 'on',
  synchronous_commit: 'on',
  // Nobody replicates from a development database, and less is written without it.
  wal_level: 'minimal',
  max_wal_senders: 0,
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] %u@%d ',
  log_lock_waits: 'on',
}

export const postgres = (options: PostgresOptions): PostgresPart => {
  const { dir, port } = options
  const password = keepSecret(join(dir, 'password'), () => randomBytes(24).toString('base64url'))
  const listeners: ((words: string) => void)[] = []
  // Found on first use, so that a missing program is reported by `start` and not while the stack is put together.
  let found: { cluster: PostgresCluster; server: ManagedProcess } | undefined
  const settle = () => {
    if (!found) {
      const cluster = settleCluster(dir, port)
      found = { cluster, server: postmaster(dir, cluster, settingsOf(options)) }
      found.server.onUnexpectedEnd((words) => {
        for (const tell of listeners) tell(words)
      })
    }
    return found
  }

  return {
    name: 'postgres',
    password,
    url: (role, database = 'ars') => `postgresql://${role}:${password}@127.0.0.1:${port}/${database}`,
    superuserUrl: (database = 'postgres') => superuserUrl(settle().cluster, database),
    note: () => found?.cluster.note,
    pid: () => found?.server.pid(),
    onUnexpectedEnd: (listener) => listeners.push(listener),
    check: async () => settle().server.check(),
    async start() {
      const { cluster, server } = settle()
      await server.start()
      await createRoles(cluster, password)
    },
    stop: async () => found?.server.stop(),
    async kill() {
      if (!found) return
      await found.server.kill()
      // The others would each end after its present statement; a crash of the machine is not so kind.
      await killBackends(found.cluster.dataDir)
    },
  }
}

const settingsOf = ({ settings }: PostgresOptions): PostgresSettings =>
  settings === 'stock' ? { listen_addresses: '127.0.0.1' } : { ...defaultSettings, ...settings }

const postmaster = (dir: string, cluster: PostgresCluster, settings: PostgresSettings): ManagedProcess =>
  managedProcess({
    name: 'postgres',
    dir,
    command: join(cluster.bin, 'postgres'),
    args: ['-D', cluster.dataDir],
    cwd: '/',
    env: postgresEnv(),
    user: cluster.user,
    ports: [{ port: cluster.port, what: 'postgres' }],
    async prepare() {
      await clearOrphans(cluster.dataDir)
      await prepareData(cluster, settings)
    },
    // The fast shutdown: it does not wait until every client has gone.
    stopSignal: 'SIGINT',
    deathSignal: 'SIGINT',
    isReady: () => answers(superuserUrl(cluster, 'postgres')),
  })

const answers = async (url: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000, query_timeout: 2000 })
  const ignore = (): void => undefined
  client.on('error', ignore) // A server that is still recovering may cut the line; the next probe tells.
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } finally {
    await client.end().catch(ignore)
  }
}
