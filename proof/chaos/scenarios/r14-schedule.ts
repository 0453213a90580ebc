import { judgeDeliveries } from '../checks/deliveries.ts'
import { gapsOf } from '../checks/delivery-gaps.ts'
import { addCustomer, type Customer, carryOutAll, quickOrder } from '../customers.ts'
import type { DeliveryRecords } from '../delivery-records.ts'
import { type Answer, acknowledge, always, inTurn, type Plan } from '../receiver-answer.ts'
import { type Claim, claim, measured, type Stage, scenario } from '../scenario.ts'
import { factsOf, type Subscription, subscribe } from '../subscription.ts'

type Size = {
  /** Endpoints that answer 500, always. */
  failing: number
  /** The slowest answer that is in time. */
  justInTimeMs: number
}

/** An organisation may have a hundred. */
const perCustomer = 90
const maxLateMs = 2000
const maxAnswerBytes = 16_384
const deadlineMs = 10_000

const status = (code: number, rest: { afterMs?: number; body?: string } = {}): Answer => ({
  kind: 'status',
  status: code,
  ...rest,
})

/** What each must come to: how often it is asked, and how the delivery ends. Those that take long do so only once. */
const special = {
  'answers at 10.2 s': { plan: inTurn(status(200, { afterMs: 10_200 }), acknowledge), posts: 2, ends: 'succeeded' },
  'dribbles a byte a second': {
    plan: inTurn({ kind: 'dribble', everyMs: 1000 }, acknowledge),
    posts: 2,
    ends: 'succeeded',
  },
  'hangs once': { plan: inTurn({ kind: 'hang' }, acknowledge), posts: 2, ends: 'succeeded' },
  'answers 204': { plan: always(status(204)), posts: 1, ends: 'succeeded' },
  'answers 299': { plan: always(status(299)), posts: 1, ends: 'succeeded' },
  'answers 200 with 64 KB': { plan: always(status(200, { body: 'x'.repeat(65_536) })), posts: 1, ends: 'succeeded' },
  'answers 301': { plan: always(status(301)), posts: 3, ends: 'failed' },
  'answers 410': { plan: always(status(410)), posts: 1, ends: 'failed' },
} as const satisfies Record<string, { plan: Plan; posts: number; ends: string }>

type Special = keyof typeof special

/** When is it tried again, and what counts as an answer? */
export const schedule = scenario<Size>({
  name: 'R14',
  promise:
    'Attempts come at once, 1 s and 5 s after a failure; a whole 2xx answer within 10 s acknowledges, nothing else.',
  sizes: { ci: { failing: 20, justInTimeMs: 9500 }, full: { failing: 100, justInTimeMs: 9800 } },
  play: async (stage, size) => {
    const { fleet } = stage
    const customers: Customer[] = []
    const failing: Subscription[] = []
    const subscribeWith = async (n: number, name: string, plan: Plan): Promise<Subscription> => {
      const at = Math.floor(n / perCustomer)
      const customer = customers[at] ?? (await addCustomer(stage, `c${at}`))
      customers[at] = customer
      return subscribe(stage, name, { client: customer.client, plan })
    }
    for (let n = 0; n < size.failing; n++) {
      failing.push(await subscribeWith(n, `failing-${n}`, always(status(500, { body: 'no' }))))
    }
    const others = new Map<Special, Subscription>()
    for (const [name, { plan }] of Object.entries(special)) {
      others.set(name as Special, await subscribeWith(size.failing + others.size, name, plan))
    }
    const justInTime = playJustInTime(stage, size.justInTimeMs)
    const orders = customers.map((customer, n) => ({ customer, order: quickOrder(stage, customer, `run-${n}`) }))
    await carryOutAll(orders, { clients: 2 })
    const all = [...failing, ...others.values()]
    const { left, ...facts } = await factsOf(stage, all)
    const gaps = gapsOf(narrowTo(facts.records, failing))
    const { metrics, claims } = judgeDeliveries(facts)
    const late = gaps.map(({ afterEndMs, leastMs }) => afterEndMs - leastMs)
    const outcome = {
      metrics: [
        ['endpoints', all.length],
        ...metrics,
        ['gaps of 1 s and 5 s', gaps.length],
        ['latest after its time, ms', Math.max(...late)],
        ...[...others].map(([name, { uuid }]) => [name, storyOf(facts.records, uuid)] as const),
      ] as const,
      claims: [
        left,
        ...claims,
        claim('failing endpoints get three attempts each', gaps.length === 2 * size.failing, `${gaps.length} gaps`),
        measured(
          `no attempt comes more than ${maxLateMs} ms after its time`,
          Math.max(...late) <= maxLateMs,
          `${Math.max(...late)} ms`,
        ),
        ...[...others].map(([name, { uuid, endpoint }]) =>
          judgeSpecial(name, facts.records, uuid, fleet.receiver.received(endpoint.url).length),
        ),
        await justInTime,
        judgeDeadline(facts.records, others),
        { says: 'a redirect is never followed', violations: fleet.receiver.strays },
        ...(await judgeDetails(others)),
      ],
    }
    for (const { pause } of all) await pause()
    return outcome
  },
})

