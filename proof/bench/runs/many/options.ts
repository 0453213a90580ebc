import { plans } from '@ars/contract'
import { type BenchSettings, benchSettings, commonOptions, parseOptions, wholeNumber } from '../../../lab/options.ts'

export type ManyOptions = BenchSettings & {
  organisations: number
  callers: number
  minutes: number
  /** Requests per second of the organisation that has used its calls. */
  refusedPerSecond: number
}

/** The full rate of the largest plan: an organisation that sends more is refused by its rate limit. */
const fullRatePerSecond = Math.floor(plans.enterprise.requestsPerMinute / 60)

export const manyHelp = `pnpm bench many: 1,000 organisations in turn over two gateways and two workers.

First all of them send runs for a while: runs and CPU per second, deadlocks, errors, lost and duplicate runs. Then
stretches without and with one organisation more, which has used its calls of the month and sends at the full rate of its
plan. A third kind of stretch has an organisation that sends as much and is refused by its rate limit, which costs
least. Takes about 8 minutes, with --full 17.

  --quick             20 s of runs, then 1 round of 4 s stretches
  --full              10 minutes of runs
  --minutes <n>       minutes of runs (default 1)
  --rounds <n>        rounds of six stretches (default 5)
  --seconds <n>       length of each stretch (default 10)
  --organisations <n> default 1000
  --callers <n>       callers of all organisations together, each with a connection (default 64)
  --rate <n>          requests per second of the organisation without calls (default ${fullRatePerSecond}, the full rate of the largest plan)
  --port-base <n>     first of 20 ports (default: a free block)
  --dir <path>        where the stack's data lies; emptied first (default .dev/bench-many)
`

export const readManyOptions = (args: readonly string[]): ManyOptions => {
  const { values } = parseOptions(args, options, manyHelp)
  const quick = values.quick ? { rounds: '1' } : {}
  const usualMinutes = values.full ? '10' : '1'
  return {
    ...benchSettings('many', args, { ...quick, ...values }, { quickSeconds: '4', leadInMs: 1000 }),
    organisations: wholeNumber('organisations', values.organisations ?? '1000'),
    callers: wholeNumber('callers', values.callers ?? '64'),
    minutes: values.quick ? 1 / 3 : wholeNumber('minutes', values.minutes ?? usualMinutes),
    refusedPerSecond: wholeNumber('rate', values.rate ?? String(fullRatePerSecond)),
  }
}

const options = {
  ...commonOptions,
  full: { type: 'boolean' },
  minutes: { type: 'string' },
  organisations: { type: 'string' },
  callers: { type: 'string' },
  rate: { type: 'string' },
} as const
