import type { Command } from 'commander'

const examples = new WeakMap<Command, readonly string[]>()

/** Shown at the end of the help of a command, and in the reference. */
export const withExamples = (command: Command, ...lines: readonly string[]): Command => {
  examples.set(command, lines)
  const title = lines.length === 1 ? 'Example' : 'Examples'
  return command.addHelpText('after', `\n${title}:\n${lines.map((line) => `  $ ${line}`).join('\n')}`)
}

export const examplesOf = (command: Command): readonly string[] => examples.get(command) ?? []
