#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { ConfigError } from '@ars/platform/config'
import { seed } from './admin/seed.ts'
import { doctor } from './doctor.ts'
import { migrateDatabase } from './migrate.ts'
import { roles, serve } from './serve.ts'

const usage = `ars-server: runs AI agents for other programs

  ars-server serve [--role gateway|worker|all]   serve the API, execute runs, or both (default: all)
  ars-server migrate                             bring the database to the schema of this release
  ars-server doctor                              check every part and say what to do
  ars-server admin seed [--key-file F] [--json]  an organisation with the test agents and a key

Settings come from the environment: docs/reference/configuration.md.
`

const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      role: { type: 'string', default: 'all' },
      'key-file': { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const command = positionals.join(' ')
  if (values.help) return say(usage)
  if (command === 'serve') {
    const role = roles.find((known) => known === values.role)
    if (!role) return complain(`No role ${values.role}. There are: ${roles.join(', ')}.`)
    await serve(role, process.env)
    return 0
  }
  if (command === 'migrate') return migrateDatabase(process.env)
  if (command === 'doctor') return doctor(process.env)
  if (command === 'admin seed') return seed(process.env, { keyFile: values['key-file'], json: values.json })
  return complain(`${command === '' ? 'What shall it do?' : `No command ${command}.`}\n\n${usage}`)
}

const say = (text: string): number => {
  process.stdout.write(text)
  return 0
}

const complain = (text: string): number => {
  process.stderr.write(`${text.trimEnd()}\n`)
  return 2
}

try {
  process.exitCode = await main()
} catch (error) {
  if (error instanceof ConfigError) process.exitCode = complain(`ars-server cannot start:\n${error.message}`)
  else if (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')) {
    process.exitCode = complain(`${error.message}\n\n${usage}`)
  } else throw error
}
