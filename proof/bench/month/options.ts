import { type BenchSettings, benchSettings, commonOptions, parseOptions, wholeNumber } from '../../lab/options.ts'

export type MonthOptions = BenchSettings & { midnights: number; rows: number; days: number; callers: number }

export const monthHelp = `pnpm bench month: a month of partitions under load, and retention of large days.

Starts a stack with a gateway and a worker. While callers run test-echo, it creates and drops the partitions of all tables for
31 midnights, and counts responses by status and deadlocks. Then it fills three expired days by SQL and measures how long
retention takes to drop each. Takes about 30 minutes.

  --quick             5 midnights and 10,000 runs a day
  --midnights <n>     simulated midnights (default 31)
  --rows <n>          runs of each expired day (default 3300000)
  --days <n>          expired days (default 3)
  --callers <n>       concurrent callers (default 8)
  --port-base <n>     first of 20 ports (default: a free block)
  --dir <path>        where the stack's data lies; emptied first (default .dev/bench-month)
`

export const readMonthOptions = (args: readonly string[]): MonthOptions => {
  const { values } = parseOptions(args, options, monthHelp)
  return {
    ...benchSettings('month', args, values, { quickSeconds: '1', leadInMs: 0 }),
    midnights: wholeNumber('midnights', values.midnights ?? (values.quick ? '5' : '31')),
    rows: wholeNumber('rows', values.rows ?? (values.quick ? '10000' : '3300000')),
    days: wholeNumber('days', values.days ?? '3'),
    callers: wholeNumber('callers', values.callers ?? '8'),
  }
}

const options = {
  ...commonOptions,
  midnights: { type: 'string' },
  rows: { type: 'string' },
  days: { type: 'string' },
  callers: { type: 'string' },
} as const
