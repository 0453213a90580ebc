import { PartError } from '../dev/parts/part.ts'
import { authHelp, benchAuth } from './auth.ts'
import { benchList, listHelp } from './list.ts'
import { benchRuns, runsHelp } from './runs.ts'
import { benchStream, streamHelp } from './stream.ts'
import { benchWebhooks, webhooksHelp } from './webhooks.ts'

interface Bench {
  summary: string
  help: string
  /** Answers whether everything that was measured was also right. */
  run(args: readonly string[]): Promise<boolean>
}

const benches: Record<string, Bench> = {
  auth: {
    summary: 'a warm authenticated read against bare Node, and a refused one against an allowed one',
    help: authHelp,
    run: benchAuth,
  },
  list: {
    summary: 'GET /runs on millions of runs against reading one by its id',
    help: listHelp,
    run: benchList,
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
  webhooks: {
    summary: 'deliveries of webhooks against a bare loop that signs and sends',
    help: webhooksHelp,
    run: benchWebhooks,
  },
}

async function main([name, ...args]: readonly string[]): Promise<void> {
  if (name === undefined || name === '--help' || name === '-h') {
    console.log(overview())
    return
  }
  const bench = benches[name]
  if (!bench) throw new PartError(`There is no bench ${name}.\n\n${overview()}`)
  if (args.includes('--help') || args.includes('-h')) {
    console.log(bench.help)
    return
  }
  if (!(await bench.run(args))) process.exitCode = 1
}

function overview(): string {
  const lines = Object.entries(benches).map(([name, { summary }]) => `  ${name.padEnd(8)} ${summary}`)
  return `pnpm bench <name>: measures the service on this computer, side by side with something to compare it to.

${lines.join('\n')}

\`pnpm bench <name> --help\` tells more. A measurement wants the computer for itself.`
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof PartError ? error.message : error)
  process.exitCode = 1
}
