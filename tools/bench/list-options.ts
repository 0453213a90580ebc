import { join, resolve } from 'node:path'
import { repositoryDir } from '../dev/server.ts'
import { commonOptions, parseOptions, wholeNumber } from './options.ts'
import type { RoundSize } from './rounds.ts'

export interface ListOptions {
  /** As it was called, for the report. */
  command: string
  isQuick: boolean
  rows: number
  days: number
  size: RoundSize
  selfRounds: number
  dir: string
  /** First port of the block; without it a free block is looked for. */
  base: number | undefined
  /** Where the report goes; without it, it is only printed. */
  reportFile: string | undefined
}

export const listHelp = `pnpm bench list: GET /runs on many runs against reading one run by its id.

Starts a stack of its own (Postgres with fsync, Redis, Restate, a gateway), fills it with ended runs over 30 days, three of five
in one organisation, walks 1,000 pages, then compares in rounds of control, subject, subject, control: page 1 with a read by
primary key, page 1,000 with page 1, in the database and over HTTPS; writes docs/reports/bench-list.md. Takes about 20
minutes and wants the computer for itself.

  --quick             200,000 runs and 2 rounds of 2 s windows, no report file
  --rows <n>          how many runs (default 5000000)
  --rounds <n>        rounds that must count, per comparison (default 5)
  --seconds <n>       length of each of a round's four windows (default 10)
  --patience <s>      how long a round waits for other programs on the computer to become quiet (default 60)
  --report <file>     where the report goes
  --port-base <n>     first of 20 ports (default: a free block)
  --dir <path>        where the stack's data lies; emptied first (default .dev/bench-list)
`

export function readListOptions(args: readonly string[]): ListOptions {
  const { values } = parseOptions(args, options, listHelp)
  const isQuick = values.quick ?? false
  const usual = isQuick ? undefined : join(repositoryDir, 'docs/reports/bench-list.md')
  const from = (path: string): string => resolve(process.env.INIT_CWD ?? '', path)
  return {
    command: ['pnpm bench list', ...args].join(' '),
    isQuick,
    rows: wholeNumber('rows', values.rows ?? (isQuick ? '200000' : '5000000')),
    days: 30,
    size: {
      rounds: wholeNumber('rounds', values.rounds ?? (isQuick ? '2' : '5')),
      windowMs: 1000 * wholeNumber('seconds', values.seconds ?? (isQuick ? '2' : '10')),
      leadInMs: isQuick ? 200 : 500,
      patienceMs: 1000 * wholeNumber('patience', values.patience ?? (isQuick ? '5' : '60')),
    },
    selfRounds: isQuick ? 1 : 2,
    dir: values.dir ? from(values.dir) : join(repositoryDir, '.dev/bench-list'),
    base: values['port-base'] === undefined ? undefined : wholeNumber('port-base', values['port-base']),
    reportFile: values.report ? from(values.report) : usual,
  }
}

const options = {
  ...commonOptions,
  rows: { type: 'string' },
} as const
