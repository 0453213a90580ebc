import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { pageHead, table } from './markdown.ts'

/** The commands of `ars`, from its own description. It runs as a program, because no code may import an app. */
export const cliPage = (): string => {
  const program = join(import.meta.dirname, '../../apps/cli/src/main.ts')
  const root = JSON.parse(execFileSync(process.execPath, [program, 'describe'], { encoding: 'utf8' })) as Command
  const leaves = leavesOf(root)
  return `${pageHead('The command line', 'the contract and `apps/cli/src/commands/`')}
Installation, settings and exit codes: see [the guide](../guides/cli.md).

${table(
  ['Command', 'Description'],
  leaves.map((command) => [`[\`${nameOf(command)}\`](#${anchorOf(command)})`, command.summary]),
)}

## Options of every command

${optionTable(root.options)}

${leaves.map(section).join('\n\n')}
`
}

type Command = {
  path: readonly string[]
  summary: string
  usage: string
  arguments: readonly { name: string; description: string; choices: readonly string[] }[]
  options: readonly CommandOption[]
  examples: readonly string[]
  commands: readonly Command[]
}

type CommandOption = { flags: string; description: string; choices: readonly string[] }

const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf)

const nameOf = ({ path }: Command): string => ['ars', ...path].join(' ')

const anchorOf = (command: Command): string => nameOf(command).replaceAll(' ', '-')

const section = (command: Command): string => {
  const { summary, usage, options, examples } = command
  const told = command.arguments.filter(({ description, choices }) => description !== '' || choices.length > 0)
  const parts = [
    `## ${nameOf(command)}`,
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    ['```sh', ...examples, '```'].join('\n'),
    `Usage: \`${usage}\``,
    ...(told.length === 0 ? [] : [table(['Argument', 'Meaning'], told.map(argumentRow))]),
    ...(options.length === 0 ? [] : [optionTable(options)]),
  ]
  return parts.join('\n\n')
}

const argumentRow = ({ name, description, choices }: Command['arguments'][number]): string[] => [
  `\`${name}\``,
  withChoices(description, choices),
]

const optionTable = (options: readonly CommandOption[]): string =>
  table(
    ['Option', 'Meaning'],
    options.map(({ flags, description, choices }) => [`\`${flags}\``, withChoices(description, choices)]),
  )

const withChoices = (description: string, choices: readonly string[]): string =>
  [description, choices.map((choice) => `\`${choice}\``).join(', ')].filter(Boolean).join(': ')
