import { fromUuid } from '@ars/platform/id'
import { waitFor } from '../../lab/condition.ts'
import { soundness } from '../checks/deliveries.ts'
import { isAcknowledged, postsOf } from '../checks/delivery-facts.ts'
import { addCustomer, type Customer, quickOrder } from '../customers.ts'
import { withMovedClock } from '../moved-clock.ts'
import { acknowledge, always } from '../receiver-answer.ts'
import { claim, type Stage, scenario } from '../scenario.ts'
import { factsOf, type Subscription, subscribe } from '../subscription.ts'

type Size = {
  /** At these days after the first failure there are events, and all of them fail. The last is beyond the five. */
  days: readonly number[]
  eventsEachTime: number
  /** While it is disabled. */
  eventsAfterwards: number
}

const dayMs = 86_400_000
const maxDays = 5
const patienceMs = 30_000

/** Nothing but failure for days; then the receiver is mended, and gets all of it. */
export const disabled = scenario<Size>({
  name: 'R16',
  promise:
    'Failing endpoints are disabled after five days, once and with one notice; afterwards all events can be recovered.',
  sizes: {
    ci: { days: [0, 4.9, 6], eventsEachTime: 2, eventsAfterwards: 10 },
    full: { days: [0, 1, 2, 3, 4, 4.9, 6], eventsEachTime: 10, eventsAfterwards: 100 },
  },
  play: (stage, size) =>
    withMovedClock(stage, async (move) => {
      const customer = await addCustomer(stage, 'c')
      const { client } = customer
      const bad = await subscribe(stage, 'bad', { client, plan: always({ kind: 'status', status: 503 }) })
      const watcher = await subscribe(stage, 'watcher', { client, events: ['webhook.disabled'] })
      const statuses: string[] = []
      let day = 0
      for (const next of size.days) {
        await move((next - day) * dayMs)
        day = next
        await failAll(stage, { customer, bad, move, count: size.eventsEachTime, name: `day-${next}` })
        statuses.push(await statusAfter(bad, next))
        stage.say(`day ${next}: ${statuses.at(-1)}`)
      }
      const atEnd = await bad.webhooks.get(bad.id)
      const posts = () => stage.fleet.receiver.received(bad.endpoint.url).length
      const postsBefore = posts()
      const later = await makeEvents(stage, customer, size.eventsAfterwards, 'later')
      await factsOf(stage, [bad, watcher])
      const postsWhileDisabled = posts() - postsBefore

      bad.endpoint.answer(always(acknowledge))
      await bad.webhooks.change(bad.id, { active: true })
      const again = await redeliverOne(stage, bad)
      const recovery = await recoverAll(stage, bad)
      const { left, ...facts } = await factsOf(stage, [bad, watcher])
      await Promise.all([bad.pause(), watcher.pause()])

      const events = facts.records.events
        .filter(({ type }) => type.startsWith('run.'))
        .map(({ id }) => fromUuid('evt', id))
      const acknowledged = new Set(
        postsOf(facts)
          .filter((post) => post.url === bad.endpoint.url && isAcknowledged(post))
          .map(({ event_id }) => event_id),
      )
      const notices = stage.fleet.receiver.received(watcher.endpoint.url)
      const told = facts.records.events.filter(({ type }) => type === 'webhook.disabled').length
      const fresh = facts.records.deliveries.filter(({ source }) => source === 'recovery' || source === 'redelivery')
      const attempts = Map.groupBy(facts.records.attempts, ({ delivery_id }) => delivery_id)
      const total = size.days.length * size.eventsEachTime + size.eventsAfterwards
      return {
        metrics: [
          ['status after each of the days', size.days.map((each, at) => `${each}: ${statuses[at]}`).join(', ')],
          ['events that failed, and events while it was disabled', `${total - later.length}, ${later.length}`],
          ['POSTs while it was disabled', postsWhileDisabled],
          ['notices', notices.length],
          ['recovery', JSON.stringify(recovery.progress)],
        ],
        claims: [
          left,
          claim(
            'it is disabled after five days of failure, and not before',
            statuses.join() === size.days.map((each) => (each < maxDays ? 'failing' : 'disabled')).join(),
            statuses.join(),
          ),
          claim('the reason is given', atEnd.disabled_reason === 'failing', String(atEnd.disabled_reason)),
          claim(
            'one event, and one notice',
            told === 1 && notices.length === 1,
            `${told} events, ${notices.length} notices`,
          ),
          claim('no request is sent to it any more', postsWhileDisabled === 0, `${postsWhileDisabled} POSTs`),
          claim('the webhook shows since when events are missing', atEnd.missed_since !== null, 'null'),
          claim('one event, sent again, arrives', again === 'succeeded', again),
          claim('the recovery ends', recovery.status === 'completed', recovery.status),
          claim('the number of events is the number of runs', events.length === total, `${events.length} of ${total}`),
          {
            says: 'every event was acknowledged in the end, with its original id',
            violations: events.filter((id) => !acknowledged.has(id)),
          },
          claim('each in a separate delivery', fresh.length === total, `${fresh.length} deliveries`),
          {
            says: 'and by the first attempt of a new delivery',
            violations: fresh
              .filter(
                ({ id, status }) =>
                  status !== 'succeeded' ||
                  attempts
                    .get(id)
                    ?.map(({ number }) => number)
                    .join() !== '1',
              )
              .map(({ id, status }) => `${id}: ${status} after ${attempts.get(id)?.length}`),
          },
          ...soundness(facts),
        ],
      }
    }),
})

