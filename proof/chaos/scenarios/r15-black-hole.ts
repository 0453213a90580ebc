import { fromUuid } from '@ars/platform/id'
import { waitFor } from '../../lab/condition.ts'
import { quantile } from '../../lab/measure/statistics.ts'
import { postsOf } from '../checks/delivery-facts.ts'
import { addCustomer, type Customer, carryOutAll, carryOutAtRate, quickOrder } from '../customers.ts'
import { always } from '../receiver-answer.ts'
import { claim, measured, type Stage, scenario } from '../scenario.ts'
import { factsOf, type Subscription, subscribe } from '../subscription.ts'

type Size = {
  backlog: number
  healthy: number
  /** To each of the healthy ones. */
  eventsPerSecond: number
  seconds: number
  /** The lag that counts as undisturbed, beside twice the quiet lag; a small machine is noisy. */
  maxMoreMs: number
}

const maxLagMs = 2000
const maxInFlight = 10
const clients = 16

/**
 * The black hole belongs to the same customer as the healthy ones: neither the cap of an endpoint nor the fair share of a
 * customer alone would keep it from them.
 */
export const blackHole = scenario<Size>({
  name: 'R15',
  promise:
    'One bad endpoint does not delay others: beside a black hole with a backlog the healthy ones are told as soon as ever.',
  sizes: {
    ci: { backlog: 500, healthy: 10, eventsPerSecond: 2, seconds: 8, maxMoreMs: 500 },
    full: { backlog: 10_000, healthy: 50, eventsPerSecond: 2, seconds: 60, maxMoreMs: 0 },
  },
  play: async (stage, size) => {
    const { fleet, say } = stage
    const customer = await addCustomer(stage, 'c')
    const { client } = customer
    const healthy: Subscription[] = []
    for (let n = 0; n < size.healthy; n++) {
      healthy.push(await subscribe(stage, `healthy-${n}`, { client, events: ['run.completed'] }))
    }
    // New endpoints are slower at first; that belongs to neither measurement.
    await tellHealthy(stage, customer, 'warm', size, 2)
    const quiet = await measureLag(stage, { customer, healthy, size, name: 'quiet' })
    const hole = await subscribe(stage, 'hole', { client, events: ['run.failed'], plan: always({ kind: 'hang' }) })
    await makeBacklog(stage, { customer, hole, size })
    say('the backlog is there')
    const beside = await measureLag(stage, { customer, healthy, size, name: 'beside' })
    const backlog = await waitingFor(stage, hole)
    const posts = fleet.receiver.received(hole.endpoint.url).length
    await hole.pause()
    const { left } = await factsOf(stage, [hole, ...healthy])
    for (const { pause } of healthy) await pause()
    const most = Math.max(2 * quiet.p99, quiet.p99 + size.maxMoreMs)
    return {
      metrics: [
        ['events to healthy endpoints, quiet and beside the black hole', `${quiet.events}, ${beside.events}`],
        ['lag in ms, quiet: p50, p99', `${quiet.p50}, ${quiet.p99}`],
        ['lag in ms, beside it: p50, p99', `${beside.p50}, ${beside.p99}`],
        ['backlog of the black hole when that was measured', backlog],
        ['POSTs to it, and the most at once', `${posts}, ${hole.endpoint.mostOpen}`],
      ],
      claims: [
        left,
        claim(
          'every event reaches every healthy endpoint',
          quiet.missing + beside.missing === 0,
          `${quiet.missing + beside.missing} missing`,
        ),
        measured('the black hole has its backlog', backlog >= 0.9 * size.backlog - maxInFlight, `${backlog} wait`),
        measured('and it receives POSTs', posts > 0, 'none came'),
        claim(
          `at most ${maxInFlight} are under way to one endpoint`,
          hole.endpoint.mostOpen <= maxInFlight,
          String(hole.endpoint.mostOpen),
        ),
        measured(
          'the healthy ones are told about as soon as without it',
          beside.p99 <= most,
          `${beside.p99} ms after ${quiet.p99} ms`,
        ),
        measured(`and within ${maxLagMs} ms`, beside.p99 <= maxLagMs, `${beside.p99} ms`),
      ],
    }
  },
})

type Ground = {
  customer: Customer
  healthy: readonly Subscription[]
  size: Size
  name: string
}

const tellHealthy = async (stage: Stage, customer: Customer, name: string, size: Size, seconds = size.seconds) => {
  const orders = Array.from({ length: seconds * size.eventsPerSecond }, (_, n) =>
    quickOrder(stage, customer, `${name}-${n}`),
  )
  return carryOutAtRate(stage, customer, orders, { perSecond: size.eventsPerSecond })
}

/** From the event, as the database dates it, to its first arrival: both clocks are this machine's. */
const measureLag = async (stage: Stage, { customer, healthy, size, name }: Ground) => {
  const runs = await tellHealthy(stage, customer, name, size)
  const ids = new Set(runs.map(({ id }) => id))
  const { records, journal } = await factsOf(stage, healthy)
  const created = new Map<string, number>(
    records.events.map(({ id, created_at }) => [fromUuid('evt', id), created_at.getTime()]),
  )
  const posts = postsOf({ journal }).filter(({ subject }) => ids.has(subject))
  const firsts = [...Map.groupBy(posts, ({ url, event_id }) => `${url} ${event_id}`).values()].flatMap(
    ([first]) => first ?? [],
  )
  const lags = firsts.map(({ at, event_id }) => at - (created.get(event_id) ?? Number.NaN))
  return {
    events: firsts.length,
    missing: runs.length * healthy.length - firsts.length,
    p50: Math.round(quantile(lags, 0.5)),
    p99: Math.round(quantile(lags, 0.99)),
  }
}

const makeBacklog = async (
  stage: Stage,
  { customer, hole, size }: Omit<Ground, 'name' | 'healthy'> & { hole: Subscription },
) => {
  const orders = Array.from({ length: size.backlog }, (_, n) => ({
    customer,
    order: quickOrder(stage, customer, `backlog-${n}`, { agent: 'test-fail' }),
  }))
  let ended = 0
  await carryOutAll(orders, { clients, onEnd: () => stage.say(`${++ended} of the backlog`) })
  await waitFor('the backlog to wait', async () => (await waitingFor(stage, hole)) >= 0.9 * size.backlog, {
    timeoutMs: 30_000,
  })
}

const waitingFor = async ({ fleet }: Stage, { uuid }: Subscription): Promise<number> => {
  const [row] = await fleet.records.query<{ waiting: number }>(
    'select count(*)::integer as waiting from delivery_heads where webhook_id = $1',
    [uuid],
  )
  return row?.waiting ?? 0
}
