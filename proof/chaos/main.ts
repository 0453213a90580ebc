import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { hasHeld, inWords } from '../lab/report/outcome.ts'
import { stopStacksOnSignals } from '../lab/stack/temporary-stack.ts'
import { type How, type PlayStage, playStage } from './play.ts'
import { ciStages, scenarios } from './registry.ts'
import { brokenClaims, hasPassed, keepVerdict, type Verdict } from './report.ts'
import type { Scenario, SizeName } from './scenario.ts'

const help = `pnpm chaos [scenario...] [--ci | --full] [--seed <n>]: breaks parts of the service and checks its promises.

A scenario has the name of its row in the table of promises. Each runs on a separate stack (two gateways, two
workers, Postgres, Redis, Restate, toxic proxies between them). Faults are injected while clients work; then the data are
checked. Without names all scenarios run.

  --ci         the small sizes (the default); without names, scenarios share stacks where they can
  --full       the size of the promise
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

const playAll = async (stages: readonly PlayStage[], { size, seed, older }: How): Promise<number> => {
  stopStacksOnSignals()
  const begun = performance.now()
  const verdicts: Verdict[] = []
  console.log(`Seed ${seed}, size ${size}. Replay with --seed ${seed}.`)
  for (const stage of stages) {
    const played = await playAndTell(stage, { size, seed, older })
    for (const verdict of played) keepVerdict(verdict)
    verdicts.push(...played)
  }
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

const inOneWave = (wave: readonly Scenario[]): string => wave.map(({ name }) => name).join(' + ')

const tell = ({ scenario, own, seconds }: Verdict): void => {
  console.log(`\n${scenario.name}: ${scenario.promise}`)
  console.log(inWords(own))
  console.log(`  ${hasHeld(own) ? 'held' : 'BROKEN'} in ${Math.round(seconds)} s`)
}

const say = (text: string, code: number): number => {
  console.log(text)
  return code
}

// Sockets of clients and parts may still be closing; nothing of them is wanted any more.
process.exit(await main())
