import { parseArgs } from 'node:util'
import { PartError } from '../dev/parts/part.ts'
import { attacks } from './attacks.ts'

export const parts = ['pressure', 'framing', 'ports', 'outgoing'] as const
export type PartName = (typeof parts)[number]

/** Those that make up the report on the gateway. */
export const ofTheGateway: readonly PartName[] = ['pressure', 'framing', 'ports']

export interface ShellOptions {
  /** As it was called, for the report. */
  command: string
  parts: readonly PartName[]
  isFull: boolean
  /** Names of attacks; none means all. */
  attacks: readonly string[]
  /** Whether the report on the gateway is kept. */
  isReported: boolean
  isHelp: boolean
}

export const shellHelp = `pnpm shell [pressure] [framing] [ports] [outgoing] [--ci | --full]: is the shell of the gateway hard?

Starts stacks of its own. Without names, all four:

  pressure   a customer works quietly while others hold connections, flood, and send what is large, deep or slow
  framing    requests whose end can be seen in two ways, through a proxy that shares its connection between clients
  ports      the whole service in a network namespace, looked at from another: what answers, and what is at odd paths
  outgoing   hostile addresses, names that change their mind and redirects, in a namespace of canaries that must not be reached

  --ci               the small size (this is the default): no bar that depends on how fast the machine is
  --full             the size of the promise, about 25 minutes; the first three together write docs/reports/hard-shell.md, the
                     last writes docs/reports/attacks.md
  --attack <name>    only this one of the pressure; may be given more than once
  --help             this text

The attacks:
${attacks.map(({ name, what }) => `  ${name}: ${what}`).join('\n')}
`

export function readShellOptions(args: readonly string[]): ShellOptions {
  const { values, positionals } = parse(args)
  if (values.ci && values.full) throw new PartError('Choose --ci or --full, not both.')
  const unknown = [
    ...positionals.filter((name) => !parts.includes(name as PartName)),
    ...values.attack.filter((name) => !attacks.some((attack) => attack.name === name)),
  ]
  if (unknown.length > 0) throw new PartError(`There is no ${unknown.join(', ')}.\n\n${shellHelp}`)
  const chosen = parts.filter((name) => positionals.length === 0 || positionals.includes(name))
  return {
    command: ['pnpm shell', ...args].join(' '),
    parts: chosen,
    isFull: values.full,
    attacks: values.attack,
    isReported: values.full && values.attack.length === 0 && ofTheGateway.every((name) => chosen.includes(name)),
    isHelp: values.help,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ci: { type: 'boolean', default: false },
        full: { type: 'boolean', default: false },
        attack: { type: 'string', multiple: true, default: [] },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    throw new PartError(`${(error as Error).message}\n\n${shellHelp}`, { cause: error })
  }
}
