import { setTimeout as sleep } from 'node:timers/promises'
import { type Plan, plans } from '@ars/contract'
import { plantRatedKeys, type RatedKey } from '../../lab/stack/rated-keys.ts'
import { checkExact, hasPassedLimit, type RatedCall, type Tally, tallyOf } from '../checks/rates.ts'
import { limiterTurns } from '../limiter-log.ts'
import { type RateClients, startRateClients } from '../rate-clients.ts'
import { claim, measured, type Stage, scenario } from '../scenario.ts'

type Size = {
  /** Of the largest plan: emptying all of it takes two slow cores a minute. */
  businessBurst: number
  /** Of emptying one bucket: a slow machine may not be able to ask for more than the largest plan allows. */
  maxBurstSeconds: number
  /** How long each plan is asked for twice its rate, once its burst is gone. */
  seconds: number
  /** Keys that are all asked at once. */
  keys: number
  /** Refusals whose `Retry-After` is tried. */
  retries: number
}

const atOnce = 24
const maxTries = 3
const coldBurst = 400
/** As an operator may set them for an enterprise, in no simple proportion to anything. */
const custom = { requestsPerMinute: 777, burst: 130 }
const many = { requestsPerMinute: 30, burst: 3 }
const asksPerKey = 6
/** Time for a call to be answered before the moment at which it must still be refused. */
const aheadMs = 250
const retried = { requestsPerMinute: 40, burst: 2 }

/** One token bucket per key, shared by all gateways, under any load. */
export const limits = scenario<Size>({
  name: 'R18',
  promise: 'Limits are exact and shared: burst and rate of every plan over two gateways, and Retry-After is correct.',
  sizes: {
    ci: { businessBurst: 1_500, maxBurstSeconds: 20, seconds: 20, keys: 1000, retries: 100 },
    full: { businessBurst: plans.business.burst, maxBurstSeconds: 180, seconds: 600, keys: 1000, retries: 1000 },
  },
  patienceMs: { ci: 300_000, full: 40 * 60_000 },
  play: async (stage, size) => {
    const clients = startRateClients(stage.fleet)
    const again: string[] = []
    const play = async <Found>(name: string, one: () => Promise<Found>): Promise<Found> => {
      const found = await undisturbed(stage, one, () => again.push(name))
      stage.say(`${name}: done`)
      return found
    }
    try {
      const cold = await play('the cold burst', () => playCold(stage, clients))
      const steady = await play('the plans', () => playPlans(stage, clients, size))
      const crowd = await play('the crowd', () => playCrowd(stage, clients, size))
      const retries = await play('the retries', () => playRetries(stage, clients, size))
      const tallies = [cold, ...steady]
      return {
        metrics: [
          ...tallies.map(({ name, tally }) => [name, inWords(tally)] as const),
          [
            `${size.keys} keys at once, ${asksPerKey} calls each`,
            `${crowd.tally.passed} passed, ${crowd.tally.others.length} were neither let pass nor refused`,
          ],
          ['keys that let more pass than 2 % above their limit', crowd.over.length],
          ['requests at the second that Retry-After named', `${retries.tried}, of which ${retries.passed} passed`],
          ['requests a second before', `${retries.early}, of which ${retries.earlyPassed} passed`],
          ['played again, because a gateway had lost Redis', again.join(', ') || 'nothing'],
        ],
        claims: [
          {
            says: 'burst + rate × elapsed pass, ± 1 %, on every plan',
            violations: tallies.flatMap(({ name, tally }) => checkExact(name, tally, 0.01)),
          },
          {
            says: 'calls that pass get 404, all others get 429',
            violations: [...tallies, { name: 'retries', tally: retries.tally }]
              .filter(({ tally }) => tally.others.length > 0)
              .map(
                ({ name, tally }) => `${name}: ${[...new Set(tally.others)].join(', ')}, ${tally.others.length} times`,
              ),
            isMeasured: true,
          },
          measured(
            'at least four of five plans were asked for more than they allow, and refused it',
            steady.filter(({ tally }) => tally.refused > 0).length >= 4,
            'fewer were',
          ),
          { says: 'of a thousand keys at once none is over by more than 2 %', violations: crowd.over },
          measured(
            'at the second that Retry-After names, at least 99 % pass',
            retries.passed >= 0.99 * retries.tried,
            `${retries.passed} of ${retries.tried}`,
          ),
          claim(
            'a second earlier none passes',
            retries.earlyPassed === 0,
            `${retries.earlyPassed} of ${retries.early}`,
          ),
        ],
      }
    } finally {
      await clients.close()
    }
  },
})

/**
 * A gateway that waits too long for Redis goes on alone, and then a limit is not exact: that is another promise. Where the
 * machine stood still so long, the stretch says nothing and is played again, with other keys.
 */
const undisturbed = async <Found>(
  { fleet }: Stage,
  play: () => Promise<Found>,
  onDisturbance: () => void,
): Promise<Found> => {
  const count = (): number => fleet.gateways.reduce((sum, gateway) => sum + limiterTurns(gateway).length, 0)
  for (let tries = 1; ; tries++) {
    const before = count()
    const found = await play()
    if (count() === before || tries === maxTries) return found
    onDisturbance()
  }
}

