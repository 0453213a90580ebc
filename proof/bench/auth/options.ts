import { type BenchSettings, benchSettings, commonOptions, parseOptions, wholeNumber } from '../../lab/options.ts'

export type AuthOptions = BenchSettings & {
  /** The subject on one core, its clients and receivers on another. */
  isPinned: boolean
  connections: number
}

export const authHelp = `pnpm bench auth: a warm authenticated read against bare Node, and a refused one against an allowed one.

Starts a stack (Postgres, Redis, a gateway) and the control, a server of node:https that answers the same
bytes without looking at anything; calls both with wrk over kept-alive TLS connections in rounds of control, service,
service, control; then, on the gateway alone, a key that is over its limit against one that is not. Takes about 15 minutes. Stop other programs first.

  --quick             2 rounds of 2 s windows: a first look
  --connections <n>   how many call at once (default 32)
  --unpinned          do not pin processes to cores
  --rounds <n>        rounds that must count, per comparison (default 5)
  --seconds <n>       length of each of a round's four windows (default 10)
  --patience <s>      how long a round waits for other programs on the computer to become quiet (default 60)
  --profile           instead: the gateway under the CPU profiler, allowed and refused
  --port-base <n>     first of 20 ports (default: a free block)
  --dir <path>        where the stack's data lies; emptied first (default .dev/bench-auth)
`

export const readAuthOptions = (args: readonly string[]): AuthOptions => {
  const { values } = parseOptions(args, options, authHelp)
  return {
    ...benchSettings('auth', args, values, { quickSeconds: '2', leadInMs: 1000 }),
    isPinned: !values.unpinned,
    connections: wholeNumber('connections', values.connections ?? '32'),
  }
}

const options = {
  ...commonOptions,
  profile: { type: 'boolean' },
  unpinned: { type: 'boolean' },
  connections: { type: 'string' },
} as const
