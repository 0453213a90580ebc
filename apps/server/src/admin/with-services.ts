import { type AccessService, createAccess, readPlansFile } from '@ars/core/access'
import { Config } from '@ars/core/config'
import { createDesk } from '@ars/core/mail'
import { createPeople, type People } from '@ars/core/people'
import { ConfigError, parseConfig } from '@ars/platform/config'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { type Session, withSession } from '@ars/platform/db/session'
import type { Keyring } from '@ars/platform/envelope'
import { KeyServiceUnavailable } from '@ars/platform/envelope-program'
import { createLog } from '@ars/platform/log/log'
import { serverBounds } from '../bounds.ts'
import { operatorLoginsOf, systemLoginOf } from '../database-logins.ts'
import { openKeyring } from '../keyring.ts'
import { openParts } from '../parts.ts'

type OpenParts = Awaited<ReturnType<typeof openParts>>

/** Opens the services for an operator command and always closes them. */
export const withServices = async <Result>(
  env: NodeJS.ProcessEnv,
  work: (services: { access: AccessService; people: People; parts: OpenParts }) => Promise<Result>,
): Promise<Result> => {
  const config = parseConfig(Config, env)
  const plans = readPlansFile(config.plansFile)
  const log = createLog({ level: 'error', write: (line) => process.stderr.write(line) })
  const parts = await openParts({ config, environment: env, log })
  const access = createAccess({ ...parts, operator: parts.system, plans })
  const people = createPeople({
    ...parts,
    keys: access.tree,
    forgetTokens: access.forget,
    mail: createDesk(parts),
  })
  try {
    return await work({ access, people, parts })
  } finally {
    await Promise.all([access.close(), people.close()])
    await parts.close()
  }
}

/** The database for operator commands: across organisations and without the other components. */
export const openSystem = (config: Config): Database =>
  openDatabase({
    ...systemLoginOf(config),
    name: 'admin',
    size: 2,
    acquireTimeoutMs: serverBounds.commandConnection.ms,
    log: createLog({ level: 'error', write: (line) => process.stderr.write(line) }),
  })

/** Sessions as the owner, whom row-level security holds to one organisation, and as the role that crosses organisations. */
export const withOperatorSessions = async <Result>(
  env: NodeJS.ProcessEnv,
  { timeoutMs }: { timeoutMs: number },
  work: (sessions: { owner: Session; system: Session }) => Promise<Result>,
): Promise<Result> => {
  const logins = operatorLoginsOf(parseConfig(Config, env))
  const options = { name: 'admin', timeoutMs }
  return withSession({ ...logins.owner, ...options }, (owner) =>
    withSession({ ...logins.system, ...options }, (system) => work({ owner, system })),
  )
}

/**
 * Opens the keyring and the database for an operator command on data keys, and closes them. An unavailable key service
 * ends the command with 1 and this advice; other errors are passed on.
 */
export const withDataKeys = async (
  env: NodeJS.ProcessEnv,
  { whenUnavailable }: { whenUnavailable: string },
  work: (parts: { system: Database; keyring: Keyring }) => Promise<number>,
): Promise<number> => {
  const config = parseConfig(Config, env)
  const keyring = openKeyring(config, env)
  if (!keyring) throw new ConfigError('Set ARS_KEK_FILE or ARS_KEKS')
  const system = openSystem(config)
  try {
    return await work({ system, keyring })
  } catch (error) {
    if (!(error instanceof KeyServiceUnavailable)) throw error
    process.stderr.write(`${error.message}\nThe key service is unavailable. ${whenUnavailable}\n`)
    return 1
  } finally {
    await system.close()
  }
}
