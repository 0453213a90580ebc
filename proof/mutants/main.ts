import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { repositoryDir } from '@ars/tools/dev/server'
import { seededRandom } from '../lab/random.ts'
import { keepOutcome } from '../lab/report/keep.ts'
import { hasHeld, inWords as outcomeInWords } from '../lab/report/outcome.ts'
import { makeCopy, playInCopy, withFault } from './copy.ts'
import { draw, type Mutant } from './draw.ts'
import { failureOf, judge, type Plays, type Verdict } from './judge.ts'
import { equivalents, namedMutants } from './named.ts'
import { type Judged, minutesOf, outcomeOfDraw, outcomeOfNamed } from './outcome.ts'
import { readVerdicts, type Verdicts } from './verdicts.ts'

const help = `pnpm mutants [--named | --draw <n>] [--minutes <n>] [--list]: plants faults and looks whether a test finds them.

Each fault is planted alone in a copy of the last commit. A named fault is judged by the test files that it names, and only if they
pass by \`pnpm gate --affected\`; a drawn one by the gate at once. A play ends with the first failure. Without options, 20 faults
are drawn from the statements and rules of the run path.

  --named        plays the faults of proof/mutants/faults/
  --pick <n>     n of them, drawn by the seed
  --draw <n>     draws n faults: a condition or a lock of a statement is dropped, a bound moves by one, half of a rule is dropped
  --from <set>   the files to draw from: runs (the run path) or background (schedules, batches, pipelines, usage, alerts, budgets,
                 mail and moves)
  --seed <n>     the seed of the draw
  --only <t>     only faults whose name or file contains this text
  --minutes <n>  begins no further fault after this time. The next play goes on there: verdicts are kept in .dev/mutants until
                 a file of the product or of its tests changes
  --quick        does not ask the gate: a named fault that its tests do not find counts as not found, and is played again
  --again        forgets these verdicts
  --list         names the faults and plays none
`

const core = 'packages/core/src'
/** The files of each set. Layers above those of the run path hold no rules of their own. */
const sets = {
  runs: [
    `${core}/runs/{accept,queue,execute,control,feed,run}/*.ts`,
    `${core}/webhooks/deliver/*.ts`,
    `${core}/{access,limits}/*.ts`,
  ],
  background: [
    `${core}/{schedules,batches,pipelines,pipelines/run,usage,alerts,budgets,mail}/*.ts`,
    'apps/server/src/admin/{move-,organisation-}*.ts',
  ],
} as const satisfies Record<string, readonly string[]>
/** Of the proof `mutants-drawn`, whose short size is the first faults of the draw. */
const usual = { count: 20, from: 'runs', seed: '1' } as const
const maxMinutes = { tests: 10, gate: 25 }

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      draw: { type: 'string' },
      from: { type: 'string', default: usual.from },
      seed: { type: 'string', default: usual.seed },
      named: { type: 'boolean', default: false },
      pick: { type: 'string' },
      only: { type: 'string', default: '' },
      minutes: { type: 'string' },
      quick: { type: 'boolean', default: false },
      again: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const { named: isNamed, from, seed, only, pick } = values
  if (values.help) return say(help, 0)
  if (!isSet(from)) return say(`--from is one of: ${Object.keys(sets).join(', ')}`, 1)
  const count = Number(values.draw ?? usual.count)
  const chosen = (
    isNamed ? picked(namedMutants(read), pick, seed) : draw(sources(from), count, seededRandom(seed), equivalents(read))
  ).filter(({ name, file }) => `${name} ${file}`.includes(only))
  if (values.list) return say(chosen.map((mutant) => inWords(mutant)).join('\n'), 0)

  const untilMs = performance.now() + Number(values.minutes ?? Number.POSITIVE_INFINITY) * 60_000
  const judged = await judgeAll(chosen, { untilMs, isQuick: isNamed && values.quick, isForgotten: values.again })
  const left = chosen.length - judged.length
  if (left > 0) return say(`The time is used up. ${left} of ${chosen.length} faults are left: repeat the command.`, 1)
  const outcome = isNamed ? outcomeOfNamed(judged) : outcomeOfDraw(judged)
  console.log(outcomeInWords(outcome))
  const isUsual = from === usual.from && seed === usual.seed
  const isFull = isNamed ? pick === undefined : count >= usual.count
  const kept = { size: isFull ? 'full' : 'short', minutes: minutesOf(judged), outcome } as const
  if (only === '' && isNamed && !values.quick)
    keepOutcome({ proof: 'mutants-named', ...(!isFull && { seed }), ...kept })
  if (only === '' && !isNamed && isUsual) keepOutcome({ proof: 'mutants-drawn', seed, ...kept })
  return hasHeld(outcome) ? 0 : 1
}

