import { readdir } from 'node:fs/promises'
import { runner } from 'node-pg-migrate'
import pg from 'pg'

const migrationsTable = 'migrations'
// An arbitrary advisory lock id. Concurrent migrations run one after the other, so the second finds nothing to do.
const migrationLock = 7_305_241

/** Migrates a database to the newest schema and returns the names of the applied migrations. */
export const migrate = async ({ url, dir }: { url: string; dir: string }): Promise<string[]> => {
  const client = new pg.Client({ connectionString: url, application_name: 'ars-migrate' })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    const applied = await runner({
      dbClient: client,
      dir: `${dir}/*.sql`,
      useGlob: true,
      direction: 'up',
      migrationsTable,
      noLock: true,
      checkOrder: true,
      verbose: false,
      log: () => undefined,
    })
    return applied.map(({ name }) => name)
  } finally {
    await client.end()
  }
}

/** The migrations of this release. Read once at start: files of the next release may appear beside a running process. */
export const listMigrations = async (dir: string): Promise<string[]> =>
  (await readdir(dir)).filter((file) => file.endsWith('.sql')).map((file) => file.slice(0, -'.sql'.length))

/** The migrations of this release that are not applied. Used by readiness and `doctor`. */
export const missingMigrations = (applied: readonly string[], migrations: readonly string[]): string[] =>
  migrations.filter((name) => !applied.includes(name)).toSorted()
