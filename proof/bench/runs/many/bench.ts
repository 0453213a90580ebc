import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Load, WindowResult } from '../../../lab/measure/load.ts'
import { perSecond } from '../../../lab/measure/rounds.ts'
import { sizeOf } from '../../../lab/options.ts'
import { keepOutcome } from '../../../lab/report/keep.ts'
import { bar, claim, type Outcome } from '../../../lab/report/outcome.ts'
import { loadAverage, printReport, tell } from '../../../lab/report/progress.ts'
import { withPortBlock } from '../../../lab/stack/port-block.ts'
import { withClient } from '../../../lab/stack/sql.ts'
import { checkCorrectness, correctnessClaims } from '../correctness.ts'
import { startLoad } from '../load.ts'
import { type ManyOptions, readManyOptions } from './options.ts'
import { type ManyMetrics, reportOf } from './report.ts'
import { type ManySubject, startManySubject } from './subject.ts'
import {
  countLogs,
  isNothingLost,
  type Kind,
  kinds,
  type ManyRound,
  orderOfRound,
  othersAim,
  ratiosOf,
  toRound,
} from './verdict.ts'

export { manyHelp } from './options.ts'

/** Answers whether nothing was lost, nothing deadlocked, and the others kept their throughput. */
export const benchMany = async (args: readonly string[]): Promise<boolean> => {
  const options = readManyOptions(args)
  return withPortBlock(options.base, async (base) => {
    const metrics = await measure(options, base)
    printReport(reportOf(metrics))
    keepOutcome({ proof: 'bench-many', size: sizeOf(options), outcome: outcomeOf(metrics) })
    const isSafe = metrics.deadlocks === 0 && metrics.logs.deadlocks === 0 && isNothingLost(metrics.correctness)
    return isSafe && ratiosOf(metrics.rounds, 'refused').perCpu.median >= othersAim
  })
}

const outcomeOf = ({ deadlocks, logs, correctness, rounds }: ManyMetrics): Outcome => ({
  claims: [
    ...correctnessClaims(correctness),
    claim(
      'no deadlock',
      deadlocks + logs.deadlocks === 0,
      `${deadlocks} in the database, ${logs.deadlocks} in the logs`,
    ),
    bar('runs of the others per CPU beside one that is out of quota', ratiosOf(rounds, 'refused').perCpu.median, {
      least: othersAim,
    }),
  ],
  metrics: [['runs of the others beside it', ratiosOf(rounds, 'refused').throughput.median.toFixed(3)]],
})

/** The load of a long stretch is read in windows of this length. */
const windowMs = 20_000
const warmUpMs = 10_000

const measure = async (options: ManyOptions, base: number): Promise<ManyMetrics> => {
  const startedAt = new Date()
  tell('Starting Postgres, Redis, Restate, two gateways and two workers')
  const subject = await startManySubject(options, base)
  const loads: Load[] = []
  try {
    const { others: target, refused, limited } = subject.targets
    // Each organisation that is refused has a side of the second generator, whose CPU time is read separately.
    const refusals = await startLoad({ service: refused, control: limited }, {})
    loads.push(refusals)
    const watched = { ...subject.watched, 'refused client': refusals.pid }
    const others = await startLoad({ service: target, control: target }, watched)
    loads.push(others)
    const windows = { warmUp: [] as WindowResult[], measured: [] as WindowResult[] }
    tell(`Warming up, ${options.callers} callers`)
    windows.warmUp.push(await others.run({ ...orderOf(options), leadInMs: 0, lengthMs: warmUpMs }))
    const deadlocksBefore = await readDeadlocks(subject)
    const steady = await playSteadily(options, others)
    windows.measured.push(...steady)
    const cost = await measureRefusals(options, subject)
    const played = await playRounds(options, others, refusals)
    windows.measured.push(...played.windows)
    for (const load of loads) load.close()
    await sleep(1000) // The last writes of the last runs.
    tell('Looking up every answered run in the database')
    return {
      options,
      startedAt,
      loadAverage: loadAverage(),
      steady,
      cost,
      rounds: played.rounds,
      refusals: played.refusals,
      deadlocks: (await readDeadlocks(subject)) - deadlocksBefore,
      logs: countLogs(subject.logFiles.map((file) => readFileSync(file, 'utf8'))),
      correctness: await checkCorrectness(subject.stack.postgres.superuserUrl('ars'), windows),
    }
  } finally {
    await subject.stop()
  }
}

