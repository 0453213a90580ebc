import { Config } from '@ars/core/config'
import { ConfigError, parseConfig } from '@ars/platform/config'
import { completeUrl } from '@ars/platform/db/logins'
import { makeLogins } from '@ars/platform/db/make-logins'
import { migrate } from '@ars/platform/db/migrate'
import { releaseFile } from '@ars/platform/release-files'
import { databaseLoginsOf } from './database-logins.ts'
import { version } from './version.ts'

/** The baseline, the migrations and the functions of this release. */
export const schemaDir = releaseFile('db')

/** `ars-server migrate`: concurrent calls run one after the other; the second finds nothing to do. */
export const migrateDatabase = async (env: NodeJS.ProcessEnv): Promise<number> => {
  const applied = await migrate({
    url: await ownerUrlOf(env),
    dir: schemaDir,
    release: version,
    say: (line) => process.stdout.write(`${line}\n`),
  })
  process.stdout.write(applied.length === 0 ? 'The schema is up to date.\n' : `Applied ${applied.join(', ')}.\n`)
  return 0
}

/** With one address, the roles are made first. */
const ownerUrlOf = async (env: NodeJS.ProcessEnv): Promise<string> => {
  const only = (fields: readonly string[]): NodeJS.ProcessEnv =>
    Object.fromEntries(fields.flatMap((field) => [field, `${field}_FILE`]).map((name) => [name, env[name]]))
  // Reads only the settings it needs, so that no other setting can prevent a migration.
  const { databaseOwnerUrl } = parseConfig(
    Config.pick({ databaseOwnerUrl: true }).loose(),
    only(['ARS_DATABASE_OWNER_URL']),
  )
  if (databaseOwnerUrl !== undefined) return databaseOwnerUrl
  if (!env.ARS_DATABASE_URL && !env.ARS_DATABASE_URL_FILE)
    throw new ConfigError(
      'ARS_DATABASE_URL or ARS_DATABASE_OWNER_URL: is required; migrate connects as role ars_owner, or makes it with a login that may create roles',
    )
  const addresses = parseConfig(
    Config.pick({ databaseUrl: true, databaseAuthUrl: true, databaseFeedUrl: true, databaseSystemUrl: true }),
    only(['ARS_DATABASE_URL', 'ARS_DATABASE_AUTH_URL', 'ARS_DATABASE_FEED_URL', 'ARS_DATABASE_SYSTEM_URL']),
  )
  const { mode, owner } = databaseLoginsOf(addresses)
  if (mode === 'one address') await makeLogins(addresses.databaseUrl)
  if (owner === undefined)
    throw new ConfigError(
      'ARS_DATABASE_OWNER_URL or ARS_DATABASE_OWNER_URL_FILE: is required; migrate connects as role ars_owner',
    )
  return completeUrl(owner)
}
