import type { Random } from '../../lab/random.ts'
import { judgeDeliveries } from '../checks/deliveries.ts'
import { postsOf } from '../checks/delivery-facts.ts'
import { addCustomer, type Customer, carryOutAll, quickOrder } from '../customers.ts'
import { byChance, type Plan } from '../receiver-answer.ts'
import { claim, measured, scenario } from '../scenario.ts'
import { factsOf, type Subscription, subscribe } from '../subscription.ts'
import { countWorkerKills, killWorkers } from '../worker-kills.ts'

type Size = {
  events: number
  /** Each belongs to a different customer, and the customers share the events equally. */
  endpoints: number
  clients: number
  killEverySeconds: number
  /** After this many kills the workers are left running. */
  maxKills: number
}

/** Receivers as they are, and senders that die at it. */
export const webhooks = scenario<Size>({
  name: 'R13',
  promise:
    'Webhooks are at-least-once: whatever receivers do and whichever worker dies, an event is delivered or has failed three times.',
  sizes: {
    ci: { events: 500, endpoints: 25, clients: 10, killEverySeconds: 10, maxKills: 2 },
    full: { events: 5000, endpoints: 50, clients: 10, killEverySeconds: 10, maxKills: 1000 },
  },
  patienceMs: { ci: 240_000, full: 40 * 60_000 },
  play: async (stage, size) => {
    const { fleet, random, say } = stage
    const kills = countWorkerKills(stage)
    const customers: Customer[] = []
    const subscriptions: Subscription[] = []
    for (let n = 0; n < size.endpoints; n++) {
      const customer = await addCustomer(stage, `c${n}`)
      const plan = unreliable(random.fork(`endpoint-${n}`))
      customers.push(customer)
      subscriptions.push(await subscribe(stage, `e${n}`, { client: customer.client, plan }))
    }
    const orders = Array.from({ length: size.events }, (_, n) => {
      const customer = customers[n % customers.length] as Customer
      // One in ten fails, which is an end too.
      const agent = n % 10 === 9 ? 'test-fail' : 'test-echo'
      return { customer, order: quickOrder(stage, customer, `run-${n}`, { agent }) }
    })
    const killing = killWorkers(stage, { everyMs: size.killEverySeconds * 1000, most: size.maxKills })
    let ended = 0
    const runs = await carryOutAll(orders, {
      clients: size.clients,
      onEnd: () => say(`${++ended} runs ended, ${killing.kills} kills, ${fleet.receiver.received().length} POSTs`),
    })
    const { left, ...facts } = await factsOf(stage, subscriptions, { drainMs: 20 * 60_000 })
    await killing.stop()
    for (const { pause } of subscriptions) await pause()
    const { metrics, claims } = judgeDeliveries(facts, { kills: kills() })
    const interrupted = facts.records.attempts.filter(({ duration_ms }) => duration_ms === null).length
    return {
      metrics: [
        ['runs', runs.length],
        ['workers killed', killing.kills],
        ['answers', answersOf(postsOf(facts))],
        ...metrics,
        ['attempts whose end no worker saw', interrupted],
      ],
      claims: [
        left,
        ...claims,
        claim(
          'as many ends as runs',
          facts.records.deliveries.length === size.events,
          `${facts.records.deliveries.length} deliveries`,
        ),
        measured(
          'workers died while they were sending',
          killing.kills > 0 && interrupted > 0,
          `${killing.kills} kills, ${interrupted} attempts interrupted`,
        ),
      ],
    }
  },
})

const unreliable = (random: Random): Plan =>
  byChance(random, [
    [0.2, { kind: 'status', status: 500, body: 'no' }],
    [0.05, { kind: 'hang' }],
    [0.05, { kind: 'reset' }],
    [0.02, { kind: 'status', status: 302 }],
  ])

const answersOf = (posts: readonly { plan: string }[]): string =>
  [...Map.groupBy(posts, ({ plan }) => plan)]
    .map(([plan, { length }]) => `${plan}: ${length}`)
    .toSorted()
    .join(', ')
