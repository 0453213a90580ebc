import { mkdirSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { dirname } from 'node:path'
import { stopStacksOnSignals } from '../chaos/temporary-stack.ts'
import { PartError } from '../dev/parts/part.ts'
import { measureGuesses } from './guesses.ts'
import { guessesReport, haveHeld } from './guesses-report.ts'
import { measureClasses } from './measure.ts'
import { readTimingOptions, type TimingOptions, timingHelp } from './options.ts'
import { hasHeld, type Run, timingReport } from './report.ts'

/** `pnpm timing`: answers whether it holds. */
async function main(args: readonly string[]): Promise<boolean> {
  const options = readTimingOptions(args)
  if (options.isHelp) {
    console.log(timingHelp)
    return true
  }
  stopStacksOnSignals()
  const startedAt = new Date()
  const before = load()
  const { text, holds } = await (options.subject === 'guesses' ? guesses : classes)(options, () => ({
    options,
    startedAt,
    loads: [before, load()],
  }))
  write(options, text)
  return holds
}

type Outcome = { text: string; holds: boolean }

async function classes(options: TimingOptions, runOf: () => Run): Promise<Outcome> {
  const figures = await measureClasses(options, tell)
  return { text: timingReport(runOf(), figures), holds: hasHeld(figures) }
}

async function guesses(options: TimingOptions, runOf: () => Run): Promise<Outcome> {
  const figures = await measureGuesses(options, tell)
  return { text: guessesReport(runOf(), figures), holds: haveHeld(figures) }
}

function write({ reportFile }: TimingOptions, report: string): void {
  console.log(`\n${report}`)
  if (!reportFile) return
  mkdirSync(dirname(reportFile), { recursive: true })
  writeFileSync(reportFile, report)
  console.log(`Written to ${reportFile}`)
}

function load(): number {
  return loadavg()[0] ?? Number.NaN
}

function tell(words: string): void {
  console.log(`${new Date().toISOString().slice(11, 19)}  ${words}`)
}

try {
  if (!(await main(process.argv.slice(2)))) process.exitCode = 1
} catch (error) {
  console.error(error instanceof PartError ? error.message : error)
  process.exitCode = 1
}
