import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerPart } from '@ars/tools/dev/server'
import { plantRatedKeys, type RatedKey } from '../../lab/stack/rated-keys.ts'
import { hasPassedLimit, type RatedCall } from '../checks/rates.ts'
import { mostOf } from '../extent.ts'
import { limiterTurns } from '../limiter-log.ts'
import { type RateClients, startRateClients } from '../rate-clients.ts'
import { measured, type Stage, scenario } from '../scenario.ts'

type Size = {
  /** How long each fault lasts, and each healthy stretch before it. */
  faultSeconds: number
  healthySeconds: number
}

/** The fault in Redis, and how far beyond its limit a key may then get. */
type Fault = {
  name: string
  /** The gateways that lose Redis, 0 and 1. */
  gateways: readonly number[]
  begin(stage: Stage): Promise<() => Promise<void> | void>
}

type Stretch = {
  name: string
  healthy: readonly RatedCall[]
  /** From the moment of the fault until it is healed and felt no more. */
  faulty: readonly RatedCall[]
  faultAtMs: number
  /** Until each gateway that lost Redis had noticed. */
  noticedMs: readonly number[]
}

const rate = { requestsPerMinute: 1_200, burst: 40 }
const overload = 3
/** From the fault on; by then every request is decided in process. */
const fallBackMs = 250
/** After the healing: the next look at Redis, and the last of what was under way. */
const afterwardsSeconds = 2
const latencySlackMs = 20
const maxAllowed = 1.5

const faults: readonly Fault[] = [
  {
    name: 'killed',
    gateways: [0, 1],
    begin: ({ fleet }) => fleet.supervision.takeDown('redis', 'kill'),
  },
  {
    name: 'frozen',
    gateways: [0, 1],
    begin: async ({ fleet }) => {
      const outage = fleet.supervision.noteOutage('redis', 'frozen')
      fleet.stack.redis.freeze()
      return () => {
        fleet.stack.redis.thaw()
        outage.end()
      }
    },
  },
  { name: 'swallowed for one gateway', gateways: [1], begin: async (stage) => cutOff(stage, { blackhole: 'both' }) },
  { name: '2 s late for one gateway', gateways: [1], begin: async (stage) => cutOff(stage, { latencyMs: 2000 }) },
]

/** Without Redis a limit is neither open nor shut, and nobody waits for it. */
export const limiterOutage = scenario<Size>({
  name: 'R19',
  promise:
    'A limiter outage neither opens the limits nor stops calls: each gateway continues with its share, and no call waits.',
  sizes: { ci: { faultSeconds: 6, healthySeconds: 4 }, full: { faultSeconds: 60, healthySeconds: 30 } },
  patienceMs: { ci: 240_000, full: 20 * 60_000 },
  play: async (stage, size) => {
    const [key] = await plantRatedKeys(stage.fleet.stack, 'outage', { plan: 'enterprise', limits: rate })
    if (!key) throw new Error('no key was made')
    const stretches: Stretch[] = []
    const clients = startRateClients(stage.fleet)
    try {
      for (const fault of faults) {
        stretches.push(await playFault(stage, clients, { fault, key, size }))
        stage.say(`redis was ${fault.name}`)
      }
    } finally {
      await clients.close()
    }
    const judged = stretches.map(judge)
    return {
      metrics: judged.flatMap(({ name, metrics }) =>
        metrics.map(([what, value]) => [`${name}: ${what}`, value] as const),
      ),
      claims: [
        {
          says: 'calls that pass get 404, all others get 429',
          violations: judged.flatMap(({ others }) => others),
          // A gateway that gets no time from its computer turns calls away with 503.
          isMeasured: true,
        },
        {
          says: `at most ${maxAllowed} times the limit passes, and at least half of it`,
          violations: judged.flatMap(({ amount }) => amount),
          isMeasured: true,
        },
        {
          says: `each gateway falls back to local limits within ${fallBackMs} ms plus the usual latency of a call`,
          violations: judged.flatMap(({ late }) => late),
          isMeasured: true,
        },
        {
          says: `after ${fallBackMs} ms calls take as long as before, p99 within twice or ${latencySlackMs} ms`,
          violations: judged.flatMap(({ slower }) => slower),
          isMeasured: true,
        },
        measured(
          'all the time more was asked for than is allowed',
          stretches.every(({ faulty, healthy }) => [faulty, healthy].every(wasRefused)),
          'once nothing was refused',
        ),
      ],
    }
  },
})

