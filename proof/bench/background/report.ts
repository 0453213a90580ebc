import { cpus } from 'node:os'
import { claim, measured, type Outcome } from '../../lab/report/outcome.ts'
import { loadAverage } from '../../lab/report/progress.ts'
import { table } from '../../lab/report/table.ts'
import type { BatchFigures } from './batch.ts'
import type { FanOutFigures } from './fan-out.ts'
import type { BackgroundOptions } from './options.ts'
import type { ScheduleFigures } from './schedules.ts'
import { inWords, p99, type Stretch } from './traffic.ts'

export type Figures = {
  batch?: BatchFigures
  schedules?: ScheduleFigures
  fanOuts?: readonly FanOutFigures[]
}

/** `isQuickToo`: it does not depend on the speed of the machine, so a quick run judges it too. */
export type Verdict = { says: string; found: string; holds: boolean; isQuickToo?: true; isMeasured?: true }

const maxTimes = 2
const minShare = 0.8
const maxStatementMs = 100
/** Of the statements for each item, between the smallest and the largest fan-out. */
const maxGrowth = 1.1

export const verdictsOf = ({ batch, schedules, fanOuts }: Figures, options: BackgroundOptions): Verdict[] => [
  ...(batch ? batchVerdicts(batch) : []),
  ...(schedules ? scheduleVerdicts(schedules, options) : []),
  ...(fanOuts ? fanOutVerdicts(fanOuts) : []),
]

export const outcomeOf = (figures: Figures, options: BackgroundOptions): Outcome => ({
  claims: verdictsOf(figures, options)
    .filter(({ isQuickToo }) => isQuickToo || !options.isQuick)
    .map(({ says, found, holds, isQuickToo, isMeasured }) =>
      (isQuickToo && !isMeasured ? claim : measured)(says, holds, found),
    ),
  metrics: [],
})

const besideVerdicts = (what: string, { quiet, beside }: { quiet: Stretch; beside: Stretch }): Verdict[] => [
  ...(['own', 'other'] as const).map((whose): Verdict => {
    const [busyMs, quietMs] = [p99(beside[whose]), p99(quiet[whose])]
    return {
      says: `p99 of interactive runs beside ${what}, ${whoseWords[whose]}, is at most ${maxTimes} times quiet`,
      found: `${busyMs.toFixed(0)} ms, ${(busyMs / quietMs).toFixed(2)} times`,
      holds: busyMs <= maxTimes * quietMs,
    }
  }),
  {
    says: `all interactive runs beside ${what} complete`,
    found: `${failedOf(beside)} did not`,
    holds: failedOf(beside) === 0,
    isQuickToo: true,
  },
]

const whoseWords = { own: 'of the same organisation', other: 'of another organisation' } as const

const failedOf = ({ own, other }: Stretch): number => [...own, ...other].filter(({ isGood }) => !isGood).length

const batchVerdicts = (batch: BatchFigures): Verdict[] => {
  const { alonePerSecond, besidePerSecond, interactivePerSecond, progress } = batch
  const least = minShare * (alonePerSecond - interactivePerSecond)
  return [
    ...besideVerdicts('the batch', batch),
    {
      says: `throughput beside interactive runs is at least ${minShare} × (alone − interactive)`,
      found: `${besidePerSecond.toFixed(1)} per second, at least ${least.toFixed(1)}`,
      holds: besidePerSecond >= least,
    },
    {
      says: 'every item of the batch has a completed run',
      found: `${progress.completed} of ${progress.items}`,
      holds: progress.completed === progress.items,
      isQuickToo: true,
    },
  ]
}

const scheduleVerdicts = (
  figures: ScheduleFigures,
  { schedules, rounds, concurrentRuns }: BackgroundOptions,
): Verdict[] => [
  ...besideVerdicts(`${schedules} schedules`, figures),
  {
    says: 'every schedule starts once in each round',
    found: `${figures.started} of ${schedules * rounds} started, ${figures.wrong} doubled`,
    holds: figures.started === schedules * rounds && figures.due === figures.started && figures.wrong === 0,
    isQuickToo: true,
  },
  {
    says: 'never more runs in progress than the plan allows',
    found: `${figures.mostInProgress} of ${concurrentRuns}`,
    holds: figures.mostInProgress <= concurrentRuns,
    isQuickToo: true,
  },
]

