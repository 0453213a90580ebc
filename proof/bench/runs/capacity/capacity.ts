/** What an installation has to carry. */
export type Demand = {
  runsPerMonth: number
  /** The busiest minute, compared with the mean of the month. */
  peak: number
  stepsPerRun: number
  secondsPerRun: number
  /** Input, output and steps of a run, as stored. */
  bytesPerRun: number
  deliveriesPerRun: number
  /** The share of runs with an open stream, and the events of such a stream. */
  streamShare: number
  eventsPerStream: number
  retentionDays: number
}

export type Part = 'gateway' | 'worker' | 'postgres' | 'redis' | 'restate'

/** Measured by benches on two slow cores. `docs/explanation/scale.md` names the report of each. */
export const constants = {
  /** CPU in ms for a run of one step: with 64 callers, which share commits, and with a single one, which shares nothing. */
  runShared: { gateway: 1.04, worker: 1.35, postgres: 1.4, redis: 0.07, restate: 1.85 },
  runAlone: { gateway: 5.2, worker: 5.6, postgres: 6.65, redis: 0.46, restate: 5.32 },
  /** A further step claims and stores. Taken as the worker and Postgres of a whole run, which is more than it needs. */
  step: { gateway: 0, worker: 1.35, postgres: 1.4, redis: 0.07, restate: 0 },
  delivery: { gateway: 0, worker: 0.71, postgres: 0.76, redis: 0, restate: 0.03 },
  /** Its text is stored before it is sent, together with that of other streams. */
  streamEvent: { gateway: 0.18, worker: 0.15, postgres: 0.28, redis: 0.01, restate: 0 },
  /** Cores of one installation whose loops have little to do: what a slow load pays beside its runs. */
  idle: { gateway: 0.05, worker: 0.06, postgres: 0.03, redis: 0.003, restate: 0.01 },
  /** With the indexes and an idempotency key, without the payload. */
  walBytesPerRun: 7_600,
  walBytesPerDelivery: 4_000,
  engineWalBytesPerRun: 3_000,
  rowBytesPerRun: 3_900,
  rowBytesPerDelivery: 2_500,
  walBytesPerStreamEvent: 380,
  rowBytesPerStreamEvent: 175,
  /** At most, until `ARS_DELTA_RETENTION_HOURS` (24) after the end of their day. */
  streamEventDays: 2,
  streamBytes: 13_000,
  /** The pools of a process (`docs/operate/capacity.md`), at most. Streams hold no connection. */
  connectionsOfGateway: 17,
  connectionsOfWorker: 23,
} as const satisfies Record<string, number | Readonly<Record<Part, number>>>

/** What one cell has, and how much of it may be used at the peak. */
const cell = {
  /** A computer of this size is common, and one Postgres uses it well. */
  postgresCores: 16,
  /** Above this share waiting times grow faster than the load. */
  usedShare: 0.6,
  /** A restore must be done in 15 minutes (`docs/operate/backup.md`) at the rate at which a disk is copied. */
  restoreSeconds: 15 * 60,
  copyBytesPerSecond: 200e6,
  slots: 10_000,
} as const

export type Need = {
  meanPerSecond: number
  peakPerSecond: number
  /** Cores in use at the peak, without reserve. */
  cores: Readonly<Record<Part, number>>
  /** Of Postgres at most, by as many gateways and workers as the cores need: each uses one core. */
  connections: number
  activeRuns: number
  streamBytes: number
  walBytesPerSecond: number
  engineWalBytesPerSecond: number
  databaseBytes: number
  cells: number
  /** Which of the limits of a cell decides. */
  limit: 'Postgres CPU' | 'slots' | 'time to restore'
}

export const parts = ['gateway', 'worker', 'postgres', 'redis', 'restate'] as const satisfies readonly Part[]
const secondsPerMonth = 30 * 86_400

/** Runs per second from which callers share commits as with 64 callers. Below, the cost falls in a straight line. */
const sharedFromPerSecond = 240

export const capacityOf = (demand: Demand): Need => {
  const meanPerSecond = demand.runsPerMonth / secondsPerMonth
  const peakPerSecond = meanPerSecond * demand.peak
  const cores = coresAt(peakPerSecond, demand)
  const activeRuns = peakPerSecond * demand.secondsPerRun
  const rowBytes =
    constants.rowBytesPerRun + constants.rowBytesPerDelivery * demand.deliveriesPerRun + demand.bytesPerRun
  const streamEvents = demand.eventsPerStream * demand.streamShare
  const walBytes =
    constants.walBytesPerRun +
    constants.walBytesPerDelivery * demand.deliveriesPerRun +
    constants.walBytesPerStreamEvent * streamEvents +
    demand.bytesPerRun
  const streamEventBytes = constants.rowBytesPerStreamEvent * streamEvents
  const databaseBytes =
    meanPerSecond * 86_400 * (demand.retentionDays * rowBytes + constants.streamEventDays * streamEventBytes)
  const wanted = {
    'Postgres CPU': cores.postgres / (cell.postgresCores * cell.usedShare),
    slots: activeRuns / cell.slots,
    'time to restore': databaseBytes / (cell.restoreSeconds * cell.copyBytesPerSecond),
  } as const satisfies Record<Need['limit'], number>
  const [limit, share] = (Object.entries(wanted) as [Need['limit'], number][]).reduce((most, each) =>
    each[1] > most[1] ? each : most,
  )
  return {
    meanPerSecond,
    peakPerSecond,
    cores,
    connections:
      processesFor(cores.gateway) * constants.connectionsOfGateway +
      processesFor(cores.worker) * constants.connectionsOfWorker,
    activeRuns,
    streamBytes: activeRuns * demand.streamShare * constants.streamBytes,
    walBytesPerSecond: peakPerSecond * walBytes,
    engineWalBytesPerSecond: peakPerSecond * constants.engineWalBytesPerRun,
    databaseBytes,
    cells: Math.max(1, Math.ceil(share)),
    limit,
  }
}

const processesFor = (cores: number): number => Math.max(1, Math.ceil(cores / cell.usedShare))

const coresAt = (perSecond: number, demand: Demand): Record<Part, number> => {
  const sharing = Math.min(1, perSecond / sharedFromPerSecond)
  const coresOf = (part: Part): number => {
    const run = constants.runAlone[part] + (constants.runShared[part] - constants.runAlone[part]) * sharing
    const ms =
      run +
      constants.step[part] * (demand.stepsPerRun - 1) +
      constants.delivery[part] * demand.deliveriesPerRun +
      constants.streamEvent[part] * demand.eventsPerStream * demand.streamShare
    return constants.idle[part] + (perSecond * ms) / 1_000
  }
  return Object.fromEntries(parts.map((part) => [part, coresOf(part)])) as Record<Part, number>
}
