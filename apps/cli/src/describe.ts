import type { Argument, Command, Option } from 'commander'

/** A command as data. The reference page and the completion scripts are generated from it. */
export type Described = {
  /** The words after `ars`; empty for `ars` itself. */
  path: readonly string[]
  summary: string
  usage: string
  arguments: readonly { name: string; description: string; choices: readonly string[] }[]
  options: readonly DescribedOption[]
  examples: readonly string[]
  commands: readonly Described[]
}

export type DescribedOption = {
  flags: string
  long: string
  description: string
  takesValue: boolean
  choices: readonly string[]
  /** The value is a file name, which a shell can complete. */
  isFile: boolean
}

export const describe = (command: Command, path: readonly string[] = []): Described => {
  const visible = command.createHelp().visibleCommands(command)
  const children = visible.filter((child) => child.name() !== 'help')
  return {
    path,
    summary: command.description(),
    usage: ['ars', ...path, command.usage()].join(' ').trim(),
    arguments: command.registeredArguments.map(describeArgument),
    options: command.options.filter(({ hidden }) => !hidden).map(describeOption),
    examples: examplesOf(command),
    commands: children.map((child) => describe(child, [...path, child.name()])),
  }
}

const describeArgument = (argument: Argument) => ({
  name: argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  description: argument.description,
  choices: argument.argChoices ?? [],
})

const describeOption = (option: Option): DescribedOption => ({
  flags: option.flags,
  long: option.long ?? option.flags,
  description: requiredMark(option) + option.description,
  takesValue: option.required || option.optional,
  choices: option.argChoices ?? [],
  isFile: /<file>/.test(option.flags),
})

/** Of an option that the command needs. */
export const requiredMark = ({ mandatory, description }: Option): string =>
  mandatory && !description.startsWith('required') ? 'required: ' : ''

const examples = new WeakMap<Command, readonly string[]>()

/** Shown at the end of the help of a command, and in the reference. */
export const withExamples = (command: Command, ...lines: readonly string[]): Command => {
  examples.set(command, lines)
  const title = lines.length === 1 ? 'Example' : 'Examples'
  return command.addHelpText('after', `\n${title}:\n${lines.map((line) => `  $ ${line}`).join('\n')}`)
}

const examplesOf = (command: Command): readonly string[] => examples.get(command) ?? []
