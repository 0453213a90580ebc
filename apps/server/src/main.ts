#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { Fault } from '@ars/core/fault'
import { ConfigError } from '@ars/platform/config'
import { MigrationRefused } from '@ars/platform/db/migrate'
import { DatabaseBusy, DatabaseUnavailable } from '@ars/platform/db/unavailable'
import { type Command, CommandFailed, numberOf, organisationOf, UsageError, type Values } from './admin/command.ts'
import { createKey, resetPassword } from './admin/credentials.ts'
import { deleteOrg } from './admin/delete-org.ts'
import { engineKey } from './admin/engine-key.ts'
import { exportOrg } from './admin/export-org.ts'
import { mailTest } from './admin/mail-test.ts'
import { moveOrg } from './admin/move-org.ts'
import { createOrg, listOrgs, setKeyPolicy, setLimits, setPlan, showPlans } from './admin/organisations.ts'
import { partitions } from './admin/partitions.ts'
import { rewrap } from './admin/rewrap.ts'
import { rollupRebuild } from './admin/rollup-rebuild.ts'
import { rotateKeys } from './admin/rotate-data-keys.ts'
import { seed } from './admin/seed.ts'
import { verifyAudit } from './admin/verify-audit.ts'
import { work } from './admin/work.ts'
import { backup } from './backup/backup.ts'
import { restore } from './backup/restore.ts'
import { checkCatalog } from './catalog-check.ts'
import { doctor } from './doctor/doctor.ts'
import { init, places, publicUrlOf } from './init.ts'
import { migrateDatabase } from './migrate.ts'
import { roles, serve } from './serve.ts'
import { version } from './version.ts'

const text = (value: Values[string]): string | undefined => (typeof value === 'string' ? value : undefined)

const commands: Readonly<Record<string, Command>> = {
  serve: {
    usage: '[--role gateway|worker|all]',
    does: 'serve the API, execute runs, or both (default: all)',
    options: { role: { type: 'string' } },
    run: async (env, { role: wanted = 'all' }) => {
      const role = roles.find((known) => known === wanted)
      if (!role) throw new UsageError(`Unknown role ${String(wanted)}. The roles are ${roles.join(', ')}.`)
      await serve(role, env)
      return 0
    },
  },
  init: {
    usage: '<folder> [--for compose|systemd] [--public-url URL] [--once]',
    does: 'make a folder with keys, certificate, passwords and settings of a new installation',
    options: { for: { type: 'string' }, 'public-url': { type: 'string' }, once: { type: 'boolean' } },
    argument: 'folder',
    run: async (_env, { folder, for: wanted = 'compose', 'public-url': url, once }) => {
      const place = places.find((known) => known === wanted)
      if (!place) throw new UsageError(`--for must be ${places.join(' or ')}`)
      if (typeof folder !== 'string') throw new UsageError('Name the folder to make.')
      return init({ folder, place, publicUrl: publicUrlOf(text(url)), version, isOnce: once === true })
    },
  },
  migrate: {
    usage: '',
    does: 'migrate the database to the schema of this release',
    options: {},
    run: (env) => migrateDatabase(env),
  },
  doctor: {
    usage: '[--json] [--test-alert ALERTMANAGER]',
    does: 'check every component and print advice; send an alert to the Alertmanager of this address',
    options: { json: { type: 'boolean' }, 'test-alert': { type: 'string' } },
    run: (env, values) => doctor(env, { json: values.json === true, alertmanager: text(values['test-alert']) }),
  },
  backup,
  restore,
  'catalog check': {
    usage: '[folder]',
    does: 'check the catalog files, built-in and yours, or those of a folder',
    options: {},
    argument: 'folder',
    run: async (env, { folder }) => checkCatalog(env, text(folder)),
  },
  'admin create-org': createOrg,
  'admin list-orgs': listOrgs,
  'admin export-org': exportOrg,
  'admin delete-org': deleteOrg,
  'admin move-org': moveOrg,
  'admin set-plan': setPlan,
  'admin set-limits': setLimits,
  'admin plans': showPlans,
  'admin set-key-policy': setKeyPolicy,
  'admin create-key': createKey,
  'admin reset-password': resetPassword,
  'admin mail-test': mailTest,
  'admin seed': {
    usage: '[--key-file F | --client-folder F] [--owner-file F] [--json]',
    does: 'create an organisation with the test agents, a key and an owner',
    options: {
      'key-file': { type: 'string' },
      'client-folder': { type: 'string' },
      'owner-file': { type: 'string' },
      json: { type: 'boolean' },
    },
    run: (env, values) =>
      seed(env, {
        keyFile: text(values['key-file']),
        clientFolder: text(values['client-folder']),
        ownerFile: text(values['owner-file']),
        json: values.json === true,
      }),
  },
  'admin partitions': partitions,
  'admin rollup-rebuild': rollupRebuild,
  'admin work': work,
  'admin engine-key': engineKey,
  'admin rewrap': {
    usage: '[--json]',
    does: 'rewrap all data keys with the first key-encryption key',
    options: { json: { type: 'boolean' } },
    run: (env, { json }) => rewrap(env, { json: json === true }),
  },
  'admin rotate-data-keys': {
    usage: '[--org ORG] [--older-than DAYS] [--json]',
    does: 'replace data keys older than a day and seal all secrets again; repeat it to delete the old keys',
    options: { org: { type: 'string' }, 'older-than': { type: 'string' }, json: { type: 'boolean' } },
    run: (env, values) =>
      rotateKeys(env, {
        org: values.org === undefined ? null : organisationOf(values),
        olderThanDays: numberOf(values, 'older-than') ?? 1,
        json: values.json === true,
      }),
  },
  'admin verify-audit': {
    usage: '[--org ID]',
    does: 'verify the integrity of the audit logs',
    options: { org: { type: 'string' } },
    run: (env, { org }) => verifyAudit(env, { org: text(org) }),
  },
}

