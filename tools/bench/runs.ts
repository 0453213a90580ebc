import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { findBinary } from '../dev/parts/binary.ts'
import { PartError } from '../dev/parts/part.ts'
import { reserveFreeBlock } from '../dev/parts/ports.ts'
import { checkCorrectness } from './correctness.ts'
import { familyOf } from './cpu.ts'
import { readDurability, readWrites, writesBetween } from './durability.ts'
import { type Load, startLoad, type WindowResult } from './load.ts'
import type { Side } from './load-protocol.ts'
import { type Comparison, compare, compareWithItself, perSecond } from './rounds.ts'
import type { RunsFigures, WritesPerRun } from './runs-figures.ts'
import { type RunsOptions, readRunsOptions } from './runs-options.ts'
import { profileRuns } from './runs-profile.ts'
import { reportOf } from './runs-report.ts'
import { median } from './statistics.ts'
import { type Subject, startSubject } from './subject.ts'
import { tell, writeReport } from './telling.ts'

export { runsHelp } from './runs-options.ts'

export async function benchRuns(args: readonly string[]): Promise<boolean> {
  const options = readRunsOptions(args)
  const block = options.base === undefined ? await reserveFreeBlock() : undefined
  const base = options.base ?? block?.base ?? 0
  try {
    if (options.isProfile) {
      writeReport(options, await profileRuns(options, base, tell))
      return true
    }
    const figures = await measure(options, base)
    writeReport(options, reportOf(figures))
    return figures.correctness.isRight
  } finally {
    await block?.release()
  }
}

async function measure(options: RunsOptions, base: number): Promise<RunsFigures> {
  const startedAt = new Date()
  tell('Starting Postgres, Redis, Restate, gateway, worker and the control')
  const subject = await startSubject({ dir: options.dir, base })
  try {
    const durability = await readDurability(subject.stack)
    const load = await startLoad(subject.targets, subject.watched)
    if (options.isPinned) pin(subject, load)
    const windows = { warmUp: [] as WindowResult[], measured: [] as WindowResult[] }
    await warmUp(options, recording(load, windows.warmUp))
    const figures = await measureAll(options, subject, recording(load, windows.measured))
    load.close()
    await sleep(1000) // The last words of the last runs.
    tell('Looking up every answered run in the database')
    const correctness = await checkCorrectness(subject.stack.postgres.superuserUrl('ars'), windows)
    return { options, startedAt, durability, ...figures, correctness }
  } finally {
    await subject.stop()
  }
}

async function warmUp({ callers, warmUpMs }: RunsOptions, load: Load): Promise<void> {
  const most = Math.max(...callers)
  tell(`Warming up, ${most} callers`)
  for (const side of ['control', 'service'] as const) {
    await load.run({ side, callers: most, leadInMs: 0, lengthMs: warmUpMs })
  }
}

async function measureAll({ callers, size, selfRounds }: RunsOptions, subject: Subject, load: Load) {
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
function kneeOf(throughput: ReadonlyMap<number, Comparison>): number {
  const rates = [...throughput.values()].map(({ accepted }) =>
    median(accepted.flatMap(({ subject }) => subject.map(perSecond))),
  )
  return Math.max(...rates)
}

/** A backend that goes idle hands in its counts within ten seconds. */
const countsSettleMs = 11_000

async function countWrites(
  { stack }: Subject,
  load: Load,
  side: Side,
  callers: number,
  lengthMs: number,
): Promise<WritesPerRun> {
  await sleep(countsSettleMs)
  const before = await readWrites(stack)
  const { answersInAll } = await load.run({ side, callers, leadInMs: 0, lengthMs })
  await sleep(countsSettleMs)
  return { runs: answersInAll, writes: writesBetween(before, await readWrites(stack)) }
}

function recording(load: Load, windows: WindowResult[]): Load {
  return {
    ...load,
    async run(order) {
      const result = await load.run(order)
      windows.push(result)
      return result
    },
  }
}

/** All threads; what is forked later stays where its parent was put. */
function pin({ watched }: Subject, load: Load): void {
  const taskset = findBinary(['taskset'])
  if (!taskset) throw new PartError('--pin needs taskset (package util-linux)')
  const bind = (head: number | undefined, cpu: string): void => {
    if (head === undefined) return
    for (const pid of familyOf(head)) {
      execFileSync(taskset, ['-a', '-c', '-p', cpu, String(pid)], { stdio: 'ignore' })
    }
  }
  for (const pidOf of Object.values(watched)) bind(pidOf(), '0')
  bind(load.pid(), '1')
}
