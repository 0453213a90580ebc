import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { longestTurn, loopWatch } from '../../lab/heavy/heavy-work.ts'
import { mostOf } from '../extent.ts'
import { type Hostility, plantHostile } from '../hostile-customer.ts'
import { percentile, shown } from '../quiet-customers.ts'
import { addDayCustomers, type Day, type DayCustomer, kinds, playDay } from '../quiet-day.ts'
import { type Claim, claim, type Metric, measured, type Stage, scenario } from '../scenario.ts'
import { killWorkers } from '../worker-kills.ts'

type Size = Hostility & {
  /** Quiet customers, and the factor by which the time between two of their requests is stretched. */
  customers: number
  paceFactor: number
  soloSeconds: number
  besideSeconds: number
  /** With a worker killed every 20 s: alone, and as long beside the hostile one. Zero: left out. */
  killedSeconds: number
  /** With a worker that stands still for so long. Zero: left out. */
  frozenSeconds: number
}

const killEveryMs = 20_000
/** The p99 of each kind beside the hostile customer is at most this multiple of that alone, and this much more. */
const times = 2
const slackMs = 1_000
const maxTurnMs = 200
/** What a frozen worker holds is taken by others after its lease and a look. */
const leaseMs = 30_000
const afterLeaseMs = 10_000
const leadInMs = 3_000

const turnsFile = join(tmpdir(), `ars-hostile-neighbour-${process.pid}`)

/** One customer does at once whatever once held up others. The quiet ones do everything a little. */
export const hostileNeighbour = scenario<Size>({
  name: 'hostile-neighbour',
  promise:
    'A customer that does everything at once that its plan allows delays nobody: p99 of each kind of work of others is at most twice as long and a second more, no call is refused, and nothing is lost, also while workers are killed or frozen.',
  serverEnv: loopWatch(turnsFile),
  // The quiet customers together use about a fifth of two slow cores. With a load that fills them, the play would measure the processor.
  sizes: {
    ci: {
      ...{ customers: 8, paceFactor: 3, soloSeconds: 60, besideSeconds: 60, killedSeconds: 0, frozenSeconds: 0 },
      ...{ schedules: 1_000, alertRules: 25, slowFirings: 60, slowItems: 100 },
    },
    full: {
      ...{ customers: 50, paceFactor: 16, soloSeconds: 300, besideSeconds: 600, killedSeconds: 300, frozenSeconds: 60 },
      ...{ schedules: 1_000, alertRules: 25, slowFirings: 60, slowItems: 100 },
    },
  },
  patienceMs: { ci: 600_000, full: 90 * 60_000 },
  play: async (stage, size) => {
    const { fleet, say } = stage
    const resume = await fleet.neighbour.pause()
    const quiet = await addDayCustomers(stage, size.customers)
    const hostile = await plantHostile(stage, size)
    try {
      const day = (part: string, seconds: number) =>
        playDay(stage, quiet, { part, seconds, paceFactor: size.paceFactor })
      const metrics: Metric[] = [['quiet customers', size.customers]]
      const claims: Claim[] = []
      await day('warm-up', 5)
      const solo = await day('solo', size.soloSeconds)
      say('alone is over')

      await hostile.begin()
      await sleep(leadInMs)
      const sinceMs = Date.now()
      const beside = await day('beside', size.besideSeconds)
      const turnMs = longestTurn(turnsFile, sinceMs)
      metrics.push(['responses to the hostile customer', await hostile.end()])
      metrics.push(['longest turn of an event loop, ms of CPU of its thread', turnMs])
      say('beside is over')
      const compared = compare('beside', solo, beside)
      metrics.push(...compared.metrics)
      claims.push(...compared.claims)
      claims.push(
        measured(`no turn of an event loop takes over ${maxTurnMs} ms of CPU`, turnMs <= maxTurnMs, `${turnMs} ms`),
      )

      if (size.killedSeconds > 0) {
        const alone = await withKills(stage, () => day('killed-solo', size.killedSeconds))
        await hostile.begin()
        const killed = await withKills(stage, () => day('killed-beside', size.killedSeconds))
        await hostile.end()
        const both = compare('beside, with kills', alone, killed)
        metrics.push(...both.metrics)
        claims.push(...both.claims)
      }
      if (size.frozenSeconds > 0) {
        await hostile.begin()
        const frozen = await withFrozenWorker(stage, { quiet, size })
        await hostile.end()
        for (const kind of kinds) {
          const [alone, most] = [mostOf(solo.delays[kind]), mostOf(frozen.delays[kind])]
          claims.push(
            measured(
              `${kind} beside a frozen worker: at most the lease and ${afterLeaseMs / 1_000} s later than alone`,
              most <= alone + leaseMs + afterLeaseMs,
              `${Math.round(most)} ms against ${Math.round(alone)} ms`,
            ),
          )
        }
        claims.push(
          ...keeps('with a frozen worker', frozen),
          claim(
            'with a frozen worker: each kind was played',
            kinds.every((kind) => frozen.delays[kind].length > 0),
            kinds.map((kind) => `${kind} ${frozen.delays[kind].length}`).join(', '),
          ),
        )
      }
      return { metrics, claims }
    } finally {
      await hostile.close()
      rmSync(turnsFile, { force: true })
      resume()
    }
  },
})

