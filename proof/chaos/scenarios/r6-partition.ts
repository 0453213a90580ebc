import { setTimeout as sleep } from 'node:timers/promises'
import { processorMs } from '../../lab/measure/process-metrics.ts'
import type { Random } from '../../lab/random.ts'
import { checkStoredStepsStay, countSteps } from '../checks/steps.ts'
import type { Called, Caller } from '../edges.ts'
import { allCompleted, type Ended, orderOfSteps, playUntil } from '../load.ts'
import { claim, measured, type Stage, scenario } from '../scenario.ts'
import { watchEnds } from '../subscription.ts'
import { freezeAndThaw } from '../thaw.ts'
import type { Toxics } from '../toxic-flow.ts'

type Fault =
  | { kind: 'stop' }
  | { kind: 'edge'; caller: Caller; called?: Called; toxics: Toxics; words: string; seconds: readonly [number, number] }

type Size = {
  faults: readonly Fault[]
  clients: number
  /** The time between two faults, and after the last. */
  healthySeconds: number
}

const steps = 3
const stepDelayMs = [100, 600] as const

const link = (caller: Caller, seconds: readonly [number, number]): Fault => ({
  kind: 'edge',
  caller,
  toxics: { blackhole: 'both' },
  words: `link of ${caller} down`,
  seconds,
})
const hole = (caller: Caller, called: Called, seconds: readonly [number, number]): Fault => ({
  kind: 'edge',
  caller,
  called,
  toxics: { blackhole: 'up' },
  words: `${caller} to ${called} swallowed`,
  seconds,
})
const slow = (caller: Caller, toxics: Toxics, words: string): Fault => ({
  kind: 'edge',
  caller,
  toxics,
  words: `${caller} ${words}`,
  seconds: [15, 30],
})
const latency = { latencyMs: 200, jitterMs: 150 }
const bandwidth = { bytesPerSecond: 8192 }
const callers = ['gateway-2', 'worker-2', 'engine'] as const

const everyFault: readonly Fault[] = [
  { kind: 'stop' },
  ...callers.map((caller) => link(caller, [5, 60])),
  ...(['postgres', 'redis', 'ingress', 'admin'] as const).flatMap((called) => [
    hole('gateway-2', called, [10, 30]),
    hole('worker-2', called, [10, 30]),
  ]),
  hole('engine', 'worker', [10, 30]),
  { kind: 'stop' },
  ...callers.map((caller) => slow(caller, latency, 'late')),
  ...callers.map((caller) => slow(caller, bandwidth, 'narrow')),
  { kind: 'stop' },
]

/** A part that hangs, is cut off or is slow is harder to detect than a dead one. */
export const partition = scenario<Size>({
  name: 'R6',
  promise:
    'Survives pause and partition: a part that hangs or is cut off loses nothing, and writes nothing once it is back.',
  sizes: {
    ci: {
      faults: [{ kind: 'stop' }, hole('worker-2', 'postgres', [8, 8]), link('gateway-2', [8, 8])],
      clients: 8,
      healthySeconds: 4,
    },
    full: { faults: everyFault, clients: 16, healthySeconds: 20 },
  },
  patienceMs: { ci: 180_000, full: 45 * 60_000 },
  play: async (stage, size) => {
    const { fleet, random } = stage
    const ends = await watchEnds(stage)
    const load = playUntil(stage, {
      clients: size.clients,
      next: (n) => {
        const dice = random.fork(`run-${n}`)
        return orderOfSteps(fleet, stage.key(n), {
          input: { steps, delay_ms: dice.whole(...stepDelayMs) },
          prefer: dice.pick(['wait=10', 'respond-async']),
        })
      },
    })
    const thaws: Awaited<ReturnType<typeof freezeAndThaw>>[] = []
    const told: string[] = []
    const spent: { steady: number; healed: number }[] = []
    let steady = await processorShare(stage, size.healthySeconds)
    for (const fault of size.faults) {
      if (fault.kind === 'stop') {
        thaws.push(await freezeAndThaw(stage, `thaw-${thaws.length}`, { runs: 16 }))
        told.push('SIGSTOP of a worker')
      } else told.push(await cutOff(stage, fault, random.fork(fault.words)))
      stage.say(`${told.at(-1)}; ${load.ended.length} runs ended`)
      const healed = await processorShare(stage, size.healthySeconds)
      spent.push({ steady, healed })
      steady = Math.max(steady, healed)
    }
    const ended: Ended[] = [...(await load.stop()), ...thaws.flatMap((thaw) => thaw.ended)]
    const records = await stage.records()
    const ledger = stage.ledgerOf(records)
    const counts = countSteps(ledger, records)
    const webhook = await ends(records.runs)
    return {
      metrics: [
        ['faults', told.join('; ')],
        ['runs', ended.length],
        ['steps that ran twice', counts.ranTwice],
        ['steps taken from a frozen worker', thaws.map(({ takenOver }) => takenOver).join(', ')],
        ['seconds until its runs had ended without it', thaws.map(({ seconds }) => seconds.toFixed(1)).join(', ')],
        ['steps that the thawed worker gave up', thaws.map(({ givenUp }) => givenUp).join(', ')],
        ['rows compared before and after the thaw', thaws.reduce((sum, { rows }) => sum + rows, 0)],
        [
          'processor, before and after each fault',
          spent.map((each) => `${shown(each.steady)} → ${shown(each.healed)}`).join(', '),
        ],
        ...webhook.metrics,
      ],
      claims: [
        allCompleted('every run completes', ended),
        claim(`every run has its ${steps} steps`, counts.stored === ended.length * steps, `${counts.stored} stored`),
        { says: 'a step whose result was stored never ran again', violations: checkStoredStepsStay(ledger, records) },
        { says: 'no row changes after a thaw', violations: thaws.flatMap(({ changes }) => changes) },
        measured(
          'a worker was frozen inside a step each time',
          thaws.every(({ takenOver }) => takenOver > 0),
          'once no step changed hands',
        ),
        {
          isMeasured: true,
          says: 'after the faults the parts use at most twice the CPU time of before',
          violations: spent
            .filter(({ steady, healed }) => healed > Math.max(2 * steady, 0.5))
            .map(({ steady, healed }) => `${shown(steady)} → ${shown(healed)}`),
        },
        ...webhook.claims,
      ],
    }
  },
})

const cutOff = async ({ fleet }: Stage, fault: Fault & { kind: 'edge' }, random: Random): Promise<string> => {
  const outage = fleet.supervision.noteOutage(fault.caller, 'cut off')
  const seconds = random.whole(...fault.seconds)
  fleet.edges.set(fault.caller, fault.toxics, fault.called)
  await sleep(seconds * 1000)
  fleet.edges.set(fault.caller, {}, fault.called)
  outage.end()
  return `${fault.words} for ${seconds} s`
}

/** Processors that the servers keep busy: 1 is one of them. */
const processorShare = async ({ fleet }: Stage, seconds: number): Promise<number> => {
  const sum = (): number =>
    [...fleet.gateways, ...fleet.workers].reduce((total, part) => total + processorMs(part.pid() ?? process.pid), 0)
  const [before, begun] = [sum(), performance.now()]
  await sleep(seconds * 1000)
  return (sum() - before) / (performance.now() - begun)
}

const shown = (share: number): string => `${Math.round(share * 100)} %`
