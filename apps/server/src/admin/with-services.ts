import { type AccessService, createAccess } from '@ars/core/access'
import { Config } from '@ars/core/config'
import { createPeople, type People } from '@ars/core/people'
import { ConfigError, parseConfig } from '@ars/platform/config'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createLog } from '@ars/platform/log/log'
import { openParts } from '../parts.ts'

/** Opens the services for an operator command and always closes them. */
export const withServices = async <Result>(
  env: NodeJS.ProcessEnv,
  work: (services: { access: AccessService; people: People }) => Promise<Result>,
): Promise<Result> => {
  const config = parseConfig(Config, env)
  const log = createLog({ level: 'error', write: (line) => process.stderr.write(line) })
  const parts = await openParts({ config, environment: env, log })
  const access = createAccess({ ...parts, operator: parts.system })
  const people = createPeople({ ...parts, keys: access.tree, forgetTokens: access.forget })
  try {
    return await work({ access, people })
  } finally {
    await Promise.all([access.close(), people.close()])
    await parts.close()
  }
}

/** The database for operator commands: across organisations and without the other components. */
export const openSystem = ({ databaseSystemUrl }: Pick<Config, 'databaseSystemUrl'>): Database => {
  if (databaseSystemUrl === undefined)
    throw new ConfigError('ARS_DATABASE_SYSTEM_URL: is missing; this command needs it')
  return openDatabase({
    url: databaseSystemUrl,
    name: 'admin',
    size: 2,
    acquireTimeoutMs: 10_000,
    log: createLog({ level: 'error', write: (line) => process.stderr.write(line) }),
  })
}