const makeEvents = async (stage: Stage, customer: Customer, count: number, name: string): Promise<string[]> => {
  const orders = Array.from({ length: count }, (_, n) => quickOrder(stage, customer, `${name}-${n}`))
  const ids: string[] = []
  while (orders.length > 0) {
    const some = await Promise.all(orders.splice(0, 5).map((order) => customer.client.carryOut(order)))
    ids.push(...some.map(({ id }) => id))
  }
  return ids
}

/** The end of a delivery and its effect on the webhook are two commits: the webhook is disabled a moment later. */
const statusAfter = async ({ webhooks, id }: Subscription, day: number): Promise<string> => {
  const read = async (): Promise<string> => (await webhooks.get(id)).status
  if (day < maxDays) return read()
  const isDisabled = async (): Promise<string | undefined> => ((await read()) === 'disabled' ? 'disabled' : undefined)
  return waitFor('the webhook to be disabled', isDisabled, { timeoutMs: patienceMs }).catch(read)
}

type Failing = {
  customer: Customer
  bad: Subscription
  move(ms: number): Promise<void>
  count: number
  name: string
}

/** The clock jumps over the waits between attempts, but only when none is under way, and over the rest at the end. */
const failAll = async (stage: Stage, { customer, bad, move, count, name }: Failing): Promise<void> => {
  const countEnded = async (): Promise<{ waiting: number; resting: number }> => {
    const [row] = await stage.fleet.records.query<{ waiting: number; resting: number }>(
      `select count(*)::integer as waiting,
              count(*) filter (where lease_until is null and due_at > app_now())::integer as resting
         from delivery_heads where webhook_id = $1`,
      [bad.uuid],
    )
    return row ?? { waiting: 0, resting: 0 }
  }
  const before = stage.fleet.receiver.received(bad.endpoint.url).length
  await makeEvents(stage, customer, count, name)
  const isBegun = (): boolean => stage.fleet.receiver.received(bad.endpoint.url).length > before
  await waitFor('the first attempt', isBegun, { timeoutMs: patienceMs })
  await waitFor(
    `the failure of ${count} deliveries`,
    async () => {
      const { waiting, resting } = await countEnded()
      if (waiting > 0 && waiting === resting) await move(5000)
      return waiting === 0
    },
    { timeoutMs: patienceMs },
  )
  await move(31_000)
}

const redeliverOne = async ({ key }: Stage, { webhooks, id }: Subscription): Promise<string> => {
  const [failed] = await webhooks.deliveries(id, '&status=failed')
  if (!failed) return 'no delivery has failed'
  const { id: again } = await webhooks.redeliver(key('redeliver'), id, failed.id)
  const ended = await waitFor(
    'the redelivery',
    async () => {
      const delivery = await webhooks.delivery(id, again)
      return delivery.status === 'pending' ? undefined : delivery
    },
    { timeoutMs: patienceMs },
  )
  return ended.event_id === failed.event_id ? ended.status : `another event: ${ended.event_id}`
}

const recoverAll = async ({ key }: Stage, { webhooks, id }: Subscription) => {
  // The ids of events are of the real time, their dates of the moved one: since before both.
  const since = new Date(Date.now() - dayMs).toISOString()
  const { id: recoveryId } = await webhooks.recover(key('recover'), id, { since })
  return waitFor(
    'the recovery',
    async () => {
      const recovery = await webhooks.recovery(id, recoveryId)
      return recovery.status === 'running' ? undefined : recovery
    },
    { timeoutMs: 2 * patienceMs },
  )
}
