import { type PlaceSettings, parseOptions, placeOptions, placeSettings, wholeNumber } from '../../lab/options.ts'

export type BackgroundOptions = PlaceSettings & {
  parts: readonly BackgroundPart[]
  items: number
  schedules: number
  rounds: number
  /** Of one quiet or busy stretch. */
  seconds: number
  /** Interactive runs per second of each of the two organisations. */
  perSecond: number
  /** Milliseconds that the simulated model of a background run takes. */
  runMs: number
  concurrentRuns: number
  fanOuts: readonly number[]
}

export type BackgroundPart = (typeof backgroundParts)[number]

const backgroundParts = ['batch', 'schedules', 'fan-out'] as const

export const backgroundHelp = `pnpm bench background: interactive runs beside a batch and beside schedules, and the cost of a fan-out.

Starts a stack with one gateway and one worker. Two organisations send interactive runs at a fixed rate all the time: the one that has
the background work, and another one. Quiet and busy stretches alternate, so that both see the same machine.

  batch       a batch of 10,000 items: p99 of interactive runs beside it, and its throughput with and without them
  schedules   1,000 schedules of one organisation that are due in the same second, several times
  fan-out     a step with 10, 100 and 1,000 items: database time of each statement

Takes about 20 minutes.

  --quick               small numbers
  --part <name>         only this part
  --items <n>           items of the batch (default 10000)
  --schedules <n>       schedules (default 1000)
  --rounds <n>          how often the schedules are due (default 3)
  --seconds <n>         length of a stretch (default 30)
  --per-second <n>      interactive runs per second of each organisation (default 10)
  --run-ms <n>          what the model of a background run takes (default 500)
  --concurrent-runs <n> the limit of each organisation (default 50)
  --port-base <n>       first of 20 ports (default: a free block)
  --dir <path>          where the stack's data lies; emptied first (default .dev/bench-background)
`

export const readBackgroundOptions = (args: readonly string[]): BackgroundOptions => {
  const { values } = parseOptions(args, options, backgroundHelp)
  const place = placeSettings('background', args, values)
  const numberOf = (name: NumberName, quick: string, full: string): number =>
    wholeNumber(name, values[name] ?? (place.isQuick ? quick : full))
  return {
    ...place,
    parts: backgroundParts.filter((part) => values.part === undefined || values.part === part),
    items: numberOf('items', '1500', '10000'),
    schedules: numberOf('schedules', '100', '1000'),
    rounds: numberOf('rounds', '1', '3'),
    seconds: numberOf('seconds', '5', '30'),
    perSecond: numberOf('per-second', '5', '10'),
    runMs: numberOf('run-ms', '500', '500'),
    concurrentRuns: numberOf('concurrent-runs', '50', '50'),
    fanOuts: place.isQuick ? [10, 100] : [10, 100, 1_000],
  }
}

type NumberName = 'items' | 'schedules' | 'rounds' | 'seconds' | 'per-second' | 'run-ms' | 'concurrent-runs'

const options = {
  ...placeOptions,
  part: { type: 'string' },
  items: { type: 'string' },
  schedules: { type: 'string' },
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  'per-second': { type: 'string' },
  'run-ms': { type: 'string' },
  'concurrent-runs': { type: 'string' },
} as const
