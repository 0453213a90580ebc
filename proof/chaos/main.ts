import { randomInt } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { repositoryDir } from '@ars/tools/dev/server'
import { hasHeld, inWords } from '../lab/report/outcome.ts'
import { stopStacksOnSignals } from '../lab/stack/temporary-stack.ts'
import { type How, type PlayStage, playStage } from './play.ts'
import { ciStages, scenarios } from './registry.ts'
import { brokenClaims, hasPassed, inMarkdown, isWorthAnother, type Verdict } from './report.ts'
import type { Scenario, SizeName } from './scenario.ts'

const help = `pnpm chaos [scenario...] [--ci | --full] [--seed <n>]: breaks parts of the service and checks its promises.

A scenario has the name of its row in the table of promises. Each runs on a separate stack (two gateways, two
workers, Postgres, Redis, Restate, toxic proxies between them). Faults are injected while clients work; then the data are
checked. Without names all scenarios run.

  --ci         the small sizes (the default); without names, scenarios share stacks where they can
  --full       the size of the promise; writes docs/reports/chaos-<scenario>.md
  --report     writes the report of the small size
  --older <d>  starts the workers from a checkout of an earlier commit (for R12 and worker-moves). The database has the
               schema of this one, so no migration in between may require that all processes stop
  --set <n>=<v>  changes a number of the size of the named scenarios, such as cases=500; may be repeated
  --seed <n>   repeats the victims and pauses of an earlier run
  --list       one line for each scenario
  --help       this text
`

const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      ci: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      report: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      older: { type: 'string' },
      seed: { type: 'string' },
      set: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return say(`${help}\n${list()}`, 0)
  if (values.list) return say(list(), 0)
  if (values.ci && values.full) return say('Choose --ci or --full, not both.', 2)
  const unknown = positionals.filter((name) => !find(name))
  if (unknown.length > 0) return say(`No scenario ${unknown.join(', ')}.\n\n${list()}`, 2)
  const changes = Object.fromEntries(values.set.map((each) => toChange(each)))
  const named = positionals.flatMap((name) => find(name) ?? [])
  const wrong = Object.entries(changes).filter(
    ([name, value]) => !named.every(hasNumber(name)) || !Number.isInteger(value),
  )
  if (wrong.length > 0) return say(`No such number in the sizes: ${wrong.map(([name]) => name).join(', ')}.`, 2)
  const chosen = values.set.length > 0 ? named.map((scenario) => scenario.resized(changes)) : named
  const size: SizeName = values.full ? 'full' : 'ci'
  const stages = chosen.length === 0 && size === 'ci' ? ciStages : (chosen.length > 0 ? chosen : scenarios).map(alone)
  return playAll(stages, {
    size,
    seed: values.seed ?? String(randomInt(1, 2 ** 31)),
    older: values.older,
    report: values.full || values.report,
  })
}

const find = (name: string): Scenario | undefined =>
  scenarios.find((scenario) => scenario.name.toLowerCase() === name.toLowerCase())

const toChange = (text: string): [string, number] => {
  const [name = '', value = ''] = text.split('=')
  return [name, Number(value || Number.NaN)]
}

const hasNumber =
  (name: string) =>
  ({ sizes }: Scenario): boolean =>
    typeof (sizes.ci as Record<string, unknown>)[name] === 'number'

const alone = (scenario: Scenario): PlayStage => [{ name: scenario.name, waves: [[scenario]] }]

const list = (): string => {
  const width = Math.max(...scenarios.map(({ name }) => name.length))
  return scenarios.map(({ name, promise }) => `  ${name.padEnd(width)}  ${promise}`).join('\n')
}

const playAll = async (
  stages: readonly PlayStage[],
  { size, seed, older, report }: How & { report: boolean },
): Promise<number> => {
  stopStacksOnSignals()
  const begun = performance.now()
  const verdicts: Verdict[] = []
  console.log(`Seed ${seed}, size ${size}. Replay with --seed ${seed}.`)
  for (const stage of stages) verdicts.push(...(await playAndTell(stage, { size, seed, older })))
  if (size === 'ci') await playAgain(verdicts, { seed, older })
  if (report) for (const verdict of verdicts) writeReport(verdict)
  const seconds = Math.round((performance.now() - begun) / 1000)
  const failed = verdicts.filter((verdict) => !hasPassed(verdict))
  const passed = verdicts.length - failed.length
  const summary = `Chaos: ${passed} of ${verdicts.length} scenarios passed in ${seconds} s, seed ${seed}.`
  // At the end of a long log: what broke, so that nobody has to search for it.
  const broken = new Set(failed.flatMap(brokenClaims))
  const names = failed.length > 0 ? ` Failed: ${failed.map(({ scenario }) => scenario.name).join(', ')}.` : ''
  return say(['', ...broken, `${summary}${names}`].join('\n'), failed.length > 0 ? 1 : 0)
}

const playAndTell = async (stage: PlayStage, how: How): Promise<Verdict[]> => {
  for (const play of stage) console.log(`\nStack ${play.name}: ${play.waves.map(inOneWave).join(', then ')}`)
  const played = await playStage(stage, how)
  for (const [at, ofPlay] of played.entries()) {
    for (const verdict of ofPlay) tell(verdict)
    const common = ofPlay[0]?.common
    if (common) console.log(`\nStack ${stage[at]?.name}, ${hasHeld(common) ? 'held' : 'BROKEN'}:\n${inWords(common)}`)
  }
  return played.flat()
}

/** More than this is no accident of the computer. */
const maxPlayedAgain = 12
/** Other load can spoil a play more than once; a defect spoils each of them. */
const maxPlaysAgain = 3
/** For all of them together. A play that has begun is finished. */
const playAgainMs = 15 * 60_000

/** The last verdict counts. It is given on a stack that shares the computer with no other. */
const playAgain = async (verdicts: Verdict[], { seed, older }: Omit<How, 'size'>): Promise<void> => {
  const spoilt = verdicts.filter(isWorthAnother)
  if (spoilt.length > maxPlayedAgain) return
  const untilMs = performance.now() + playAgainMs
  for (const first of spoilt) {
    let last = first
    for (let n = 1; n <= maxPlaysAgain && isWorthAnother(last) && performance.now() < untilMs; n++) {
      console.log(`\n${last.scenario.name} is played once more, alone: only claims that depend on speed were broken.`)
      const [again] = await playAndTell(alone(last.scenario), { size: last.size, seed: `${seed}/again-${n}`, older })
      if (again) last = again
    }
    verdicts[verdicts.indexOf(first)] = last
  }
}

const inOneWave = (wave: readonly Scenario[]): string => wave.map(({ name }) => name).join(' + ')

const tell = ({ scenario, own, seconds }: Verdict): void => {
  console.log(`\n${scenario.name}: ${scenario.promise}`)
  console.log(inWords(own))
  console.log(`  ${hasHeld(own) ? 'held' : 'BROKEN'} in ${Math.round(seconds)} s`)
}

const writeReport = (verdict: Verdict): void => {
  const folder = join(repositoryDir, 'docs', 'reports')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `chaos-${verdict.scenario.name}.md`), inMarkdown(verdict))
}

const say = (text: string, code: number): number => {
  console.log(text)
  return code
}

// Sockets of clients and parts may still be closing; nothing of them is wanted any more.
process.exit(await main())