const fanOutVerdicts = (fanOuts: readonly FanOutFigures[]): Verdict[] => {
  const [few, many] = [fanOuts[0], fanOuts.at(-1)]
  const growth = (many?.callsPerItem ?? Number.NaN) / (few?.callsPerItem ?? Number.NaN)
  const slowestMs = Math.max(...fanOuts.map(({ slowest }) => slowest?.maxMs ?? Number.NaN))
  return [
    {
      says: 'the statements for an item do not grow with the number of items',
      found: `${growth.toFixed(2)} times`,
      holds: growth <= maxGrowth,
      isQuickToo: true,
      isMeasured: true,
    },
    {
      says: `no statement takes over ${maxStatementMs} ms of database time`,
      found: `${slowestMs.toFixed(1)} ms`,
      holds: slowestMs <= maxStatementMs,
    },
  ]
}

export const reportOf = (options: BackgroundOptions, startedAt: Date, figures: Figures): string => {
  const verdicts = verdictsOf(figures, options)
  const { batch, schedules, fanOuts } = figures
  const sections = [
    `# Bench: background work

Measured on ${startedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${cpus().length} vCPU, load ${loadAverage().toFixed(1)}, everything on one machine: one gateway, one worker, Postgres, Redis, the engine and the clients. Made by \`${options.command}\`.

Two organisations may each have ${options.concurrentRuns} runs in progress, and each sends ${options.perSecond} interactive runs per second of \`test-echo\`. One of them also has the background work, whose runs take ${options.runMs} ms each. Quiet and busy stretches of ${options.seconds} s alternate.`,
    table(
      ['claim', 'found', ''],
      verdicts.map(({ says, found, holds }) => [says, found, holds ? 'holds' : 'BROKEN']),
    ),
    ...(batch ? [batchSection(batch, options)] : []),
    ...(schedules ? [scheduleSection(schedules, options)] : []),
    ...(fanOuts ? [fanOutSection(fanOuts)] : []),
  ]
  return `${sections.join('\n\n')}\n`
}

const stretchRows = ({ quiet, beside }: { quiet: Stretch; beside: Stretch }): string[][] => [
  ['interactive, same organisation, quiet', inWords(quiet.own)],
  ['interactive, same organisation, beside it', inWords(beside.own)],
  ['interactive, other organisation, quiet', inWords(quiet.other)],
  ['interactive, other organisation, beside it', inWords(beside.other)],
]

const batchSection = (batch: BatchFigures, { items }: BackgroundOptions): string =>
  `## A batch of ${items.toLocaleString('en')} items\n\n${table(
    ['figure', 'value'],
    [
      ...stretchRows(batch),
      ['runs of the batch per second, alone', batch.alonePerSecond.toFixed(1)],
      ['runs of the batch per second, beside interactive runs', batch.besidePerSecond.toFixed(1)],
      ['interactive runs per second', String(batch.interactivePerSecond)],
      ['seconds from the request to the end', batch.seconds.toFixed(0)],
    ],
  )}`

const scheduleSection = (figures: ScheduleFigures, { schedules, rounds }: BackgroundOptions): string =>
  `## ${schedules.toLocaleString('en')} schedules in one second, ${rounds} times\n\n${table(
    ['figure', 'value'],
    [
      ...stretchRows(figures),
      [
        'seconds from the date to the last accepted run',
        figures.lastStartSeconds.map((each) => each.toFixed(1)).join(', '),
      ],
    ],
  )}`

const fanOutSection = (fanOuts: readonly FanOutFigures[]): string =>
  `## A fan-out\n\nStatements of pipelines for each item, with their database time. The slowest is that of all statements of the service.\n\n${table(
    ['items', 'seconds', 'statements per item', 'ms per item', 'slowest statement, ms', 'its text'],
    fanOuts.map(({ items, seconds, callsPerItem, msPerItem, slowest }) => [
      String(items),
      seconds.toFixed(1),
      callsPerItem.toFixed(1),
      msPerItem.toFixed(2),
      (slowest?.maxMs ?? Number.NaN).toFixed(1),
      `\`${(slowest?.text ?? '').slice(0, 60).replaceAll('|', ' ').replaceAll('`', ' ')}\``,
    ]),
  )}`
