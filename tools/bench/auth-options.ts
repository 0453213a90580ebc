import { join, resolve } from 'node:path'
import { repositoryDir } from '../dev/server.ts'
import { commonOptions, parseOptions, wholeNumber } from './options.ts'
import type { RoundSize } from './rounds.ts'

export interface AuthOptions {
  /** As it was called, for the report. */
  command: string
  isProfile: boolean
  /** Gateway, Redis and Postgres on one core and the clients on another. */
  isPinned: boolean
  connections: number
  size: RoundSize
  selfRounds: number
  dir: string
  /** First port of the block; without it a free block is looked for. */
  base: number | undefined
  /** Where the report goes; without it, it is only printed. */
  reportFile: string | undefined
}

export const authHelp = `pnpm bench auth: a warm authenticated read against bare Node, and a refused one against an allowed one.

Starts a stack of its own (Postgres, Redis, a gateway) and the control, a server of node:https that answers the same
bytes without looking at anything; calls both with wrk over kept-alive TLS connections in rounds of control, service,
service, control; then, on the gateway alone, a key that is over its limit against one that is not; writes
docs/reports/bench-auth.md. Takes about 15 minutes and wants the computer for itself.

  --quick             2 rounds of 2 s windows: a first look, no report file
  --connections <n>   how many call at once (default 32)
  --unpinned          leave it to the system which core runs what
  --rounds <n>        rounds that must count, per comparison (default 5)
  --seconds <n>       length of each of a round's four windows (default 10)
  --patience <s>      how long a round waits for other programs on the computer to become quiet (default 60)
  --profile           instead: the gateway under the CPU profiler, allowed and refused
  --report <file>     where the report goes
  --port-base <n>     first of 20 ports (default: a free block)
  --dir <path>        where the stack's data lies; emptied first (default .dev/bench-auth)
`

export function readAuthOptions(args: readonly string[]): AuthOptions {
  const { values } = parseOptions(args, options, authHelp)
  const isQuick = values.quick ?? false
  const isProfile = values.profile ?? false
  const from = (path: string): string => resolve(process.env.INIT_CWD ?? '', path)
  const name = isProfile ? 'bench-auth-profile.md' : 'bench-auth.md'
  const usual = isQuick ? undefined : join(repositoryDir, 'docs/reports', name)
  return {
    command: ['pnpm bench auth', ...args].join(' '),
    isProfile,
    isPinned: !values.unpinned,
    connections: wholeNumber('connections', values.connections ?? '32'),
    size: {
      rounds: wholeNumber('rounds', values.rounds ?? (isQuick ? '2' : '5')),
      windowMs: 1000 * wholeNumber('seconds', values.seconds ?? (isQuick ? '2' : '10')),
      leadInMs: 1000,
      patienceMs: 1000 * wholeNumber('patience', values.patience ?? (isQuick ? '5' : '60')),
    },
    selfRounds: isQuick ? 1 : 2,
    dir: values.dir ? from(values.dir) : join(repositoryDir, '.dev/bench-auth'),
    base: values['port-base'] === undefined ? undefined : wholeNumber('port-base', values['port-base']),
    reportFile: values.report ? from(values.report) : usual,
  }
}

const options = {
  ...commonOptions,
  profile: { type: 'boolean' },
  unpinned: { type: 'boolean' },
  connections: { type: 'string' },
} as const
