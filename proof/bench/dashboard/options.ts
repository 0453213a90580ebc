import { join, resolve } from 'node:path'
import { repositoryDir } from '@ars/tools/dev/server'
import { parseOptions, wholeNumber } from '../../lab/options.ts'

export type DashboardOptions = {
  /** As it was called, for the report. */
  command: string
  isQuick: boolean
  runs: number
  agents: number
  webhooks: number
  auditEntries: number
  /** How many runs one list loads by scrolling. */
  scrolledRuns: number
  /** How often a cold load is measured. */
  samples: number
  deltas: number
  dir: string
  base: number | undefined
  reportFile: string | undefined
}

export const dashboardHelp = `pnpm bench dashboard: the budgets of the dashboard, in a real Chromium against a real gateway.

Starts a stack (Postgres, Redis, Restate, a gateway and a worker) with the built files of the dashboard, fills one
organisation with runs, agents, webhooks and audit entries, and measures what a browser loads, how long pages and
interactions take, what a long list costs, and how busy a live run keeps the page; writes docs/reports/bench-dashboard.md.
Takes about 5 minutes. Stop other programs first.

  --quick             2,000 runs, 100 agents, few webhooks and audit entries, no report file
  --runs <n>          runs of the organisation (default 100000)
  --scrolled <n>      runs that one list loads by scrolling (default: all of them)
  --samples <n>       cold loads (default 5)
  --report <file>     where the report goes
  --port-base <n>     first of 20 ports (default: a free block)
  --dir <path>        where the stack's data lies; emptied first (default .dev/bench-dashboard)
`

const options = {
  quick: { type: 'boolean' },
  runs: { type: 'string' },
  scrolled: { type: 'string' },
  samples: { type: 'string' },
  report: { type: 'string' },
  'port-base': { type: 'string' },
  dir: { type: 'string' },
} as const

export const readDashboardOptions = (args: readonly string[]): DashboardOptions => {
  const { values } = parseOptions(args, options, dashboardHelp)
  const isQuick = values.quick ?? false
  const from = (path: string): string => resolve(process.env.INIT_CWD ?? '', path)
  const runs = wholeNumber('runs', values.runs ?? (isQuick ? '2000' : '100000'))
  const usual = isQuick ? undefined : join(repositoryDir, 'docs/reports/bench-dashboard.md')
  return {
    command: ['pnpm bench dashboard', ...args].join(' '),
    isQuick,
    runs,
    agents: isQuick ? 100 : 1_000,
    webhooks: isQuick ? 10 : 100,
    auditEntries: isQuick ? 200 : 5_000,
    scrolledRuns: Math.min(runs, wholeNumber('scrolled', values.scrolled ?? String(runs))),
    samples: wholeNumber('samples', values.samples ?? (isQuick ? '1' : '5')),
    deltas: 3_000,
    dir: values.dir ? from(values.dir) : join(repositoryDir, '.dev/bench-dashboard'),
    base: values['port-base'] === undefined ? undefined : wholeNumber('port-base', values['port-base']),
    reportFile: values.report ? from(values.report) : usual,
  }
}
