import { randomInt } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { repositoryDir } from '../dev/server.ts'
import { type Play, playTogether } from './play.ts'
import { ciPlays, scenarios } from './registry.ts'
import { hasHeld, hasPassed, inMarkdown, inWords, type Verdict } from './report.ts'
import type { Scenario, SizeName } from './scenario.ts'
import { stopStacksOnSignals } from './temporary-stack.ts'

const help = `pnpm chaos [scenario...] [--ci | --full] [--seed <n>]: breaks the service and looks whether it keeps its promises.

A scenario has the name of its row in the table of promises. Each is played on a stack of its own (two gateways, two
workers, Postgres, Redis, Restate, toxic proxies between them), which is broken while clients work; then what is left is
judged. Without names all are played.

  --ci         the small sizes (this is the default); without names, those that can share a stack do
  --full       the size of the promise; writes docs/reports/chaos-<scenario>.md
  --report     writes the report of the small size
  --seed <n>   draws the same victims and pauses again
  --list       one line for each scenario
  --help       this text
`

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      ci: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      report: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      seed: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return say(`${help}\n${list()}`, 0)
  if (values.list) return say(list(), 0)
  if (values.ci && values.full) return say('Choose --ci or --full, not both.', 2)
  const unknown = positionals.filter((name) => !find(name))
  if (unknown.length > 0) return say(`No scenario ${unknown.join(', ')}.\n\n${list()}`, 2)
  const chosen = positionals.flatMap((name) => find(name) ?? [])
  const size: SizeName = values.full ? 'full' : 'ci'
  const plays = chosen.length === 0 && size === 'ci' ? ciPlays : (chosen.length > 0 ? chosen : scenarios).map(alone)
  return playAll(plays, {
    size,
    seed: values.seed ?? String(randomInt(1, 2 ** 31)),
    report: values.full || values.report,
  })
}

function find(name: string): Scenario | undefined {
  return scenarios.find((scenario) => scenario.name.toLowerCase() === name.toLowerCase())
}

function alone(scenario: Scenario): Play {
  return { name: scenario.name, waves: [[scenario]] }
}

function list(): string {
  const width = Math.max(...scenarios.map(({ name }) => name.length))
  return scenarios.map(({ name, promise }) => `  ${name.padEnd(width)}  ${promise}`).join('\n')
}

async function playAll(
  plays: readonly Play[],
  { size, seed, report }: { size: SizeName; seed: string; report: boolean },
): Promise<number> {
  stopStacksOnSignals()
  const begun = performance.now()
  const verdicts: Verdict[] = []
  console.log(`Seed ${seed}, size ${size}. Replay with --seed ${seed}.`)
  for (const play of plays) {
    const names = play.waves.map((wave) => wave.map(({ name }) => name).join(' + '))
    console.log(`\nOn one stack: ${names.join(', then ')}`)
    const played = await playTogether(play, size, seed)
    for (const verdict of played) tell(verdict)
    const [first] = played
    if (first) console.log(`\nAfter all of it, ${hasHeld(first.common) ? 'held' : 'BROKEN'}:\n${inWords(first.common)}`)
    if (report) for (const verdict of played) writeReport(verdict)
    verdicts.push(...played)
  }
  const seconds = Math.round((performance.now() - begun) / 1000)
  const failed = verdicts.filter((verdict) => !hasPassed(verdict)).map(({ scenario }) => scenario.name)
  const passed = verdicts.length - failed.length
  const summary = `Chaos: ${passed} of ${verdicts.length} scenarios passed in ${seconds} s, seed ${seed}.`
  return say(`\n${summary}${failed.length > 0 ? ` Failed: ${failed.join(', ')}.` : ''}`, failed.length > 0 ? 1 : 0)
}

function tell({ scenario, own, seconds }: Verdict): void {
  console.log(`\n${scenario.name}: ${scenario.promise}`)
  console.log(inWords(own))
  console.log(`  ${hasHeld(own) ? 'held' : 'BROKEN'} in ${Math.round(seconds)} s`)
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
