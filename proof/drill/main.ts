import { parseArgs } from 'node:util'
import { PartError } from '@ars/tools/dev/parts/part'
import { keepOutcome } from '../lab/report/keep.ts'
import { brokenOf, hasHeld, inWords, measured, type Outcome } from '../lab/report/outcome.ts'
import { tell } from '../lab/report/progress.ts'
import { stopStacksOnSignals } from '../lab/stack/temporary-stack.ts'
import type { Drill, SizeName } from './drill.ts'
import { failover } from './failover/failover.ts'
import { idle } from './idle.ts'
import { majors } from './majors.ts'
import { move } from './move.ts'
import { restoreDrill } from './restore.ts'
import { upgrade } from './upgrade/upgrade.ts'

/** Without names they are played in this order. */
const drills: readonly Drill[] = [failover, restoreDrill, upgrade, move, idle, majors]

const help = `pnpm drill [name...] [--full]: rehearses disasters and changes that operators must survive.

Each drill starts its parts on free ports in a temporary folder, plays the event while clients work, and checks the data
afterwards. Without names all drills are played.

  --full         the size of the promise
  --set <n>=<v>  changes a number of the size of the named drills, such as runs=500; may be repeated
  --from <c>     the commit of the older release, for upgrade. Without it, the last one that changed db/baseline.sql
  --keep         keeps the files of a drill that failed
  --list         one line for each drill
  --help         this text
`

type How = { size: SizeName; from: string | undefined; keepFiles: boolean }

const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      full: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      from: { type: 'string' },
      set: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return say(`${help}\n${list()}`, 0)
  if (values.list) return say(list(), 0)
  const unknown = positionals.filter((name) => !find(name))
  if (unknown.length > 0) return say(`No drill ${unknown.join(', ')}.\n\n${list()}`, 2)
  const named = positionals.flatMap((name) => find(name) ?? [])
  const changes = Object.fromEntries(values.set.map((each) => toChange(each)))
  const wrong = Object.entries(changes).filter(
    ([name, value]) => named.length === 0 || !named.every(hasNumber(name)) || !Number.isInteger(value),
  )
  if (wrong.length > 0) return say(`No such number in the sizes: ${wrong.map(([name]) => name).join(', ')}.`, 2)
  const chosen = (named.length > 0 ? named : drills).map((each) =>
    values.set.length > 0 ? each.resized(changes) : each,
  )
  return playAll(chosen, {
    size: values.full ? 'full' : 'ci',
    from: values.from,
    keepFiles: values.keep,
  })
}

const playAll = async (chosen: readonly Drill[], how: How): Promise<number> => {
  stopStacksOnSignals()
  const failed: string[] = []
  for (const each of chosen) {
    const outcome = await playAndTell(each, how)
    if (!hasHeld(outcome)) failed.push(...brokenOf(outcome).map((words) => `${each.name}: ${words}`))
  }
  const broken = new Set(failed.map((line) => line.split(':')[0])).size
  const summary = `Drills: ${chosen.length - broken} of ${chosen.length} passed, size ${how.size}.`
  return say(['', ...failed, summary].join('\n'), failed.length > 0 ? 1 : 0)
}

const playAndTell = async (each: Drill, how: How): Promise<Outcome> => {
  console.log(`\n${each.name}: ${each.promise}`)
  const begun = performance.now()
  const outcome = await each
    .play({ say: tell, from: how.from, keepFiles: how.keepFiles }, how.size)
    .catch((error: unknown): Outcome => {
      console.error(error instanceof PartError ? error.message : error)
      return {
        metrics: [['stopped', 'by an error']],
        claims: [measured('the drill ends', false, String(error))],
      }
    })
  const seconds = Math.round((performance.now() - begun) / 1000)
  console.log(`${inWords(outcome)}\n  ${hasHeld(outcome) ? 'held' : 'BROKEN'} in ${seconds} s`)
  if (each.changes === undefined) {
    keepOutcome({ proof: `drill-${each.name}`, size: how.size === 'ci' ? 'short' : 'full', outcome })
  }
  return outcome
}

const find = (name: string): Drill | undefined => drills.find((each) => each.name === name)

const toChange = (text: string): [string, number] => {
  const [name = '', value = ''] = text.split('=')
  return [name, Number(value || Number.NaN)]
}

const hasNumber =
  (name: string) =>
  ({ sizes }: Drill): boolean =>
    typeof (sizes.ci as Record<string, unknown>)[name] === 'number'

const list = (): string => {
  const width = Math.max(0, ...drills.map(({ name }) => name.length))
  return drills.map(({ name, promise }) => `  ${name.padEnd(width)}  ${promise}`).join('\n')
}

const say = (text: string, code: number): number => {
  console.log(text)
  return code
}

// Sockets of clients and parts may still be closing; nothing of them is wanted any more.
process.exit(await main())
