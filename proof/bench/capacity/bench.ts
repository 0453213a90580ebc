import { parseOptions, wholeNumber } from '../../lab/options.ts'
import { table } from '../../lab/report/table.ts'
import { capacityOf, type Demand, type Need } from './capacity.ts'

export const capacityHelp = `pnpm bench capacity: computes what a demand needs, from the constants that the other benches measured.

It starts nothing. docs/explanation/scale.md explains the model and its limits.

  --runs-per-month <n>       default 100000000
  --peak <n>                 the busiest minute, compared with the mean (default 3)
  --steps-per-run <n>        default 3
  --seconds-per-run <n>      default 15
  --bytes-per-run <n>        input, output and steps as stored (default 4000)
  --deliveries-per-run <n>   webhook deliveries (default 1)
  --stream-percent <n>       runs with an open stream (default 20)
  --events-per-stream <n>    default 200
  --retention-days <n>       default 30
`

const options = {
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

export const benchCapacity = async (args: readonly string[]): Promise<boolean> => {
  const { values } = parseOptions(args, options, capacityHelp)
  const number = (name: keyof typeof options): number => wholeNumber(name, values[name])
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

const inWords = (need: Need): string => {
  const cores = Object.entries(need.cores).map(([part, each]) => [`cores of ${part} at the peak`, each.toFixed(2)])
  return table(
    ['need', ''],
    [
      ['runs per second, mean and peak', `${need.meanPerSecond.toFixed(1)}, ${need.peakPerSecond.toFixed(1)}`],
      ...cores,
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
