import { execFileSync, spawn } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { repositoryDir } from '@ars/tools/dev/server'
import { seededRandom } from '../lab/random.ts'
import { draw, type Mutant, planted } from './draw.ts'
import { equivalents, namedMutants } from './named.ts'

const help = `pnpm mutants [--draw <n>] [--from <set>] [--seed <n>] [--named] [--list]: plants faults and looks whether the gate turns red.

Each fault is planted alone in a copy of the last commit and judged with \`pnpm gate --affected\`, which ends with the first
failure. Without options, 20 faults are drawn from the statements and rules of the run path.

  --draw <n>   draws n faults: a condition or a lock of a statement is dropped, a bound moves by one, half of a rule is dropped
  --from <set> the files to draw from: runs (the run path) or background (schedules, batches, pipelines, usage, alerts, budgets,
               mail and moves)
  --seed <n>   the seed of the draw
  --named      plays the faults of proof/mutants/named.ts
  --only <t>   only faults whose name or file contains this text
  --list       names the faults and plays none
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
const maxMinutes = 25
const copy = join(repositoryDir, '.dev/mutants')

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      draw: { type: 'string' },
      from: { type: 'string', default: 'runs' },
      seed: { type: 'string', default: '1' },
      named: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return say(help, 0)
  if (!isSet(values.from)) return say(`--from is one of: ${Object.keys(sets).join(', ')}`, 1)
  const count = Number(values.draw ?? (values.named ? 0 : 20))
  const chosen = [
    ...(values.named ? namedMutants(read) : []),
    ...draw(sources(values.from), count, seededRandom(values.seed), equivalents(read)),
  ].filter(({ name, file }) => `${name} ${file}`.includes(values.only))
  if (values.list) return say(chosen.map((mutant) => inWords(mutant)).join('\n'), 0)
  makeCopy()
  const survived: Mutant[] = []
  for (const [n, mutant] of chosen.entries()) {
    const begun = performance.now()
    const found = await judge(mutant)
    if (found === undefined) survived.push(mutant)
    const minutes = ((performance.now() - begun) / 60_000).toFixed(1)
    console.log(
      `${String(n + 1).padStart(3)}  ${found === undefined ? 'SURVIVED' : 'killed'}  ${minutes} min  ${inWords(mutant)}\n     ${found ?? ''}`,
    )
  }
  return say(
    `${chosen.length - survived.length} of ${chosen.length} faults turned the gate red, seed ${values.seed}.`,
    survived.length > 0 ? 1 : 0,
  )
}

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

const makeCopy = (): void => {
  const git = (...words: string[]) => execFileSync('git', words, { cwd: repositoryDir, stdio: 'ignore' })
  rmSync(copy, { recursive: true, force: true })
  mkdirSync(join(copy, '..'), { recursive: true })
  git('worktree', 'prune')
  git('worktree', 'add', '--detach', copy, 'HEAD')
  execFileSync('pnpm', ['install', '--frozen-lockfile', '--prefer-offline'], { cwd: copy, stdio: 'ignore' })
}

/** The first test that noticed, or nothing. */
const judge = async (mutant: Mutant): Promise<string | undefined> => {
  const path = join(copy, mutant.file)
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, planted(text, mutant))
  try {
    const { status, output } = await playGate()
    // A play that was stopped at its time limit has found nothing.
    if (status === 0 || status === null) return undefined
    return /(?:FAIL|×) .*/.exec(output)?.[0] ?? `status ${status}: ${output.trimEnd().split('\n').at(-1)}`
  } finally {
    writeFileSync(path, text)
  }
}

/** The status is null after the time limit. */
const playGate = (): Promise<{ status: number | null; output: string }> =>
  new Promise((resolve) => {
    const gate = spawn('pnpm', ['gate', '--affected', '--since', 'HEAD', '--bail'], {
      cwd: copy,
      env: { ...process.env, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const output: string[] = []
    for (const stream of [gate.stdout, gate.stderr]) stream.on('data', (chunk) => output.push(String(chunk)))
    const timer = setTimeout(() => gate.pid && process.kill(-gate.pid, 'SIGTERM'), maxMinutes * 60_000)
    gate.on('close', (status) => {
      clearTimeout(timer)
      resolve({ status, output: output.join('') })
    })
  })

const say = (text: string, code: number): number => {
  console.log(text)
  return code
}

process.exitCode = await main()
