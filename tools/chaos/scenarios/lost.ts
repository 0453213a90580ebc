import { setTimeout as sleep } from 'node:timers/promises'
import { checkStoredStepsStay, countSteps } from '../checks/steps.ts'
import { type Kill, planKills } from '../kill-plan.ts'
import { orderOfSteps, playClients } from '../load.ts'
import type { Random } from '../random.ts'
import { claim, type Figure, type Stage, scenario } from '../scenario.ts'

interface Size {
  runs: number
  kills: number
  /** Runs under way at the same time. */
  clients: number
}

const steps = 3
const stepDelayMs = [100, 600] as const

/** R5, small: kill -9 of every part at random moments, while runs of several steps are under way. */
export const lost = scenario<Size>({
  name: 'lost',
  promise: 'Nothing accepted is lost: whatever is killed, every run that got a 2xx ends completed, once.',
  sizes: { ci: { runs: 100, kills: 6, clients: 16 }, full: { runs: 500, kills: 24, clients: 24 } },
  play: async (stage, size) => {
    const { fleet, random } = stage
    const orders = Array.from({ length: size.runs }, (_, n) => {
      const dice = random.fork(`run-${n}`)
      return orderOfSteps(fleet, `lost-${n}`, {
        input: { steps, delay_ms: dice.whole(...stepDelayMs) },
        // Half of the clients wait on the line, the others ask again.
        prefer: dice.pick(['wait=10', 'respond-async']),
      })
    })
    const plan = planKills(random.fork('kills'), { kills: size.kills, ended: size.runs })
    let ended = 0
    const clients = playClients(stage, orders, { clients: size.clients, onEnd: () => ended++ })
    const killed = await carryOut(stage, plan, () => ended, random.fork('moments'))
    const outcomes = await clients
    await fleet.supervision.settle()

    const ledger = fleet.ledger()
    const records = await fleet.records.read()
    const counts = countSteps(ledger, records)
    const notCompleted = outcomes.filter(({ status }) => status !== 'completed')
    return {
      figures: [
        ['runs', outcomes.length],
        ['runs completed', outcomes.length - notCompleted.length],
        ['kills', `${killed.length}: ${perPart(killed)}`],
        [
          'runs submitted again under a new epoch',
          new Set(records.steps.filter(({ epoch }) => epoch > 1).map(({ run_id }) => run_id)).size,
        ],
        ['steps begun', counts.begun],
        ['steps stored', counts.stored],
        ['steps that ran twice', counts.ranTwice],
      ] satisfies Figure[],
      claims: [
        {
          says: 'every run that got a 2xx ends completed',
          violations: notCompleted.map(({ key, status }) => `${key} is ${status}`),
        },
        claim(`every run has its ${steps} steps`, counts.stored === size.runs * steps, `${counts.stored} stored steps`),
        claim(`${size.kills} kills while runs were under way`, killed.length >= size.kills, `only ${killed.length}`),
        { says: 'a step whose result was stored never ran again', violations: checkStoredStepsStay(ledger, records) },
      ],
    }
  },
})

/** Each kill waits until so many runs have ended, then for a moment more: so all of them fall into the work. */
async function carryOut(
  { fleet, say, hopeless }: Stage,
  plan: readonly Kill[],
  ended: () => number,
  random: Random,
): Promise<string[]> {
  const killed: string[] = []
  for (const { victims, afterEnded } of plan) {
    while (ended() < afterEnded || !victims.every(fleet.supervision.isUp)) {
      say(`${ended()} runs ended, ${killed.length} kills`)
      hopeless.throwIfAborted()
      await sleep(20)
    }
    await sleep(random.whole(0, 400))
    const present = victims.filter(fleet.supervision.isUp)
    await Promise.all(present.map((victim) => fleet.supervision.kill(victim)))
    killed.push(...present)
  }
  return killed
}

function perPart(names: readonly string[]): string {
  return [...Map.groupBy(names, (name) => name)]
    .map(([name, { length }]) => `${name} ${length}`)
    .toSorted()
    .join(', ')
}