const playFault = async (
  stage: Stage,
  clients: RateClients,
  { fault, key, size }: { fault: Fault; key: RatedKey; size: Size },
): Promise<Stretch> => {
  const seconds = size.healthySeconds + size.faultSeconds + afterwardsSeconds
  const perSecond = (overload * key.requestsPerMinute) / 60
  const asking = clients.steadily(key.apiKey, { perSecond, seconds })
  await sleep(size.healthySeconds * 1000)
  const [faultAtMs, faultAt] = [performance.now(), new Date()]
  const heal = await fault.begin(stage)
  await sleep(size.faultSeconds * 1000)
  await heal()
  const calls = await asking
  return {
    name: fault.name,
    faultAtMs,
    noticedMs: fault.gateways.map((gateway) => noticedAfterMs(stage.fleet.gateways[gateway], faultAt)),
    healthy: calls.filter(({ answeredMs }) => answeredMs < faultAtMs),
    faulty: calls.filter(({ answeredMs }) => answeredMs >= faultAtMs),
  }
}

const cutOff = ({ fleet }: Stage, toxics: Parameters<Stage['fleet']['edges']['set']>[1]): (() => void) => {
  const outage = fleet.supervision.noteOutage('gateway-2', 'cut off')
  fleet.edges.set('gateway-2', toxics, 'redis')
  return () => {
    fleet.edges.set('gateway-2', {}, 'redis')
    outage.end()
  }
}

/** One that was without Redis already, because the machine had stood still, need not notice. */
const noticedAfterMs = (gateway: ServerPart | undefined, faultAt: Date): number => {
  const turns = gateway ? limiterTurns(gateway) : []
  if (turns.findLast(({ at }) => at < faultAt)?.isAlone) return 0
  const noticed = turns.find(({ at, isAlone }) => isAlone && at >= faultAt)
  return noticed ? noticed.at.getTime() - faultAt.getTime() : Number.POSITIVE_INFINITY
}

const judge = ({ name, healthy, faulty, faultAtMs, noticedMs }: Stretch) => {
  const others = [...healthy, ...faulty].filter((call) => call.status !== 429 && !hasPassedLimit(call))
  const passed = faulty.filter(hasPassedLimit).length
  const seconds = (mostOf(faulty.map(({ answeredMs }) => answeredMs)) - faultAtMs) / 1000
  const limit = (seconds * rate.requestsPerMinute) / 60
  const settled = faulty.filter(({ sentMs }) => sentMs >= faultAtMs + fallBackMs)
  const [before, after] = [latencies(healthy), latencies(settled)]
  const most = mostOf(latencies(faulty))
  const [p99, p99After] = [at(before, 0.99), at(after, 0.99)]
  const amountIsRight = passed <= maxAllowed * (limit + rate.burst) && passed >= 0.5 * limit
  return {
    name,
    metrics: [
      ['passed, and the rate over the time', `${passed}, ${limit.toFixed(0)}: ${(passed / limit).toFixed(2)} times`],
      ['ms without the fault: p50, p99, most', [0.5, 0.99, 1].map((share) => at(before, share).toFixed(0)).join(', ')],
      [`ms ${fallBackMs} ms after it`, [0.5, 0.99, 1].map((share) => at(after, share).toFixed(0)).join(', ')],
      ['longest call meanwhile, ms', most.toFixed(0)],
      ['ms until the gateways had noticed', noticedMs.join(', ')],
    ] as const,
    others: others.length > 0 ? [`${name}: ${others.length} answers like ${others[0]?.status}`] : [],
    amount: amountIsRight ? [] : [`${name}: ${passed} passed, the rate over the time is ${limit.toFixed(0)}`],
    late: noticedMs.filter((ms) => ms > fallBackMs + p99).map((ms) => `${name}: ${ms} ms`),
    slower:
      p99After <= Math.max(2 * p99, p99 + latencySlackMs)
        ? []
        : [`${name}: p99 ${p99After.toFixed(0)} ms against ${p99.toFixed(0)} ms`],
  }
}

const wasRefused = (calls: readonly RatedCall[]): boolean => calls.some(({ status }) => status === 429)

const latencies = (calls: readonly RatedCall[]): number[] =>
  calls.map(({ sentMs, answeredMs }) => answeredMs - sentMs).toSorted((a, b) => a - b)

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