/** Settings of `ars` may be set in the same shell. */
const ownEnvironment = (): Readonly<Record<string, string | undefined>> => {
  const settingsOfTheClient = ['ARS_API_KEY', 'ARS_BASE_URL', 'ARS_CA_FILE', 'ARS_CONFIG']
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !settingsOfTheClient.includes(name)))
}

const main = async (args: readonly string[]): Promise<number> => {
  const firstOption = args.findIndex((arg) => arg.startsWith('-'))
  const words = firstOption === -1 ? args : args.slice(0, firstOption)
  const { name, command, argument } = findCommand(words)
  if (!command) {
    if (name === '' && args.includes('--version')) return say(`${version}\n`)
    if (args.includes('--help') || args.includes('-h')) return say(usage(name))
    return complain(`${name === '' ? 'No command given.' : `Unknown command ${name}.`}\n\n${usage(name)}`)
  }
  try {
    const options = { ...command.options, help: { type: 'boolean', short: 'h' } } as const
    const { values } = parseArgs({ args: args.slice(words.length), options })
    if (values.help) return say(help(name, command))
    const given = command.argument === undefined ? values : { ...values, [command.argument]: argument }
    return await command.run(ownEnvironment(), given as Values)
  } catch (error) {
    if (error instanceof UsageError || isBadArgument(error))
      return complain(`${error.message}\n\n${help(name, command)}`)
    if (error instanceof ConfigError) return complain(`ars-server cannot start:\n${error.message}`)
    if (error instanceof CommandFailed) return complain(error.message, 1)
    if (error instanceof MigrationRefused) return complain(`${error.message}.`, 1)
    if (!name.startsWith('admin ')) throw error
    // For a command, the message of a fault or of an unavailable database is sufficient.
    if (error instanceof Fault) return complain(error.message, 1)
    if (error instanceof DatabaseBusy) return complain(`The database is busy, try again: ${causeOf(error)}`, 1)
    if (error instanceof DatabaseUnavailable) return complain(`Cannot connect to the database: ${causeOf(error)}`, 1)
    throw error
  }
}

/** The last positional word is the argument, if the command takes one. */
const findCommand = (words: readonly string[]): { name: string; command?: Command; argument?: string } => {
  const name = words.join(' ')
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command) return { name, command }
  const shorter = words.slice(0, -1).join(' ')
  const taking = Object.hasOwn(commands, shorter) ? commands[shorter] : undefined
  const argument = words.at(-1)
  if (taking?.argument === undefined || argument === undefined) return { name }
  return { name: shorter, command: taking, argument }
}

/** Lists all commands, or those of `admin`. */
const usage = (name: string): string => {
  const shown = Object.entries(commands).filter(([known]) => !name.startsWith('admin') || known.startsWith('admin'))
  const lines = shown.map(([known, { does }]) => `  ars-server ${known.padEnd(22)} ${does}\n`)
  return `ars-server: runs AI agents for other programs\n\n${lines.join('')}
\`ars-server <command> --help\` lists the options, \`ars-server --version\` prints the version. Settings are environment variables: docs/reference/configuration.md.
`
}

const help = (name: string, { usage: options, does }: Command): string =>
  `ars-server ${`${name} ${options}`.trim()}\n\n  ${does}\n`

const isBadArgument = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')

const causeOf = ({ message, cause }: Error): string => (cause instanceof Error ? cause.message || message : message)

const say = (words: string): number => {
  process.stdout.write(words)
  return 0
}

const complain = (words: string, exitCode = 2): number => {
  process.stderr.write(`${words.trimEnd()}\n`)
  return exitCode
}

const exitCode = await main(process.argv.slice(2))
// A start that failed may leave timers and connections behind, which would keep the process alive.
if (exitCode === 0) process.exitCode = 0
else process.exit(exitCode)
