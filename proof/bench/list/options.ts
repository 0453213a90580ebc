import { type BenchSettings, benchSettings, commonOptions, parseOptions, wholeNumber } from '../../lab/options.ts'

export type ListOptions = BenchSettings & {
  rows: number
  days: number
}

export const listHelp = `pnpm bench list: GET /runs on many runs against reading one run by its id.

Starts a stack (Postgres with fsync, Redis, Restate, a gateway), fills it with ended runs over 30 days, three of five
in one organisation, walks 1,000 pages, then compares in rounds of control, subject, subject, control: page 1 with a read by
primary key, page 1,000 with page 1, in the database and over HTTPS. Takes about 20
minutes. Stop other programs first.

  --quick             200,000 runs and 2 rounds of 2 s windows
  --rows <n>          how many runs (default 5000000)
  --rounds <n>        rounds that must count, per comparison (default 5)
  --seconds <n>       length of each of a round's four windows (default 10)
  --patience <s>      how long a round waits for other programs on the computer to become quiet (default 60)
  --port-base <n>     first of 20 ports (default: a free block)
  --dir <path>        where the stack's data lies; emptied first (default .dev/bench-list)
`

export const readListOptions = (args: readonly string[]): ListOptions => {
  const { values } = parseOptions(args, options, listHelp)
  return {
    ...benchSettings('list', args, values, { quickSeconds: '2', leadInMs: [200, 500] }),
    rows: wholeNumber('rows', values.rows ?? (values.quick ? '200000' : '5000000')),
    days: 30,
  }
}

const options = {
  ...commonOptions,
  rows: { type: 'string' },
} as const
