import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../lab/random.ts'
import { checkStoredStepsStay, countSteps } from '../checks/steps.ts'
import { type Kill, planKills } from '../kill-plan.ts'
import { allCompleted, orderOfSteps, playArrivals, playClients, type Watch } from '../load.ts'
import type { RunOrder } from '../run-client.ts'
import { claim, type Metric, measured, type Stage, scenario } from '../scenario.ts'
import { watchEnds } from '../subscription.ts'

type Size = {
  runs: number
  kills: number
  /** `clients`: concurrent runs. `perSecond`: arrivals per second, independent of the others. */
  load: { clients: number } | { perSecond: number }
  /** Between two faults at the least: a backlog that is worked off in a rush must not draw a rush of kills after it. */
  killsApartMs: number
}

const steps = 3
const stepDelayMs = [100, 600] as const
const maxDrainMs = 180_000

/** kill -9 of every part at random moments, while runs of several steps are under way. */
export const crash = scenario<Size>({
  name: 'R5',
  promise:
    'An accepted run survives any single crash: whatever is killed, every run that got a 2xx ends completed, once.',
  sizes: {
    ci: { runs: 100, kills: 6, load: { clients: 16 }, killsApartMs: 0 },
    full: { runs: 36_000, kills: 180, load: { perSecond: 20 }, killsApartMs: 5000 },
  },
  patienceMs: { ci: 180_000, full: 45 * 60_000 },
  play: async (stage, size) => {
    const { fleet, random } = stage
    const ends = await watchEnds(stage)
    const orders = Array.from({ length: size.runs }, (_, n) => {
      const dice = random.fork(`run-${n}`)
      return orderOfSteps(fleet, stage.key(n), {
        input: { steps, delay_ms: dice.whole(...stepDelayMs) },
        // Half of the clients wait on the line, the others ask again.
        prefer: dice.pick(['wait=10', 'respond-async']),
      })
    })
    const plan = planKills(random.fork('kills'), { kills: size.kills, ended: size.runs })
    let ended = 0
    const underWay = new Set<RunOrder>()
    const watch: Watch = {
      onBegin: (order) => void underWay.add(order),
      onEnd: (order) => {
        ended++
        underWay.delete(order)
      },
    }
    const clients =
      'clients' in size.load
        ? playClients(stage, orders, { ...size.load, ...watch })
        : playArrivals(stage, orders, { ...size.load, ...watch })
    const killed = await carryOutKills(stage, plan, () => ended, {
      random: random.fork('moments'),
      apartMs: size.killsApartMs,
    })
    await fleet.supervision.settle()
    // Those that arrive later are no backlog of the faults.
    const backlog = underWay.size
    const draining = drain(underWay)
    const outcomes = await clients
    const drainedMs = await draining

    const records = await stage.records()
    const ledger = stage.ledgerOf(records)
    const counts = countSteps(ledger, records)
    const completed = outcomes.filter(({ status }) => status === 'completed').length
    const told = await ends(records.runs)
    return {
      metrics: [
        ['runs', outcomes.length],
        ['runs completed', completed],
        ['kills', `${killed.length}: ${perPart(killed)}`],
        [
          'runs submitted again under a new epoch',
          new Set(records.steps.filter(({ epoch }) => epoch > 1).map(({ run_id }) => run_id)).size,
        ],
        ['steps begun', counts.begun],
        ['steps stored', counts.stored],
        ['steps that ran twice', counts.ranTwice],
        ['runs under way at the last return of a part', backlog],
        ['seconds until these had ended', (drainedMs / 1000).toFixed(1)],
        ...told.metrics,
      ] satisfies Metric[],
      claims: [
        allCompleted('every run that got a 2xx ends completed', outcomes),
        claim(`every run has its ${steps} steps`, counts.stored === size.runs * steps, `${counts.stored} stored steps`),
        measured(`${size.kills} kills while runs were under way`, killed.length >= size.kills, `only ${killed.length}`),
        { says: 'a step whose result was stored never ran again', violations: checkStoredStepsStay(ledger, records) },
        measured('the backlog is gone 3 minutes after the last fault', drainedMs <= maxDrainMs, `${drainedMs} ms`),
        ...told.claims,
      ],
    }
  },
})

/** Until those that are under way now have ended, whatever begins meanwhile. */
const drain = async (underWay: ReadonlySet<RunOrder>): Promise<number> => {
  const begun = performance.now()
  const backlog = [...underWay]
  while (backlog.some((order) => underWay.has(order))) await sleep(100)
  return performance.now() - begun
}

/** Each kill waits until this many runs have ended and a moment longer, so that all kills happen during the work. */
export const carryOutKills = async (
  { fleet, say, hopeless }: Stage,
  plan: readonly Kill[],
  ended: () => number,
  { random, apartMs = 0 }: { random: Random; apartMs?: number },
): Promise<string[]> => {
  const killed: string[] = []
  let notBeforeMs = 0
  for (const { victims, afterEnded } of plan) {
    const mustWait = (): boolean => ended() < afterEnded || performance.now() < notBeforeMs
    while (mustWait() || !victims.every(fleet.supervision.isUp)) {
      say(`${ended()} runs ended, ${killed.length} kills`)
      hopeless.throwIfAborted()
      await sleep(20)
    }
    await sleep(random.whole(0, 400))
    // Another scenario on the same stack may have been quicker.
    const present = victims.filter(fleet.supervision.isUp)
    await Promise.all(present.map((victim) => fleet.supervision.kill(victim)))
    killed.push(...victims)
    notBeforeMs = performance.now() + apartMs
  }
  return killed
}

const perPart = (names: readonly string[]): string =>
  [...Map.groupBy(names, (name) => name)]
    .map(([name, { length }]) => `${name} ${length}`)
    .toSorted()
    .join(', ')
