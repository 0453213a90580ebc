import type { Described, DescribedOption } from '../describe.ts'

/** The completions after the words of `path`. */
export type Place = {
  /** `webhooks list`; empty for `ars` itself. */
  path: string
  /** Commands, and values that the next argument can have. */
  words: readonly { word: string; summary: string }[]
  options: readonly DescribedOption[]
}

/** Every position, the outermost first. Global options are allowed everywhere. */
export const placesOf = (root: Described): Place[] => {
  const globals = root.options
  const visit = (command: Described): Place[] => {
    const values = command.arguments.flatMap(({ choices }) => choices.map((word) => ({ word, summary: '' })))
    const commands = command.commands.map(({ path, summary }) => ({ word: path.at(-1) ?? '', summary }))
    const own = command === root ? [] : command.options
    const place = { path: command.path.join(' '), words: [...commands, ...values], options: [...own, ...globals] }
    return [place, ...command.commands.flatMap(visit)]
  }
  return visit(root)
}

export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

export const shortSummary = (text: string): string => text.split(/[;:(]/)[0]?.trim() ?? ''
