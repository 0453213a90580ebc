import { setTimeout as sleep } from 'node:timers/promises'
import { findBinary } from '@ars/tools/dev/parts/binary'
import { PartError } from '@ars/tools/dev/parts/part'
import { pinFamily } from '../../lab/measure/cpu.ts'
import { readDurability, readWrites, writesBetween } from '../../lab/measure/durability.ts'
import type { Load, Side, WindowResult } from '../../lab/measure/load.ts'
import { type Comparison, compare, compareWithItself, perSecond } from '../../lab/measure/rounds.ts'
import { median } from '../../lab/measure/statistics.ts'
import { sizeOf } from '../../lab/options.ts'
import { keepOutcome } from '../../lab/report/keep.ts'
import { printReport, tell } from '../../lab/report/progress.ts'
import { withPortBlock } from '../../lab/stack/port-block.ts'
import { compareWorktrees } from './compare.ts'
import { checkCorrectness } from './correctness.ts'
import { startLoad } from './load.ts'
import type { RunsMetrics, WritesPerRun } from './metrics.ts'
import { type RunsOptions, readRunsOptions } from './options.ts'
import { profileRuns } from './profile.ts'
import { outcomeOf, reportOf } from './report.ts'
import { type Subject, startSubject } from './subject.ts'

export { runsHelp } from './options.ts'

export const benchRuns = async (args: readonly string[]): Promise<boolean> => {
  const options = readRunsOptions(args)
  if (options.against) return compareWorktrees(options, options.against)
  return withPortBlock(options.base, async (base) => {
    if (options.isProfile) {
      printReport(await profileRuns(options, base, tell))
      return true
    }
    const metrics = await measure(options, base)
    printReport(reportOf(metrics))
    const proof = options.organisations > 1 ? 'bench-runs-organisations' : 'bench-runs'
    keepOutcome({ proof, size: sizeOf(options), outcome: outcomeOf(metrics) })
    return metrics.correctness.isRight
  })
}

const measure = async (options: RunsOptions, base: number): Promise<RunsMetrics> => {
  const startedAt = new Date()
  tell('Starting Postgres, Redis, Restate, gateway, worker and the control')
  const subject = await startSubject({ dir: options.dir, base, organisations: options.organisations })
  try {
    const durability = await readDurability(subject.stack)
    const load = await startLoad(subject.targets, subject.watched)
    if (options.isPinned) pin(subject, load)
    const windows = { warmUp: [] as WindowResult[], measured: [] as WindowResult[] }
    await warmUp(options, recording(load, windows.warmUp))
    const metrics = await measureAll(options, subject, recording(load, windows.measured))
    load.close()
    await sleep(1000) // The last words of the last runs.
    tell('Looking up every answered run in the database')
    const correctness = await checkCorrectness(subject.stack.postgres.superuserUrl('ars'), windows)
    return { options, startedAt, durability, ...metrics, correctness }
  } finally {
    await subject.stop()
  }
}

const warmUp = async ({ callers, warmUpMs }: RunsOptions, load: Load): Promise<void> => {
  const most = Math.max(...callers)
  tell(`Warming up, ${most} callers`)
  for (const side of ['control', 'service'] as const) {
    await load.run({ side, callers: most, leadInMs: 0, lengthMs: warmUpMs })
  }
}

const measureAll = async ({ callers, size, selfRounds }: RunsOptions, subject: Subject, load: Load) => {
  const most = Math.max(...callers)
  const itself = new Map<number, Comparison>()
  const throughput = new Map<number, Comparison>()
  for (const count of callers) {
    tell(`The control against itself, ${count} callers`)
    itself.set(count, await compareWithItself(load, { callers: count }, { ...size, rounds: selfRounds }, tell))
  }
  for (const count of callers) {
    tell(`Service against control, ${count} callers`)
    throughput.set(count, await compare(load, 'service', { callers: count }, size, tell))
  }
  tell('Service against control, 1 caller')
  const oneCaller = await compare(load, 'service', { callers: 1 }, size, tell)

  const ratePerSecond = Math.max(1, Math.round(kneeOf(throughput) / 2))
  tell(`Service against control, ${ratePerSecond} arrivals a second`)
  const steadyWindow = { callers: most, ratePerSecond }
  const steady = { ratePerSecond, comparison: await compare(load, 'service', steadyWindow, size, tell) }

  tell('Counting writes')
  const writes = {
    control: await countWrites(subject, load, 'control', most, size.windowMs),
    service: await countWrites(subject, load, 'service', most, size.windowMs),
  }
  return { itself, throughput, oneCaller, steady, writes }
}

/** The most that the service answered at any level of load. */
const kneeOf = (throughput: ReadonlyMap<number, Comparison>): number => {
  const rates = [...throughput.values()].map(({ accepted }) =>
    median(accepted.flatMap(({ subject }) => subject.map(perSecond))),
  )
  return Math.max(...rates)
}

/** A backend that goes idle hands in its counts within ten seconds. */
const countsSettleMs = 11_000

const countWrites = async (
  { stack }: Subject,
  load: Load,
  side: Side,
  callers: number,
  lengthMs: number,
): Promise<WritesPerRun> => {
  await sleep(countsSettleMs)
  const before = await readWrites(stack)
  const { answersInAll } = await load.run({ side, callers, leadInMs: 0, lengthMs })
  await sleep(countsSettleMs)
  return { runs: answersInAll, writes: writesBetween(before, await readWrites(stack)) }
}

const recording = (load: Load, windows: WindowResult[]): Load => ({
  ...load,
  async run(order) {
    const result = await load.run(order)
    windows.push(result)
    return result
  },
})

const pin = ({ watched }: Subject, load: Load): void => {
  if (!findBinary(['taskset'])) throw new PartError('--pin needs taskset (package util-linux)')
  for (const pidOf of Object.values(watched)) pinFamily(pidOf(), '0')
  pinFamily(load.pid(), '1')
}
