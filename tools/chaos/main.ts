import { randomInt } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { repositoryDir } from '../dev/server.ts'
import { playScenario } from './play.ts'
import { scenarios } from './registry.ts'
import { hasPassed, inMarkdown, inWords, type Verdict } from './report.ts'
import type { Scenario, SizeName } from './scenario.ts'
import { stopStacksOnSignals } from './temporary-stack.ts'

const help = `pnpm chaos [scenario...] [--ci | --full] [--seed <n>]: breaks the service and looks whether it keeps its promises.

Each scenario starts a stack of its own (two gateways, two workers, Postgres, Redis, Restate), breaks it while clients
work, and judges what is left. Without names all are played.

  --ci         the small size (this is the default)
  --full       the size of the promise; writes docs/reports/chaos-<scenario>.md
  --seed <n>   draws the same victims and pauses again
  --help       this text

${scenarios.map(({ name, promise }) => `  ${name.padEnd(14)} ${promise}`).join('\n')}
`

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      ci: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      seed: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return say(help, 0)
  if (values.ci && values.full) return say('Choose --ci or --full, not both.', 2)
  const unknown = positionals.filter((name) => !scenarios.some((scenario) => scenario.name === name))
  if (unknown.length > 0) return say(`No scenario ${unknown.join(', ')}.\n\n${help}`, 2)
  const chosen = positionals.length === 0 ? scenarios : scenarios.filter(({ name }) => positionals.includes(name))
  return playAll(chosen, values.full ? 'full' : 'ci', values.seed ?? String(randomInt(1, 2 ** 31)))
}

async function playAll(chosen: readonly Scenario[], size: SizeName, seed: string): Promise<number> {
  stopStacksOnSignals()
  const begun = performance.now()
  const failed: string[] = []
  console.log(`Seed ${seed}, size ${size}. Replay with --seed ${seed}.`)
  for (const scenario of chosen) {
    console.log(`\n${scenario.name}: ${scenario.promise}`)
    const verdict = await playScenario(scenario, size, seed)
    console.log(inWords(verdict))
    console.log(`  ${hasPassed(verdict) ? 'passed' : 'FAILED'} in ${Math.round(verdict.seconds)} s`)
    if (!hasPassed(verdict)) failed.push(scenario.name)
    if (size === 'full') writeReport(verdict)
  }
  const seconds = Math.round((performance.now() - begun) / 1000)
  const passed = chosen.length - failed.length
  const summary = `Chaos: ${passed} of ${chosen.length} scenarios passed in ${seconds} s, seed ${seed}.`
  return say(`\n${summary}${failed.length > 0 ? ` Failed: ${failed.join(', ')}.` : ''}`, failed.length > 0 ? 1 : 0)
}

function writeReport(verdict: Verdict): void {
  const folder = join(repositoryDir, 'docs', 'reports')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `chaos-${verdict.scenario.name}.md`), inMarkdown(verdict))
}

function say(text: string, code: number): number {
  console.log(text)
  return code
}

// Sockets of clients and parts may still be closing; nothing of them is wanted any more.
process.exit(await main())
