import { PartError } from '@ars/tools/dev/parts/part'
import { analyticsHelp, benchAnalytics } from './analytics/bench.ts'
import { authHelp, benchAuth } from './auth/bench.ts'
import { backgroundHelp, benchBackground } from './background/bench.ts'
import { benchDashboard, dashboardHelp } from './dashboard/bench.ts'
import { benchList, listHelp } from './list/bench.ts'
import { benchMonth, monthHelp } from './month/bench.ts'
import { benchRuns, runsHelp } from './runs/bench.ts'
import { benchCapacity, capacityHelp } from './runs/capacity/bench.ts'
import { benchMany, manyHelp } from './runs/many/bench.ts'
import { benchPeers, peersHelp } from './runs/peers/bench.ts'
import { benchStream, streamHelp } from './stream/bench.ts'
import { benchTrial, trialHelp } from './trial/bench.ts'
import { benchWebhooks, webhooksHelp } from './webhooks/bench.ts'

type Bench = {
  summary: string
  help: string
  /** Answers whether everything that was measured was also right. */
  run(args: readonly string[]): Promise<boolean>
}

const benches: Record<string, Bench> = {
  analytics: {
    summary: 'GET /analytics on a month of runs, at two sizes',
    help: analyticsHelp,
    run: benchAnalytics,
  },
  auth: {
    summary: 'a warm authenticated read against bare Node, and a refused one against an allowed one',
    help: authHelp,
    run: benchAuth,
  },
  background: {
    summary: 'interactive runs beside a batch and beside schedules, and the cost of a fan-out',
    help: backgroundHelp,
    run: benchBackground,
  },
  capacity: {
    summary: 'computes what a demand needs; with --measure, compares that with real runs',
    help: capacityHelp,
    run: benchCapacity,
  },
  dashboard: {
    summary: 'what the dashboard loads and how fast it is in Chromium, in a large organisation',
    help: dashboardHelp,
    run: benchDashboard,
  },
  list: {
    summary: 'GET /runs on millions of runs against reading one by its id',
    help: listHelp,
    run: benchList,
  },
  many: {
    summary: '1,000 organisations over two gateways, and one of them out of quota beside the others',
    help: manyHelp,
    run: benchMany,
  },
  month: {
    summary: 'partitions created and dropped for a month under load, and retention of large days',
    help: monthHelp,
    run: benchMonth,
  },
  peers: {
    summary: 'runs of two steps on other products, which it installs, beside ours',
    help: peersHelp,
    run: benchPeers,
  },
  runs: {
    summary: 'POST /runs on test-echo against the same handler behind the engine’s own ingress',
    help: runsHelp,
    run: benchRuns,
  },
  stream: {
    summary: 'open streams of runs against a bare Node server',
    help: streamHelp,
    run: benchStream,
  },
  trial: {
    summary: 'a trial of a policy on stored runs',
    help: trialHelp,
    run: benchTrial,
  },
  webhooks: {
    summary: 'deliveries of webhooks against a bare loop that signs and sends',
    help: webhooksHelp,
    run: benchWebhooks,
  },
}

const main = async ([name, ...args]: readonly string[]): Promise<void> => {
  if (name === undefined || name === '--help' || name === '-h') {
    console.log(overview())
    return
  }
  const bench = benches[name]
  if (!bench) throw new PartError(`Unknown bench: ${name}.\n\n${overview()}`)
  if (args.includes('--help') || args.includes('-h')) {
    console.log(bench.help)
    return
  }
  if (!(await bench.run(args))) process.exitCode = 1
}

const overview = (): string => {
  const lines = Object.entries(benches).map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`)
  return `pnpm bench <name>: measures the service on this computer against a control.

${lines.join('\n')}

Run \`pnpm bench <name> --help\` for the options. Stop other programs before you measure.`
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof PartError ? error.message : error)
  process.exitCode = 1
}
