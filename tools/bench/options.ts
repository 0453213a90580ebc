import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { PartError } from '../dev/parts/part.ts'

/** What every bench can be told. */
export const commonOptions = {
  quick: { type: 'boolean' },
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  patience: { type: 'string' },
  report: { type: 'string' },
  'port-base': { type: 'string' },
  dir: { type: 'string' },
} as const

/** Reads what a bench was called with. Whoever mistypes an option is shown all of them. */
export function parseOptions<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
  help: string,
) {
  try {
    return parseArgs({ args: [...args], options })
  } catch (error) {
    throw new PartError(`${(error as Error).message}\n\n${help}`, { cause: error })
  }
}

export function wholeNumber(name: string, text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1) throw new PartError(`--${name} must be a whole number, not ${text}`)
  return number
}