type Named = {
  name: string
  tally: Tally
}

const playCold = async ({ fleet }: Stage, clients: RateClients): Promise<Named> => {
  const [key] = await plantRatedKeys(fleet.stack, 'cold', { plan: 'free', limits: plans.free })
  if (!key) throw new Error('no key was made')
  const calls = await clients.all(Array<string>(coldBurst).fill(key.apiKey), atOnce)
  return { name: `free, ${coldBurst} at once`, tally: tallyOf(calls, key) }
}

/** First its burst as fast as possible, then twice its rate: all that a bucket can be made to give. */
const playPlans = async (
  { fleet }: Stage,
  clients: RateClients,
  { seconds, businessBurst, maxBurstSeconds }: Size,
): Promise<Named[]> => {
  const all = Object.keys(plans) as Plan[]
  const keys = await Promise.all(
    all.map(async (plan) => {
      const own = { business: { ...plans.business, burst: businessBurst }, enterprise: custom }
      const limits = { ...plans, ...own }[plan]
      const [key] = await plantRatedKeys(fleet.stack, plan, { plan, limits })
      if (!key) throw new Error('no key was made')
      return key
    }),
  )
  // Side by side and without a pause in between: a bucket that is left alone fills again.
  return Promise.all(
    keys.map(async (key) => {
      const burst = await clients.untilRefused(key.apiKey, { clients: atOnce / 3, maxSeconds: maxBurstSeconds })
      // Enough that at least one in two is refused, and enough to measure on the smallest plan.
      const perSecond = Math.max(1, (2 * key.requestsPerMinute) / 60)
      const steady = await clients.steadily(key.apiKey, { perSecond, seconds })
      const tally = tallyOf([...burst, ...steady], key)
      return { name: `${key.name}, ${key.requestsPerMinute} a minute, burst ${key.burst}`, tally }
    }),
  )
}

const playCrowd = async ({ fleet, random }: Stage, clients: RateClients, { keys: count }: Size) => {
  const keys = await plantRatedKeys(fleet.stack, 'crowd', { plan: 'enterprise', keys: count, limits: many })
  const asks = random.fork('crowd').shuffle(keys.flatMap((key) => Array<RatedKey>(asksPerKey).fill(key)))
  const calls = await clients.all(
    asks.map(({ apiKey }) => apiKey),
    atOnce,
  )
  const byKey = Map.groupBy(
    calls.map((call, at) => ({ ...call, key: asks[at] })),
    ({ key }) => key,
  )
  const over = [...byKey].flatMap(([key, each]) => {
    if (!key) return []
    const { passed, most } = tallyOf(each, key)
    return passed > most * 1.02 ? [`${key.name}: ${passed} passed, ${most} at the most`] : []
  })
  return {
    over,
    tally: tallyOf(calls, { requestsPerMinute: many.requestsPerMinute * count, burst: many.burst * count }),
  }
}

/** Empties a bucket, waits for Retry-After and calls the other gateway; half of them first try a second too early. */
const playRetries = async ({ fleet }: Stage, clients: RateClients, { retries: count }: Size) => {
  const keys = await plantRatedKeys(fleet.stack, 'retries', { plan: 'enterprise', keys: count, limits: retried })
  const all: RatedCall[] = []
  const ask = async (gateway: number, key: RatedKey): Promise<RatedCall> => {
    const call = await clients.once(gateway, key.apiKey)
    all.push(call)
    return call
  }
  const counts = { tried: 0, passed: 0, early: 0, earlyPassed: 0 }
  const tryKey = async (key: RatedKey, n: number): Promise<void> => {
    let call = await ask(n % 2, key)
    while (hasPassedLimit(call)) call = await ask(n % 2, key)
    const waitMs = (call.retryAfterSeconds ?? 0) * 1000
    const [answeredMs, sentMs] = [call.answeredMs, call.sentMs]
    if (n % 4 < 2 && waitMs > 1000) {
      const earlyMs = sentMs + waitMs - 1000
      await sleep(Math.max(0, earlyMs - aheadMs - performance.now()))
      const early = await ask(n % 2, key)
      // Only one that was answered by then says something.
      if (early.answeredMs <= earlyMs) {
        counts.early++
        if (hasPassedLimit(early)) counts.earlyPassed++
      }
      if (hasPassedLimit(early)) return
    }
    await sleep(Math.max(0, answeredMs + waitMs - performance.now()))
    counts.tried++
    if (hasPassedLimit(await ask((n + 1) % 2, key))) counts.passed++
  }
  const waiting = [...keys.entries()]
  const client = async (): Promise<void> => {
    for (let each = waiting.shift(); each; each = waiting.shift()) await tryKey(each[1], each[0])
  }
  await Promise.all(Array.from({ length: atOnce }, client))
  return {
    ...counts,
    tally: tallyOf(all, { requestsPerMinute: retried.requestsPerMinute * count, burst: retried.burst * count }),
  }
}

const inWords = ({ calls, passed, least, most, seconds }: Tally): string =>
  `${passed} of ${calls} in ${seconds.toFixed(1)} s; exact is ${least}–${most}`
