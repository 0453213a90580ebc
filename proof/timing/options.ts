import { parseArgs } from 'node:util'
import { PartError } from '@ars/tools/dev/parts/part'

export type TimingOptions = {
  /** As it was called, for the report. */
  command: string
  subject: 'classes' | 'guesses'
  isQuick: boolean
  seed: string
  isHelp: boolean
}

export const timingHelp = `pnpm timing [guesses]: measures whether response times leak information.

Starts a stack (Postgres, Redis, the engine, a gateway) and sends requests over one connection in random order:
keys that were never issued against keys that differ from a real one by a letter; the id of another organisation's run
against an id that nobody has; a login of a stranger against one with a wrong password, before and after the account is
throttled. Compares the classes by Welch's t. About 15 minutes.

pnpm timing guesses: 10,000 password guesses at one account from one address, and 10,000 from 500 addresses: how many are
checked, and how the latency of other API calls changes. About 8 minutes.

  --quick           a tenth of the samples
  --seed <text>     the order of the requests (default: random)
`

export const readTimingOptions = (args: readonly string[]): TimingOptions => {
  const { values, positionals } = parse(args)
  const [word = 'classes', ...more] = positionals
  if ((word !== 'classes' && word !== 'guesses') || more.length > 0) {
    throw new PartError(`Unknown timing: ${positionals.join(' ')}.\n\n${timingHelp}`)
  }
  const isQuick = values.quick ?? false
  return {
    command: ['pnpm timing', ...args].join(' '),
    subject: word,
    isQuick,
    seed: values.seed ?? String(Date.now()),
    isHelp: values.help ?? false,
  }
}

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        quick: { type: 'boolean' },
        seed: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new PartError(`${(error as Error).message}\n\n${timingHelp}`, { cause: error })
  }
}
