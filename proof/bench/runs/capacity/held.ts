import { capacityOf, constants, type Demand, type Part, parts } from './capacity.ts'

/** The issue asks for it: a prediction differs from the measurement by at most this share of it. */
export const maxDifference = 0.25

/** What a real run of a demand used. */
export type Used = {
  seconds: number
  runs: number
  cpuMs: Readonly<Record<Part, number>>
  walBytes: number
  engineWalBytes: number
  storedBytes: number
  connections: number
}

export type Held = {
  quantity: string
  unit: string
  predicted: number
  measured: number
  /** False: so little that a rounding of the measurement decides. It is shown and not judged. */
  isJudged: boolean
  isHeld: boolean
}

/** A part below this share of all CPU time is not judged. */
const minJudgedShare = 0.05
/** Tables grow by up to 512 KB at once, so that less growth than this says little. */
const minJudgedBytes = 4_000_000
const secondsPerMonth = 30 * 86_400

/** The demand of a stretch at its real rate: one kind of run, without a peak. */
export const demandOf = (
  { runs, seconds }: Pick<Used, 'runs' | 'seconds'>,
  kind: Pick<Demand, 'stepsPerRun' | 'bytesPerRun' | 'deliveriesPerRun' | 'streamShare' | 'eventsPerStream'>,
): Demand => ({
  ...kind,
  runsPerMonth: (runs / seconds) * secondsPerMonth,
  peak: 1,
  secondsPerRun: 1,
  retentionDays: constants.streamEventDays,
})

/** The prediction of the model beside what the run used. */
export const holdAgainst = (demand: Demand, used: Used): Held[] => {
  const need = capacityOf(demand)
  const perRun = (total: number): number => total / used.runs
  const predictedMs = (part: Part): number => (1_000 * need.cores[part]) / need.peakPerSecond
  const sum = (of: (part: Part) => number): number => parts.reduce((total, part) => total + of(part), 0)
  const allMs = perRun(sum((part) => used.cpuMs[part]))
  const row = (quantity: string, unit: string, predicted: number, measured: number, isJudged = true): Held => ({
    ...{ quantity, unit, predicted, measured, isJudged },
    isHeld: Math.abs(predicted - measured) <= maxDifference * measured,
  })
  const runsOfRetention = (demand.runsPerMonth * demand.retentionDays) / 30
  return [
    ...parts.map((part) => {
      const measured = perRun(used.cpuMs[part])
      return row(`CPU of ${part}`, 'ms per run', predictedMs(part), measured, measured >= minJudgedShare * allMs)
    }),
    row('CPU of all parts', 'ms per run', sum(predictedMs), allMs),
    row('WAL of Postgres', 'bytes per run', need.walBytesPerSecond / need.peakPerSecond, perRun(used.walBytes)),
    row(
      'WAL of the engine',
      'bytes per run',
      need.engineWalBytesPerSecond / need.peakPerSecond,
      perRun(used.engineWalBytes),
    ),
    row(
      'stored',
      'bytes per run',
      need.databaseBytes / runsOfRetention,
      perRun(used.storedBytes),
      used.storedBytes >= minJudgedBytes,
    ),
    // Pools open connections when they need them and close idle ones, so the model gives the bound.
    {
      ...row('connections of Postgres', 'at most', need.connections, used.connections),
      isHeld: used.connections <= need.connections,
    },
  ]
}
