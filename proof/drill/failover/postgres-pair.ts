import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type PostgresPart, postgres } from '@ars/tools/dev/parts/postgres'
import {
  type PostgresCluster,
  type PostgresSettings,
  postgresEnv,
  settleCluster,
} from '@ars/tools/dev/parts/postgres-cluster'
import { repositoryDir } from '@ars/tools/dev/server'
import { waitFor } from '../../lab/condition.ts'
import { withClient } from '../../lab/stack/sql.ts'
import { openMovingAddress } from './moving-address.ts'

/** A primary and a standby behind one address, with the files of `deploy/ha/`. */
export type PostgresPair = {
  /** The socket of the present primary, as superuser. */
  superuserUrl(database: string): string
  /** The primary alone. `attachStandby` builds the standby. */
  start(): Promise<void>
  /** Builds the other node, new or lost, as the standby of the present primary. */
  attachStandby(): Promise<void>
  /** From now on the primary sends nothing to the standby, as over a slow network. Building a standby ends it. */
  stopShipping(): Promise<void>
  /**
   * Kills the primary and every process of it. What watches the pair then notices, promotes the standby and moves the
   * address. Answers the milliseconds from the kill until each of these was done.
   */
  losePrimary(): Promise<{ noticedMs: number; promotedMs: number }>
  /** Kills the standby. What watches the pair notices, and lets the primary go on alone. */
  loseStandby(): Promise<{ noticedMs: number; releasedMs: number }>
  stop(): Promise<void>
}

type Node = { part: PostgresPart; dir: string; port: number }

/** What a usual watcher of a pair does: three probes in a row, a second apart, each with a timeout of a second. */
const probeEveryMs = 1000
const probeTimeoutMs = 1000
const failedProbes = 3
const startTimeoutMs = 60_000

export const postgresPair = (options: {
  dir: string
  /** Of the roles of the service. */
  password: string
  addressPort: number
  ports: readonly [number, number]
  /** Whether a commit waits until the standby has it. */
  isSynchronous: boolean
}): PostgresPair => {
  const nodes = options.ports.map((port, at) =>
    makeNode(join(options.dir, `postgres-${at + 1}`), port, options.password),
  )
  let [primary, standby] = nodes as [Node, Node]
  let address: Awaited<ReturnType<typeof openMovingAddress>> | undefined

  const attachStandby = async (): Promise<void> => {
    const from = clusterOf(primary)
    const to = clusterOf(standby)
    rmSync(to.dataDir, { recursive: true, force: true })
    const target = clusterOf(standby)
    const args = ['-D', target.dataDir, '-h', from.socketDir, '-p', String(from.port), '-U', 'postgres']
    // `-R` makes it a standby of the server that it was copied from.
    await promisify(execFile)(join(from.bin, 'pg_basebackup'), [...args, '-R', '-X', 'stream', '-c', 'fast'], {
      cwd: '/',
      env: postgresEnv(),
      ...(target.user && { uid: target.user.uid, gid: target.user.gid }),
    })
    await standby.part.start()
    await waitFor('the standby to stream', () => isStreaming(primary), { timeoutMs: startTimeoutMs })
    if (!options.isSynchronous) return
    await runFile(primary, 'standby-attached.sql')
    await waitFor('the standby to be synchronous', () => isStreaming(primary, ['sync', 'quorum']), {
      timeoutMs: startTimeoutMs,
    })
  }

  return {
    superuserUrl: (database) => primary.part.superuserUrl(database),
    start: async () => {
      await primary.part.start()
      address = await openMovingAddress(options.addressPort, primary.port)
    },
    losePrimary: async () => {
      const killedAt = performance.now()
      await primary.part.kill()
      await untilGone(() => answers(primary))
      const noticedMs = performance.now() - killedAt
      await runFile(standby, 'promote.sql')
      const gone = primary
      primary = standby
      standby = gone
      address?.moveTo(primary.port)
      return { noticedMs, promotedMs: performance.now() - killedAt }
    },
    loseStandby: async () => {
      const killedAt = performance.now()
      await standby.part.kill()
      await untilGone(() => answers(standby))
      const noticedMs = performance.now() - killedAt
      await runFile(primary, 'standby-lost.sql')
      return { noticedMs, releasedMs: performance.now() - killedAt }
    },
    attachStandby,
    stopShipping: async () => {
      for (const pid of await sendersOf(primary)) process.kill(pid, 'SIGSTOP')
    },
    stop: async () => {
      await address?.close()
      await Promise.all(nodes.map(({ part }) => part.stop()))
    },
  }
}

const makeNode = (dir: string, port: number, password: string): Node => {
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'password'), `${password}\n`, { mode: 0o600 })
  return { part: postgres({ dir, port, settings: readSettings() }), dir, port }
}

const clusterOf = ({ dir, port }: Node): PostgresCluster => settleCluster(dir, port)

const readSettings = (): PostgresSettings => {
  const text = readFileSync(join(repositoryDir, 'deploy/ha/postgres.conf'), 'utf8')
  return Object.fromEntries(
    [...text.matchAll(/^([a-z_]+) = (.+)$/gm)].map(([, name = '', value = '']) => [name, value]),
  )
}

/** Runs a file of `deploy/ha/` as an operator would. */
const runFile = async (node: Node, name: string): Promise<void> => {
  const { bin, socketDir, port } = clusterOf(node)
  const args = ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-h', socketDir, '-p', String(port), '-U', 'postgres']
  await promisify(execFile)(join(bin, 'psql'), [...args, '-f', join(repositoryDir, 'deploy/ha', name)], {
    env: postgresEnv(),
  })
}

const isStreaming = (primary: Node, states: readonly string[] = ['async', 'sync', 'quorum', 'potential']) =>
  withClient(primary.part.superuserUrl(), async (client) => {
    const { rows } = await client.query<{ sync_state: string }>(
      `select sync_state from pg_stat_replication where state = 'streaming' and application_name = 'walreceiver'`,
    )
    return rows.some(({ sync_state: state }) => states.includes(state))
  })

/** The processes that send WAL. */
const sendersOf = (primary: Node): Promise<number[]> =>
  withClient(primary.part.superuserUrl(), async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_replication')
    return rows.map(({ pid }) => pid)
  })

const untilGone = async (probe: () => Promise<boolean>): Promise<void> => {
  for (let failed = 0; failed < failedProbes; ) {
    const begun = performance.now()
    failed = (await probe()) ? 0 : failed + 1
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, begun + probeEveryMs - performance.now())))
  }
}

const answers = ({ part }: Node): Promise<boolean> =>
  withClient(
    {
      connectionString: part.superuserUrl(),
      connectionTimeoutMillis: probeTimeoutMs,
      query_timeout: probeTimeoutMs,
    },
    async (client) => {
      await client.query('select 1')
      return true
    },
  ).catch(() => false)
