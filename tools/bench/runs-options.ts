import { join, resolve } from 'node:path'
import { repositoryDir } from '../dev/server.ts'
import { commonOptions, parseOptions, wholeNumber } from './options.ts'
import type { RoundSize } from './rounds.ts'

export interface RunsOptions {
  isQuick: boolean
  isProfile: boolean
  isPinned: boolean
  /** Levels of closed-loop load, for throughput. */
  callers: number[]
  size: RoundSize
  selfRounds: number
  warmUpMs: number
  dir: string
  /** First port of the block; without it a free block is looked for. */
  base: number | undefined
  /** Where the report goes; without it, it is only printed. */
  reportFile: string | undefined
}

export const runsHelp = `pnpm bench runs: POST /runs on test-echo against the same one-step handler behind the engine's own ingress.

Starts a stack of its own (Postgres with fsync, Redis, Restate, a gateway, a worker, the control), compares the control
with itself, then service and control in rounds of control, service, service, control; checks every answered run in the
database; writes docs/reports/bench-runs.md. Takes about 16 minutes and wants the computer for itself.

  --quick             2 rounds of 4 s windows: a first look in about 2 minutes, no report file
  --rounds <n>        rounds that must count, per level (default 5)
  --seconds <n>       length of each of a round's four windows (default 10)
  --callers <a,b>     levels of load (default 16,64)
  --patience <s>      how long a round waits for other programs on the computer to become quiet (default 120)
  --pin               everything on the first CPU but the generator, which gets the second
  --profile           instead: gateway and worker under the CPU profiler, and Postgres' costliest statements
  --report <file>     where the report goes
  --port-base <n>     first of 20 ports (default: a free block)
  --dir <path>        where the stack's data lies; emptied first (default .dev/bench)
`

export function readRunsOptions(args: readonly string[]): RunsOptions {
  const { values } = parseOptions(args, options, runsHelp)
  const isQuick = values.quick ?? false
  const isProfile = values.profile ?? false
  const reportName = isProfile ? 'bench-runs-profile.md' : 'bench-runs.md'
  const defaultReport = isQuick ? undefined : join(repositoryDir, 'docs/reports', reportName)
  const from = (path: string): string => resolve(process.env.INIT_CWD ?? '', path)
  return {
    isQuick,
    isProfile,
    isPinned: values.pin ?? false,
    callers: (values.callers ?? '16,64').split(',').map((one) => wholeNumber('callers', one)),
    size: {
      rounds: wholeNumber('rounds', values.rounds ?? (isQuick ? '2' : '5')),
      windowMs: 1000 * wholeNumber('seconds', values.seconds ?? (isQuick ? '4' : '10')),
      leadInMs: isQuick ? 500 : 1000,
      patienceMs: 1000 * wholeNumber('patience', values.patience ?? (isQuick ? '20' : '120')),
    },
    selfRounds: isQuick ? 1 : 2,
    warmUpMs: isQuick ? 5000 : 15_000,
    dir: values.dir ? from(values.dir) : join(repositoryDir, '.dev/bench'),
    base: values['port-base'] === undefined ? undefined : wholeNumber('port-base', values['port-base']),
    reportFile: values.report ? from(values.report) : defaultReport,
  }
}

const options = {
  ...commonOptions,
  profile: { type: 'boolean' },
  pin: { type: 'boolean' },
  callers: { type: 'string' },
} as const
