import { Config } from '@ars/core/config'
import { ConfigError, parseConfig } from '@ars/platform/config'
import { migrate } from '@ars/platform/db/migrate'
import { releaseFile } from '@ars/platform/release-files'
import { version } from './version.ts'

/** The baseline, the migrations and the functions of this release. */
export const schemaDir = releaseFile('db')

/** `ars-server migrate`: concurrent calls run one after the other; the second finds nothing to do. */
export const migrateDatabase = async (env: NodeJS.ProcessEnv): Promise<number> => {
  const { databaseOwnerUrl } = parseConfig(Config.pick({ databaseOwnerUrl: true }).loose(), ownOnly(env))
  if (databaseOwnerUrl === undefined)
    throw new ConfigError(
      'ARS_DATABASE_OWNER_URL or ARS_DATABASE_OWNER_URL_FILE: is required; migrate connects as role ars_owner',
    )
  const applied = await migrate({
    url: databaseOwnerUrl,
    dir: schemaDir,
    release: version,
    say: (line) => process.stdout.write(`${line}\n`),
  })
  process.stdout.write(applied.length === 0 ? 'The schema is up to date.\n' : `Applied ${applied.join(', ')}.\n`)
  return 0
}

// Reads only the settings it needs, so that no other setting can prevent a migration.
const ownOnly = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ARS_DATABASE_OWNER_URL: env.ARS_DATABASE_OWNER_URL,
  ARS_DATABASE_OWNER_URL_FILE: env.ARS_DATABASE_OWNER_URL_FILE,
})