const orderOf = ({ callers }: ManyOptions) => ({ side: 'service', callers }) as const

const playSteadily = async (options: ManyOptions, others: Load): Promise<WindowResult[]> => {
  tell(`Runs of ${options.organisations} organisations in turn, ${options.callers} callers`)
  const windows: WindowResult[] = []
  for (let leftMs = options.minutes * 60_000; leftMs > 0; leftMs -= windowMs) {
    const lengthMs = Math.min(windowMs, leftMs)
    const window = await others.run({ ...orderOf(options), leadInMs: 0, lengthMs })
    tell(`${perSecond(window).toFixed(0)} runs/s, failures ${JSON.stringify(window.failures)}`)
    windows.push(window)
  }
  return windows
}

/** How many callers keep up the rate of refusals. Beside the others a refusal may take a part of a second. */
const refusedCallers = 64

const refusalOrder = ({ refusedPerSecond }: ManyOptions, kind: Exclude<Kind, 'alone'>) =>
  ({
    side: kind === 'refused' ? 'service' : 'control',
    callers: refusedCallers,
    ratePerSecond: refusedPerSecond,
  }) as const

/** What a refusal costs while nobody else calls. */
const measureRefusals = async (
  options: ManyOptions,
  { watched, targets }: ManySubject,
): Promise<ManyMetrics['cost']> => {
  tell('What a refusal costs')
  const load = await startLoad({ service: targets.refused, control: targets.limited }, watched)
  const { windowMs: lengthMs, leadInMs } = options.size
  try {
    return {
      refused: await load.run({ ...refusalOrder(options, 'refused'), leadInMs, lengthMs }),
      limited: await load.run({ ...refusalOrder(options, 'limited'), leadInMs, lengthMs }),
    }
  } finally {
    load.close()
  }
}

const playRounds = async (
  options: ManyOptions,
  others: Load,
  refusals: Load,
): Promise<{ rounds: ManyRound[]; windows: WindowResult[]; refusals: ManyMetrics['refusals'] }> => {
  const rounds: ManyRound[] = []
  const windows: WindowResult[] = []
  const sent: ManyMetrics['refusals'] = { refused: [], limited: [] }
  const { rounds: count, windowMs: lengthMs, leadInMs } = options.size
  const play = async (kind: Kind): Promise<WindowResult> => {
    const [window, besides] = await Promise.all([
      others.run({ ...orderOf(options), leadInMs, lengthMs }),
      kind === 'alone' ? undefined : refusals.run({ ...refusalOrder(options, kind), leadInMs, lengthMs }),
    ])
    if (besides && kind !== 'alone') sent[kind].push(besides)
    return window
  }
  tell(`Stretches: ${kinds.join(', ')}`)
  while (rounds.length < count) {
    const round: WindowResult[] = []
    for (const kind of orderOfRound) round.push(await play(kind))
    rounds.push(toRound(round))
    windows.push(...round)
    tell(`round ${rounds.length}: ${round.map((window) => perSecond(window).toFixed(0)).join(' / ')} runs/s`)
  }
  return { rounds, windows, refusals: sent }
}

const readDeadlocks = async ({ stack }: ManySubject): Promise<number> =>
  withClient(stack.postgres.superuserUrl('ars'), async (client) => {
    const { rows } = await client.query<{ deadlocks: string }>(
      'select sum(deadlocks) as deadlocks from pg_stat_database',
    )
    return Number(rows[0]?.deadlocks)
  })
