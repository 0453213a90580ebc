import { type BenchSettings, benchSettings, commonOptions, parseOptions, wholeNumber } from '../../lab/options.ts'

export type AnalyticsOptions = BenchSettings & { runs: readonly number[]; agents: number; calls: number }

export const analyticsHelp = `pnpm bench analytics: GET /analytics on a month of runs, at two sizes.

Starts a stack, plants ended runs over 30 days by SQL and counts them as the sweep does. At each size it measures
GET /analytics for 30 days by hour over HTTPS, and the rows of figures that its statements read (explain analyze). Takes about 30 minutes.

  --quick             5,000 and 50,000 runs
  --runs <n,n>        runs at each size (default 500000,5000000)
  --agents <n>        agents (default 40)
  --calls <n>         calls at each size (default 200)
  --port-base <n>     first of 20 ports (default: a free block)
  --dir <path>        where the stack's data lies; emptied first (default .dev/bench-analytics)
`

export const readAnalyticsOptions = (args: readonly string[]): AnalyticsOptions => {
  const { values } = parseOptions(args, options, analyticsHelp)
  const sizes = values.runs ?? (values.quick ? '5000,50000' : '500000,5000000')
  return {
    ...benchSettings('analytics', args, values, { quickSeconds: '1', leadInMs: 0 }),
    runs: sizes.split(',').map((text) => wholeNumber('runs', text)),
    agents: wholeNumber('agents', values.agents ?? '40'),
    calls: wholeNumber('calls', values.calls ?? (values.quick ? '30' : '200')),
  }
}

const options = {
  ...commonOptions,
  runs: { type: 'string' },
  agents: { type: 'string' },
  calls: { type: 'string' },
} as const
