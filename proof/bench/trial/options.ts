import { type BenchSettings, benchSettings, commonOptions, parseOptions, wholeNumber } from '../../lab/options.ts'

export type TrialOptions = BenchSettings & { steps: number; stepsPerRun: number }

export const trialHelp = `pnpm bench trial: a trial of a policy on stored runs.

Starts a stack, plants ended runs with steps of 1 KB by SQL, and tries a policy with three deterministic rules on them over the API. It
measures the time of the trial, and compares all rows of runs before and after. Takes about
3 minutes.

  --quick               10,000 steps
  --steps <n>           stored steps (default 100000)
  --steps-per-run <n>   steps of one run (default 10)
  --port-base <n>       first of 20 ports (default: a free block)
  --dir <path>          where the stack's data lies; emptied first (default .dev/bench-trial)
`

export const readTrialOptions = (args: readonly string[]): TrialOptions => {
  const { values } = parseOptions(args, options, trialHelp)
  return {
    ...benchSettings('trial', args, values, { quickSeconds: '1', leadInMs: 0 }),
    steps: wholeNumber('steps', values.steps ?? (values.quick ? '10000' : '100000')),
    stepsPerRun: wholeNumber('steps-per-run', values['steps-per-run'] ?? '10'),
  }
}

const options = {
  ...commonOptions,
  steps: { type: 'string' },
  'steps-per-run': { type: 'string' },
} as const
