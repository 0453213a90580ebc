import { execFileSync } from 'node:child_process'
import { closeSync, fsyncSync, openSync, readFileSync, realpathSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Stack } from '@ars/tools/dev/stack'
import { withClient } from '../stack/sql.ts'
import { median } from './statistics.ts'

/** What makes a commit survive a loss of power, on both sides. */
export type Durability = {
  postgres: Record<string, string>
  /** Of the engine's log, from its own view of its configuration. */
  engine: Record<string, string>
  fileSystem: string
  /** One small write with fsync on that file system, before the load begins. */
  fsyncMs: number
}

export const readDurability = async (stack: Stack): Promise<Durability> => {
  const names = ['fsync', 'synchronous_commit', 'full_page_writes', 'wal_level', 'wal_sync_method', 'commit_delay']
  return withClient(stack.postgres.url('ars_app'), async (client) => {
    const { rows } = await client.query<{ name: string; setting: string }>(
      'select name, setting from pg_settings where name = any ($1) order by array_position($1, name)',
      [names],
    )
    return {
      postgres: Object.fromEntries(rows.map(({ name, setting }) => [name, setting])),
      engine: readEngineSettings(stack),
      fileSystem: fileSystemOf(stack.dir),
      fsyncMs: measureFsync(stack.dir),
    }
  })
}

/** How much each side has written since its start; the difference of two readings belongs to what went on between. */
export type Writes = {
  postgresCommits: number
  postgresWalSyncs: number
  postgresWalBytes: number
  engineWalSyncs: number
  engineWalBytes: number
}

export const readWrites = async (stack: Stack): Promise<Writes> => {
  const postgres = await withClient(stack.postgres.superuserUrl('ars'), async (client) => {
    const { rows } = await client.query<Record<'commits' | 'syncs' | 'bytes', string>>(
      `select (select sum(xact_commit) from pg_stat_database) as commits, wal_sync as syncs, wal_bytes as bytes
         from pg_stat_wal`,
    )
    return rows[0]
  })
  const metrics = await (await fetch(`http://127.0.0.1:${stack.ports.restateNode}/metrics`)).text()
  return {
    postgresCommits: Number(postgres?.commits),
    postgresWalSyncs: Number(postgres?.syncs),
    postgresWalBytes: Number(postgres?.bytes),
    engineWalSyncs: sumMetric(metrics, 'restate_rocksdb_wal_synced_total'),
    engineWalBytes: sumMetric(metrics, 'restate_rocksdb_wal_bytes_total'),
  }
}

export const writesBetween = (from: Writes, to: Writes): Writes => ({
  postgresCommits: to.postgresCommits - from.postgresCommits,
  postgresWalSyncs: to.postgresWalSyncs - from.postgresWalSyncs,
  postgresWalBytes: to.postgresWalBytes - from.postgresWalBytes,
  engineWalSyncs: to.engineWalSyncs - from.engineWalSyncs,
  engineWalBytes: to.engineWalBytes - from.engineWalBytes,
})

const sumMetric = (text: string, name: string): number =>
  [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].reduce(
    (sum, [, value]) => sum + Number(value),
    0,
  )

/** The running program is asked, because a default that we do not set is the one that matters here. */
const readEngineSettings = (stack: Stack): Record<string, string> => {
  const program = realpathSync(`/proc/${stack.restate.pid()}/exe`)
  const file = join(stack.dir, 'restate', 'restate.toml')
  const dump = execFileSync(program, ['--config-file', file, '--dump-config'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const settings: Record<string, string> = {}
  let section = ''
  for (const line of dump.split('\n')) {
    section = /^\[([\w.-]+)\]/.exec(line)?.[1] ?? section
    const [, name, value] = /^(rocksdb-disable-wal|rocksdb-disable-wal-fsync|default-provider) = (.*)$/.exec(line) ?? []
    if (name && value) settings[`${section}.${name}`] = value
  }
  return settings
}

const fileSystemOf = (dir: string): string => {
  const path = realpathSync(dir)
  const mounts = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, point = '']) => path === point || path.startsWith(point.endsWith('/') ? point : `${point}/`))
  const [, , type = `type ${statfsSync(dir).type}`] =
    mounts.toSorted((a, b) => (b[1] ?? '').length - (a[1] ?? '').length)[0] ?? []
  return type
}

const measureFsync = (dir: string): number => {
  const file = join(dir, 'fsync-probe')
  const handle = openSync(file, 'w')
  const block = Buffer.alloc(4096, 1)
  try {
    const times = Array.from({ length: 100 }, () => {
      const begun = performance.now()
      writeSync(handle, block)
      fsyncSync(handle)
      return performance.now() - begun
    })
    return median(times)
  } finally {
    closeSync(handle)
    rmSync(file)
  }
}
