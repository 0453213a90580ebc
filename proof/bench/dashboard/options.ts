import { type PlaceSettings, parseOptions, placeOptions, placeSettings, wholeNumber } from '../../lab/options.ts'

export type DashboardOptions = PlaceSettings & {
  runs: number
  agents: number
  webhooks: number
  auditEntries: number
  /** How many runs one list loads by scrolling. */
  scrolledRuns: number
  /** How often a cold load is measured. */
  samples: number
  deltas: number
}

export const dashboardHelp = `pnpm bench dashboard: the budgets of the dashboard, in a real Chromium against a real gateway.

Starts a stack (Postgres, Redis, Restate, a gateway and a worker) with the built files of the dashboard, fills one
organisation with runs, agents, webhooks and audit entries, and measures what a browser loads, how long pages and
interactions take, what a long list costs, and how busy a live run keeps the page.
Takes about 5 minutes. Stop other programs first.

  --quick             2,000 runs, 100 agents, few webhooks and audit entries
  --runs <n>          runs of the organisation (default 100000)
  --scrolled <n>      runs that one list loads by scrolling (default: all of them)
  --samples <n>       cold loads (default 5)
  --port-base <n>     first of 20 ports (default: a free block)
  --dir <path>        where the stack's data lies; emptied first (default .dev/bench-dashboard)
`

const options = {
  ...placeOptions,
  runs: { type: 'string' },
  scrolled: { type: 'string' },
  samples: { type: 'string' },
} as const

export const readDashboardOptions = (args: readonly string[]): DashboardOptions => {
  const { values } = parseOptions(args, options, dashboardHelp)
  const place = placeSettings('dashboard', args, values)
  const { isQuick } = place
  const runs = wholeNumber('runs', values.runs ?? (isQuick ? '2000' : '100000'))
  return {
    ...place,
    runs,
    agents: isQuick ? 100 : 1_000,
    webhooks: isQuick ? 10 : 100,
    auditEntries: isQuick ? 200 : 5_000,
    scrolledRuns: Math.min(runs, wholeNumber('scrolled', values.scrolled ?? String(runs))),
    samples: wholeNumber('samples', values.samples ?? (isQuick ? '1' : '5')),
    deltas: 3_000,
  }
}
