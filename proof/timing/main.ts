import { PartError } from '@ars/tools/dev/parts/part'
import { keepOutcome } from '../lab/report/keep.ts'
import { type Claim, hasHeld } from '../lab/report/outcome.ts'
import { loadAverage, printReport, tell } from '../lab/report/progress.ts'
import { stopStacksOnSignals } from '../lab/stack/temporary-stack.ts'
import { measureGuesses } from './guesses.ts'
import { claimsOfGuesses, guessesReport } from './guesses-report.ts'
import { measureClasses } from './measure.ts'
import { readTimingOptions, type TimingOptions, timingHelp } from './options.ts'
import { claimsOf, type Run, timingReport } from './report.ts'

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
  const { text, claims } = await (options.subject === 'guesses' ? guesses : classes)(options, () => ({
    options,
    startedAt,
    loads: [before, loadAverage()],
  }))
  printReport(text)
  const outcome = { claims, metrics: [] }
  const { subject, isQuick, seed } = options
  const proof = subject === 'guesses' ? 'timing-guesses' : 'timing'
  keepOutcome({ proof, size: isQuick ? 'short' : 'full', seed, outcome })
  return hasHeld(outcome)
}

type Found = { text: string; claims: readonly Claim[] }

const classes = async (options: TimingOptions, runOf: () => Run): Promise<Found> => {
  const metrics = await measureClasses(options, tell)
  return { text: timingReport(runOf(), metrics), claims: claimsOf(metrics) }
}

const guesses = async (options: TimingOptions, runOf: () => Run): Promise<Found> => {
  const metrics = await measureGuesses(options, tell)
  return { text: guessesReport(runOf(), metrics), claims: claimsOfGuesses(metrics) }
}

try {
  if (!(await main(process.argv.slice(2)))) process.exitCode = 1
} catch (error) {
  console.error(error instanceof PartError ? error.message : error)
  process.exitCode = 1
}