const judgeAll = async (
  chosen: readonly Mutant[],
  { untilMs, isQuick, isForgotten }: { untilMs: number; isQuick: boolean; isForgotten: boolean },
): Promise<Judged[]> => {
  const verdicts = readVerdicts({ isForgotten })
  const isNew = (mutant: Mutant): boolean => verdicts.of(mutant) === undefined
  if (chosen.some(isNew)) {
    makeCopy()
    await requirePassing(
      chosen.filter(isNew).flatMap(({ tests = [] }) => tests),
      verdicts,
    )
  }
  const judged: Judged[] = []
  for (const [n, mutant] of chosen.entries()) {
    let verdict = verdicts.of(mutant)
    if (verdict === undefined) {
      if (performance.now() > untilMs) continue
      const begunMs = performance.now()
      const found = await withFault(mutant, () => judge(mutant, isQuick ? { ...plays, gate: noGate } : plays))
      verdict = { ...found, minutes: (performance.now() - begunMs) / 60_000 }
      if (!isQuick || verdict.found === 'test') verdicts.add(mutant, verdict)
    }
    judged.push({ mutant, verdict })
    console.log(lineOf(n + 1, { mutant, verdict }))
  }
  return judged
}

/** A test that fails without a fault finds nothing. */
const requirePassing = async (tests: readonly string[], verdicts: Verdicts): Promise<void> => {
  const files = [...new Set(tests)].filter((file) => !verdicts.hasPassed(file))
  if (files.length === 0) return
  const play = await playInCopy(testsCommand(files), maxMinutes.gate)
  const failure = play.status === null ? 'none has failed until the time limit' : failureOf(play)
  if (failure !== undefined) throw new Error(`The tests do not pass without a fault: ${failure}`)
  verdicts.addPassed(files)
}

const testsCommand = (files: readonly string[]): string[] => [
  'exec',
  'vitest',
  'run',
  '--project',
  'fast',
  '--project',
  'apart',
  '--bail=1',
  ...files,
]

const noGate: Plays['gate'] = async () => ({ status: 0, output: '' })

const plays: Plays = {
  tests: (files) => playInCopy(testsCommand(files), maxMinutes.tests),
  gate: () => playInCopy(['gate', '--affected', '--since', 'HEAD', '--bail'], maxMinutes.gate),
}

const picked = (mutants: readonly Mutant[], count: string | undefined, seed: string): readonly Mutant[] =>
  count === undefined ? mutants : seededRandom(seed).shuffle(mutants).slice(0, Number(count))

const read = (file: string): string => readFileSync(join(repositoryDir, file), 'utf8')

const isSet = (name: string): name is keyof typeof sets => Object.hasOwn(sets, name)

const sources = (from: keyof typeof sets): Map<string, string> =>
  new Map(
    sets[from]
      .flatMap((pattern) => globSync(pattern, { cwd: repositoryDir }))
      .toSorted()
      .map((file) => [file, read(file)]),
  )

const inWords = ({ name, file, at, from, to }: Mutant): string => {
  const line = read(file).slice(0, at).split('\n').length
  return `${name}: ${file}, line ${line}: ${flat(from)} → ${flat(to) || '(nothing)'}`
}

const flat = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 120)

const verdictInWords: Readonly<Record<Verdict['found'], string>> = {
  test: 'found',
  gate: 'found by the gate only',
  not: 'SURVIVED',
}

const lineOf = (n: number, { mutant, verdict: { found, by, minutes } }: Judged): string => {
  const words = found === 'gate' && mutant.tests === undefined ? verdictInWords.test : verdictInWords[found]
  return `${String(n).padStart(3)}  ${words}  ${minutes.toFixed(1)} min  ${inWords(mutant)}\n     ${by}`
}

const say = (text: string, code: number): number => {
  console.log(text)
  return code
}

process.exitCode = await main()