const compare = (name: string, alone: Day, beside: Day): { metrics: Metric[]; claims: Claim[] } => ({
  metrics: kinds.map(
    (kind): Metric => [
      `${kind} alone → ${name}, number; ms: p50, p95, p99, most`,
      `${alone.delays[kind].length}; ${shown(alone.delays[kind])} → ${beside.delays[kind].length}; ${shown(beside.delays[kind])}`,
    ],
  ),
  claims: [
    ...kinds.map((kind) => {
      const [before, p99] = [percentile(alone.delays[kind], 0.99), percentile(beside.delays[kind], 0.99)]
      const says = `${kind} ${name}: p99 is at most ${times} times that alone and ${slackMs / 1_000} s more`
      return measured(says, p99 <= times * before + slackMs, `${p99} ms against ${before} ms`)
    }),
    ...keeps(name, beside),
    claim(
      `${name}: there is enough to tell of each kind`,
      kinds.every((kind) => Math.min(alone.delays[kind].length, beside.delays[kind].length) >= 8),
      kinds.map((kind) => `${kind} ${alone.delays[kind].length} and ${beside.delays[kind].length}`).join(', '),
    ),
  ],
})

const keeps = (name: string, { refused, lost }: Day): Claim[] => [
  { says: `${name}: nothing that was accepted is lost`, violations: lost },
  { says: `${name}: no call of a quiet customer is refused`, violations: refused.slice(0, 20), isMeasured: true },
]

const withKills = async (stage: Stage, play: () => Promise<Day>): Promise<Day> => {
  const killing = killWorkers(stage, { everyMs: killEveryMs })
  try {
    return await play()
  } finally {
    await killing.stop()
    await stage.fleet.supervision.settle()
  }
}

const withFrozenWorker = async (
  stage: Stage,
  { quiet, size }: { quiet: readonly DayCustomer[]; size: Size },
): Promise<Day> => {
  const { fleet } = stage
  const [, worker] = fleet.workers
  const outage = fleet.supervision.noteOutage(worker.name, 'frozen')
  const seconds = size.frozenSeconds + (leaseMs + afterLeaseMs) / 1_000
  const playing = playDay(stage, quiet, { part: 'frozen', seconds, paceFactor: size.paceFactor })
  // It may fail before anybody waits for it.
  playing.catch(() => undefined)
  await sleep(leadInMs)
  worker.freeze()
  try {
    await sleep(size.frozenSeconds * 1_000)
  } finally {
    worker.thaw()
    outage.end()
  }
  return playing
}
