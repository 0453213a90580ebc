import { resolve } from 'node:path'
import { type BenchSettings, benchSettings, commonOptions, parseOptions, wholeNumber } from '../../lab/options.ts'

export type RunsOptions = BenchSettings & {
  isPinned: boolean
  /** The worktree to compare this one with, instead of the bare engine. */
  against: string | undefined
  /** The share of the runs of this worktree that are traced. Undefined: no collector. */
  traces: string | undefined
  /** Whether a policy with five rules judges the runs of this worktree. */
  hasRules: boolean
  /** How many organisations the calls are made for, in turn. */
  organisations: number
  /** Levels of closed-loop load, for throughput. */
  callers: number[]
  warmUpMs: number
}

export const runsHelp = `pnpm bench runs: POST /runs on test-echo against the same one-step handler behind the engine's own ingress.

Starts a stack (Postgres with fsync, Redis, Restate, a gateway, a worker, the control), compares the control
with itself, then service and control in rounds of control, service, service, control; checks every answered run in the
database. Takes about 16 minutes. Stop other programs first.

  --quick             2 rounds of 4 s windows: a first look in about 2 minutes
  --rounds <n>        rounds that must count, per level (default 5)
  --seconds <n>       length of each of a round's four windows (default 10)
  --callers <a,b>     levels of load (default 16,64)
  --organisations <n> calls are made for this many organisations in turn (default 1); with --against on both sides. The aim
                      with 1000 and 64 callers is 0.55
  --patience <s>      how long a round waits for other programs on the computer to become quiet (default 120)
  --pin               everything on the first CPU but the generator, which gets the second
  --profile           instead: gateway and worker under the CPU profiler, and Postgres' costliest statements
  --against <path>    instead: CPU time per run of the worktree at <path> and of this one, each on a separate stack, in
                      rounds of old, new, new, old (default 16 rounds of 7 s windows, 16 callers: about 11 minutes)
  --traces <ratio>    with --against: this worktree sends traces of that share of its runs to a collector, for example 0.1. The
                      other worktree may be this one too; the bar for 0.1 is a ratio of 0.93
  --rules             with --against: a policy with five deterministic rules judges the runs of this worktree. The other worktree
                      may be this one too; the bar is a ratio of 0.9
  --port-base <n>     first of 20 ports (default: a free block)
  --dir <path>        where the stack's data lies; emptied first (default .dev/bench)
`

export const readRunsOptions = (args: readonly string[]): RunsOptions => {
  const { values } = parseOptions(args, options, runsHelp)
  const defaults = { quickSeconds: '4', leadInMs: [500, 1000], patience: ['20', '120'], dir: '.dev/bench' } as const
  const against = values.against === undefined ? undefined : resolve(process.env.INIT_CWD ?? '', values.against)
  const organisations = wholeNumber('organisations', values.organisations ?? '1')
  const sized = against && !values.quick ? { ...compareSize, ...values } : values
  const settings = benchSettings('runs', args, sized, defaults)
  return {
    ...settings,
    isPinned: values.pin ?? false,
    against,
    traces: values.traces,
    hasRules: values.rules ?? false,
    organisations,
    callers: (sized.callers ?? '16,64').split(',').map((one) => wholeNumber('callers', one)),
    warmUpMs: values.quick ? 5000 : 15_000,
  }
}

/** 64 windows with their lead-in, the start of two stacks and their warm-up take about 11 minutes. */
const compareSize = { rounds: '16', seconds: '7', callers: '16' } as const

const options = {
  ...commonOptions,
  profile: { type: 'boolean' },
  pin: { type: 'boolean' },
  against: { type: 'string' },
  traces: { type: 'string' },
  rules: { type: 'boolean' },
  callers: { type: 'string' },
  organisations: { type: 'string' },
} as const
