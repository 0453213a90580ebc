import { type ExecFileOptions, execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isSource, releaseFile } from '@ars/platform/release-files'
import pg from 'pg'
import { findBinary } from './binary.ts'
import { PartError } from './part.ts'
import { embeddedPostgres, settleEmbedded } from './postgres-embedded.ts'
import { type PostgresHome, settlePostgresHome } from './postgres-home.ts'
import { runPsqlFile } from './psql-file.ts'

export type PostgresSettings = Record<string, string | number>

/** A cluster's programs and places, whether or not it runs. */
export type PostgresCluster = PostgresHome & {
  bin: string
  port: number
}

export const settleCluster = (dir: string, port: number): PostgresCluster => {
  const found = findPostgres()
  const home = settlePostgresHome(dir, port)
  return { bin: 'bin' in found ? found.bin : settleEmbedded(found.native, home), port, ...home }
}

/** Makes the data when there is none yet, and writes the configuration anew, so that changed settings count. */
export const prepareData = async (cluster: PostgresCluster, settings: PostgresSettings): Promise<void> => {
  const { dataDir, socketDir, port } = cluster
  if (!existsSync(join(dataDir, 'PG_VERSION'))) await makeData(cluster)
  const all: PostgresSettings = {
    port,
    unix_socket_directories: socketDir,
    unix_socket_permissions: '0700',
    ...settings,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name} = '${String(value).replaceAll("'", "''")}'`)
  // The socket needs no password because its directory is closed to everybody else.
  const access = ['local all all trust', 'local replication all trust', 'host all all 127.0.0.1/32 scram-sha-256']
  for (const [file, content] of [
    ['postgresql.conf', lines],
    ['pg_hba.conf', access],
  ] as const) {
    const path = join(dataDir, file)
    writeFileSync(path, `${content.join('\n')}\n`, { mode: 0o600 })
    if (cluster.user) chownSync(path, cluster.user.uid, cluster.user.gid)
  }
}

/** Runs `db/roles.sql`, as an operator would, when this cluster has not seen this text with this password. */
export const createRoles = async (cluster: PostgresCluster, password: string): Promise<void> => {
  const rolesFile = releaseFile('db/roles.sql')
  const mark = createHash('sha256').update(readFileSync(rolesFile)).update(password).digest('hex')
  const markFile = join(cluster.dataDir, 'ars_roles_mark')
  if (existsSync(markFile) && readFileSync(markFile, 'utf8') === mark) return
  const client = new pg.Client({ connectionString: superuserUrl(cluster, 'postgres') })
  await client.connect()
  try {
    await runPsqlFile(client, readFileSync(rolesFile, 'utf8'), { ARS_DATABASE_PASSWORD: password })
    // Tests and experiments read as the superuser. The service's roles get this setting from the file.
    await client.query('alter role postgres set jit = off')
  } finally {
    await client.end()
  }
  writeFileSync(markFile, mark, { mode: 0o600 })
  // A physical copy of the data reads every file as the user of the server.
  if (cluster.user) chownSync(markFile, cluster.user.uid, cluster.user.gid)
}

export const superuserUrl = (cluster: PostgresCluster, database: string): string =>
  `postgresql://postgres@localhost:${cluster.port}/${database}?host=${encodeURIComponent(cluster.socketDir)}`

/** Variables such as PGHOST in the developer's shell must not lead our programs to another server. */
export const postgresEnv = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  LC_ALL: process.platform === 'linux' ? 'C.UTF-8' : 'C',
  TZ: 'UTC',
})

const makeData = async (cluster: PostgresCluster): Promise<void> => {
  const { bin, dataDir, user } = cluster
  // The finished data gets its name last: a half-made directory, left by a crash, is thrown away at the next start.
  const making = `${dataDir}.making`
  rmSync(making, { recursive: true, force: true })
  mkdirSync(making, { mode: 0o700 })
  if (user) chownSync(making, user.uid, user.gid)
  const args = ['-D', making, '-U', 'postgres', '--encoding=UTF8', '--auth=trust', '--no-sync', '--no-instructions']
  await run(join(bin, 'initdb'), args, {
    cwd: '/',
    env: postgresEnv(),
    ...(user && { uid: user.uid, gid: user.gid }),
  })
  rmSync(dataDir, { recursive: true, force: true })
  renameSync(making, dataDir)
}

const run = async (program: string, args: string[], options: ExecFileOptions): Promise<void> => {
  try {
    await promisify(execFile)(program, args, options)
  } catch (error) {
    throw new PartError(`${program} failed: ${(error as { stderr?: string }).stderr || String(error)}`, {
      cause: error,
    })
  }
}

/**
 * A clone takes the Postgres of this computer, which its tests and drills need with all programs. The npm package takes the one
 * that it brings, so that an upgrade of the computer changes nothing.
 */
const findPostgres = (): { bin: string } | { native: string } => {
  const [installed, native] = [installedPostgres(), embeddedPostgres()]
  if (installed && (isSource || !native)) return { bin: installed }
  if (native) return { native }
  throw new PartError(
    'Postgres 15 or newer is not installed: `apt-get install postgresql`, or `brew install postgresql@17`',
  )
}

/** The folder of the programs of this computer's Postgres. */
const installedPostgres = (): string | undefined => {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : []
  const initdb = findBinary(
    ['initdb'],
    versions.map((version) => join(root, version, 'bin')),
  )
  return initdb && join(initdb, '..')
}
