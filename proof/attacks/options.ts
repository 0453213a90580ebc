import { parseArgs } from 'node:util'
import { PartError } from '@ars/tools/dev/parts/part'
import { loads } from '../lab/heavy/loads.ts'
import { attacks } from './attacks.ts'

export const parts = ['pressure', 'framing', 'ports', 'outgoing', 'redis', 'schemas', 'policies'] as const
export type PartName = (typeof parts)[number]

/** Those that make up the report on the gateway. */
export const ofTheGateway: readonly PartName[] = ['pressure', 'framing', 'ports']

export type ShellOptions = {
  /** As it was called, for the report. */
  command: string
  parts: readonly PartName[]
  isFull: boolean
  /** Names of attacks; none means all. */
  attacks: readonly string[]
  /** Names of loads of policies; none means all. */
  loads: readonly string[]
  isHelp: boolean
}

export const shellHelp = `pnpm attacks [pressure] [framing] [ports] [outgoing] [redis] [schemas] [policies] [--ci | --full]: attacks the edge of the service.

Starts its own stacks. Without names all of them run:

  pressure   one tenant works normally while attackers hold connections, flood, and send large, deep or slow requests
  framing    request smuggling through a proxy that shares its connection between clients
  ports      the whole service in a network namespace, scanned from another one: open ports and unusual paths
  outgoing   hostile addresses, DNS rebinding and redirects, in a namespace of leak markers that must not be reached
  redis      a program with full write access to Redis forges, repeats and deletes, while customers work
  schemas    JSON Schemas that never end, while another customer works
  policies   the heaviest rules, schemas, expressions, pipelines and bodies that the smallest plan allows, while another customer works

  --ci               the small size (the default); no limit depends on the speed of the machine
  --full             the size of the promise, about 25 minutes
  --attack <name>    only this attack of pressure; may be repeated
  --load <name>      only this load of policies; may be repeated
  --help             this text

The attacks:
${attacks.map(({ name, what }) => `  ${name}: ${what}`).join('\n')}

The loads of policies:
${loads.map(({ name, what }) => `  ${name}: ${what}`).join('\n')}
`

export const readShellOptions = (args: readonly string[]): ShellOptions => {
  const { values, positionals } = parse(args)
  if (values.ci && values.full) throw new PartError('Choose --ci or --full, not both.')
  const unknown = [
    ...positionals.filter((name) => !parts.includes(name as PartName)),
    ...values.attack.filter((name) => !attacks.some((attack) => attack.name === name)),
    ...values.load.filter((name) => !loads.some((load) => load.name === name)),
  ]
  if (unknown.length > 0) throw new PartError(`There is no ${unknown.join(', ')}.\n\n${shellHelp}`)
  const chosen = parts.filter((name) => positionals.length === 0 || positionals.includes(name))
  return {
    command: ['pnpm attacks', ...args].join(' '),
    parts: chosen,
    isFull: values.full,
    attacks: values.attack,
    loads: values.load,
    isHelp: values.help,
  }
}

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ci: { type: 'boolean', default: false },
        full: { type: 'boolean', default: false },
        attack: { type: 'string', multiple: true, default: [] },
        load: { type: 'string', multiple: true, default: [] },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    throw new PartError(`${(error as Error).message}\n\n${shellHelp}`, { cause: error })
  }
}