const narrowTo = ({ attempts, deliveries }: DeliveryRecords, subscriptions: readonly Subscription[]) => {
  const webhooks = new Set(subscriptions.map(({ uuid }) => uuid))
  const ids = new Set(deliveries.filter(({ webhook_id }) => webhooks.has(webhook_id)).map(({ id }) => id))
  return { attempts: attempts.filter(({ delivery_id }) => ids.has(delivery_id)) }
}

const attemptsOf = ({ deliveries, attempts }: DeliveryRecords, webhook: string): DeliveryRecords['attempts'] => {
  const ids = new Set(deliveries.filter(({ webhook_id }) => webhook_id === webhook).map(({ id }) => id))
  return attempts.filter(({ delivery_id }) => ids.has(delivery_id))
}

const storyOf = (records: DeliveryRecords, webhook: string): string => {
  const told = attemptsOf(records, webhook).map(
    ({ http_status, error, duration_ms }) =>
      `${http_status ?? 'no answer'} after ${duration_ms} ms${error ? ` (${error})` : ''}`,
  )
  return told.join('; ').slice(0, 300)
}

const judgeSpecial = (name: Special, records: DeliveryRecords, webhook: string, posts: number): Claim => {
  const wanted = special[name]
  const [delivery] = records.deliveries.filter(({ webhook_id }) => webhook_id === webhook)
  const holds = posts === wanted.posts && delivery?.status === wanted.ends
  const says = `one that ${name}: ${wanted.ends} after ${wanted.posts}`
  const found = `${delivery?.status} after ${posts}: ${storyOf(records, webhook)}`
  return claim(says, holds, found)
}

/** On a connection that is there already: little time is left to the rest of the way. */
const playJustInTime = async (stage: Stage, afterMs: number): Promise<Claim> => {
  const customer = await addCustomer(stage, 'slow')
  const plan: Plan = ({ nth }) => (nth === 1 ? acknowledge : status(200, { afterMs }))
  const slow = await subscribe(stage, 'just in time', { client: customer.client, plan })
  for (const name of ['first', 'second']) {
    await customer.client.carryOut(quickOrder(stage, customer, name))
    await factsOf(stage, [slow])
  }
  const { records } = await factsOf(stage, [slow])
  await slow.pause()
  const says = `an answer after ${afterMs} ms is in time`
  return measured(says, records.attempts.length === 2, storyOf(records, slow.uuid))
}

/** The whole of it, from the look-up of the name to the last byte. */
const judgeDeadline = (records: DeliveryRecords, others: ReadonlyMap<Special, Subscription>): Claim => {
  const slow = ['answers at 10.2 s', 'dribbles a byte a second', 'hangs once'] as const
  const lengths = slow.map((name) => {
    const [first] = attemptsOf(records, others.get(name)?.uuid ?? '')
    return { name, ms: first?.duration_ms ?? 0 }
  })
  const isPunctual = ({ ms }: { ms: number }): boolean => ms >= deadlineMs - 50 && ms <= deadlineMs + maxLateMs
  const violations = lengths.filter((each) => !isPunctual(each)).map(({ name, ms }) => `one that ${name}: ${ms} ms`)
  return { says: 'an attempt is given up after 10 s, the answer’s body included', violations, isMeasured: true }
}

const judgeDetails = async (others: ReadonlyMap<Special, Subscription>): Promise<Claim[]> => {
  const gone = others.get('answers 410')
  const large = others.get('answers 200 with 64 KB')
  if (!gone || !large) throw new Error('an endpoint is missing')
  const webhook = await gone.webhooks.get(gone.id)
  const [listed] = await large.webhooks.deliveries(large.id)
  const { attempts } = await large.webhooks.delivery(large.id, listed?.id ?? '')
  const kept = Buffer.byteLength(attempts[0]?.response?.body ?? '')
  return [
    claim(
      '410 disables the endpoint at once',
      webhook.status === 'disabled' && webhook.disabled_reason === 'gone',
      `${webhook.status} ${webhook.disabled_reason}`,
    ),
    claim('16 KB of an answer are stored', kept === maxAnswerBytes, `${kept} bytes`),
  ]
}
