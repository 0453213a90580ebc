import type { Config } from '@ars/core/config'
import { ConfigError } from '@ars/platform/config'
import { type Login, loginsFrom, userIn } from '@ars/platform/db/logins'

/** One address from which the logins of all roles are made, or an address for each role. */
export type DatabaseMode = 'one address' | 'an address for each role'

/** The logins of a process. Undefined: it has no address of that role. */
export type DatabaseLogins = {
  mode: DatabaseMode
  app: Login
  auth: Login
  feed: Login
  system: Login | undefined
  owner: Login | undefined
}

type Addresses = Pick<Config, 'databaseUrl' | 'databaseAuthUrl' | 'databaseFeedUrl' | 'databaseSystemUrl'> &
  Partial<Pick<Config, 'databaseOwnerUrl'>>

/** The mode follows from the addresses that are set. */
export const databaseLoginsOf = (config: Addresses): DatabaseLogins => {
  const { databaseUrl, databaseAuthUrl, databaseFeedUrl, databaseSystemUrl, databaseOwnerUrl } = config
  if (databaseAuthUrl !== undefined && databaseFeedUrl !== undefined)
    return {
      mode: 'an address for each role',
      app: { url: databaseUrl },
      auth: { url: databaseAuthUrl },
      feed: { url: databaseFeedUrl },
      system: databaseSystemUrl === undefined ? undefined : { url: databaseSystemUrl },
      owner: databaseOwnerUrl === undefined ? undefined : { url: databaseOwnerUrl },
    }
  const user = userIn(databaseUrl)
  const others = [databaseAuthUrl, databaseFeedUrl, databaseSystemUrl, databaseOwnerUrl]
  if (others.some((url) => url !== undefined) || isOfService(user))
    throw new ConfigError(
      [
        ...(databaseAuthUrl === undefined ? ['ARS_DATABASE_AUTH_URL: is missing'] : []),
        ...(databaseFeedUrl === undefined ? ['ARS_DATABASE_FEED_URL: is missing'] : []),
        `Set an address for each role, or ARS_DATABASE_URL alone with a login that may create roles${isOfService(user) ? `, which ${user} may not` : ''}`,
      ].join('\n'),
    )
  const { ars_app, ars_auth, ars_feed, ars_system, ars_owner } = loginsFrom(databaseUrl)
  return { mode: 'one address', app: ars_app, auth: ars_auth, feed: ars_feed, system: ars_system, owner: ars_owner }
}

/** A role of db/roles.sql, or its second login. */
const isOfService = (user: string): boolean => /^ars_(owner|app|auth|batch|feed|system)(_|$)/.test(user)

/** The logins that cross organisations, for commands that need both. */
export const operatorLoginsOf = (config: Addresses): { owner: Login; system: Login } => {
  const { owner, system } = databaseLoginsOf(config)
  if (owner === undefined || system === undefined)
    throw new ConfigError('ARS_DATABASE_OWNER_URL and ARS_DATABASE_SYSTEM_URL: this command needs both')
  return { owner, system }
}

/** The login of workers and admin commands. */
export const systemLoginOf = (config: Addresses): Login => {
  const { system } = databaseLoginsOf(config)
  if (system === undefined)
    throw new ConfigError('ARS_DATABASE_SYSTEM_URL: is missing; workers and this command need it')
  return system
}
