import { parseOptions, placeOptions, placeSettings, sizeOf, wholeNumber } from '../../../lab/options.ts'
import { keepOutcome } from '../../../lab/report/keep.ts'
import { printReport } from '../../../lab/report/progress.ts'
import { table } from '../../../lab/report/table.ts'
import { withPortBlock } from '../../../lab/stack/port-block.ts'
import { capacityOf, type Demand, type Need } from './capacity.ts'
import { type MeasureOptions, measureCapacity } from './measure.ts'
import { isEverythingHeld, outcomeOf, reportOf } from './report.ts'

export const capacityHelp = `pnpm bench capacity: computes what a demand needs, from the constants that the other benches measured.

It starts nothing. docs/explanation/scale.md explains the model and its limits. With --measure it plays real runs instead,
at known rates, and compares CPU, WAL, stored bytes and connections with the prediction: at most 25 % apart each. Takes about 6 minutes. Stop other programs first.

  --runs-per-month <n>       default 100000000
  --peak <n>                 the busiest minute, compared with the mean (default 3)
  --steps-per-run <n>        default 3
  --seconds-per-run <n>      default 15
  --bytes-per-run <n>        input, output and steps as stored (default 4000)
  --deliveries-per-run <n>   webhook deliveries (default 1)
  --stream-percent <n>       runs with an open stream (default 20)
  --events-per-stream <n>    default 200
  --retention-days <n>       default 30

  --measure                  real runs on a fresh stack, compared with the prediction
  --rates <a,b>              with --measure: runs per second (default 50,200)
  --streams <n>              with --measure: streamed runs per second (default 10)
  --seconds <n>              with --measure: length of each stretch (default 60)
  --quick                    with --measure: stretches of 10 s
  --port-base <n>            first of 20 ports (default: a free block)
  --dir <path>               where the stack's data lies; emptied first (default .dev/bench-capacity)
`

const demandOptions = {
  'runs-per-month': { type: 'string', default: '100000000' },
  peak: { type: 'string', default: '3' },
  'steps-per-run': { type: 'string', default: '3' },
  'seconds-per-run': { type: 'string', default: '15' },
  'bytes-per-run': { type: 'string', default: '4000' },
  'deliveries-per-run': { type: 'string', default: '1' },
  'stream-percent': { type: 'string', default: '20' },
  'events-per-stream': { type: 'string', default: '200' },
  'retention-days': { type: 'string', default: '30' },
} as const

const options = {
  ...demandOptions,
  ...placeOptions,
  measure: { type: 'boolean' },
  rates: { type: 'string', default: '50,200' },
  streams: { type: 'string', default: '10' },
  seconds: { type: 'string' },
} as const

export const benchCapacity = async (args: readonly string[]): Promise<boolean> => {
  const { values } = parseOptions(args, options, capacityHelp)
  if (values.measure) return measure(args, values)
  const number = (name: keyof typeof demandOptions): number => wholeNumber(name, values[name])
  const demand: Demand = {
    runsPerMonth: number('runs-per-month'),
    peak: number('peak'),
    stepsPerRun: number('steps-per-run'),
    secondsPerRun: number('seconds-per-run'),
    bytesPerRun: number('bytes-per-run'),
    deliveriesPerRun: number('deliveries-per-run'),
    streamShare: number('stream-percent') / 100,
    eventsPerStream: number('events-per-stream'),
    retentionDays: number('retention-days'),
  }
  console.log(inWords(capacityOf(demand)))
  return true
}

type MeasureValues = { quick?: boolean; rates: string; streams: string; seconds?: string }

const measure = async (args: readonly string[], values: MeasureValues): Promise<boolean> => {
  const settings: MeasureOptions = {
    ...placeSettings('capacity', args, values),
    ratesPerSecond: values.rates.split(',').map((one) => wholeNumber('rates', one)),
    streamsPerSecond: wholeNumber('streams', values.streams),
    seconds: wholeNumber('seconds', values.seconds ?? (values.quick ? '10' : '60')),
  }
  return withPortBlock(settings.base, async (base) => {
    const metrics = await measureCapacity(settings, base)
    printReport(reportOf(metrics))
    keepOutcome({ proof: 'bench-capacity', size: sizeOf(settings), outcome: outcomeOf(metrics) })
    return metrics.correctness.isRight && isEverythingHeld(metrics)
  })
}

const inWords = (need: Need): string => {
  const cores = Object.entries(need.cores).map(([part, each]) => [`cores of ${part} at the peak`, each.toFixed(2)])
  return table(
    ['need', ''],
    [
      ['runs per second, mean and peak', `${need.meanPerSecond.toFixed(1)}, ${need.peakPerSecond.toFixed(1)}`],
      ...cores,
      ['connections of Postgres', String(need.connections)],
      ['runs that execute at the same time (slots)', Math.ceil(need.activeRuns).toString()],
      ['memory of open streams', megabytes(need.streamBytes)],
      ['WAL of Postgres per second', megabytes(need.walBytesPerSecond)],
      ['WAL of the engine per second', megabytes(need.engineWalBytesPerSecond)],
      ['database', megabytes(need.databaseBytes)],
      ['cells', `${need.cells}, limited by ${need.limit}`],
    ],
  )
}

const megabytes = (bytes: number): string =>
  bytes < 10e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(0)} GB`
