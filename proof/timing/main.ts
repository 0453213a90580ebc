import { PartError } from '@ars/tools/dev/parts/part'
import { loadAverage, tell, writeReport } from '../lab/report/progress.ts'
import { stopStacksOnSignals } from '../lab/stack/temporary-stack.ts'
import { measureGuesses } from './guesses.ts'
import { guessesReport, haveHeld } from './guesses-report.ts'
import { measureClasses } from './measure.ts'
import { readTimingOptions, type TimingOptions, timingHelp } from './options.ts'
import { hasHeld, type Run, timingReport } from './report.ts'

/** `pnpm timing`: answers whether it holds. */
const main = async (args: readonly string[]): Promise<boolean> => {
  const options = readTimingOptions(args)
  if (options.isHelp) {
    console.log(timingHelp)
    return true
  }
  stopStacksOnSignals()
  const startedAt = new Date()
  const before = loadAverage()
  const { text, holds } = await (options.subject === 'guesses' ? guesses : classes)(options, () => ({
    options,
    startedAt,
    loads: [before, loadAverage()],
  }))
  writeReport(options, text)
  return holds
}

type Outcome = { text: string; holds: boolean }

const classes = async (options: TimingOptions, runOf: () => Run): Promise<Outcome> => {
  const metrics = await measureClasses(options, tell)
  return { text: timingReport(runOf(), metrics), holds: hasHeld(metrics) }
}

const guesses = async (options: TimingOptions, runOf: () => Run): Promise<Outcome> => {
  const metrics = await measureGuesses(options, tell)
  return { text: guessesReport(runOf(), metrics), holds: haveHeld(metrics) }
}

try {
  if (!(await main(process.argv.slice(2)))) process.exitCode = 1
} catch (error) {
  console.error(error instanceof PartError ? error.message : error)
  process.exitCode = 1
}
