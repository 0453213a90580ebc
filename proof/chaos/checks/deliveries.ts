import { fromUuid } from '@ars/platform/id'
import type { DeliveryRecords } from '../delivery-records.ts'
import type { Claim, Metric, Outcome } from '../scenario.ts'
import { type DeliveryFacts, isAcknowledged, isSuccess, type Post, pairOf, postsOf } from './delivery-facts.ts'
import { checkGaps } from './delivery-gaps.ts'

type Webhook = DeliveryRecords['webhooks'][number]
type Delivery = DeliveryRecords['deliveries'][number]

/** Written from the contract, as everything here. */
const maxAttempts = 3
/** The bound of R13. */
const promisedRepeated = 0.02
/** The same bound where kills are closer together: R13 in full size has ten kills for 5,000 events, so 100 may come again. */
const promisedPerKill = 10
const terminalTypes = ['run.completed', 'run.failed', 'run.cancelled']

/**
 * C4. `subjects`: the runs whose ends are looked at, where others worked in the same organisations. `maxRepeated`: the
 * share of the events that may come again. `kills`: the workers that were killed meanwhile, by any scenario of the stack.
 */
export const judgeDeliveries = (
  facts: DeliveryFacts,
  {
    subjects,
    maxRepeated = promisedRepeated,
    kills = 0,
  }: { subjects?: ReadonlySet<string>; maxRepeated?: number; kills?: number } = {},
): Outcome => {
  const posts = postsOf(facts)
  const acknowledged = posts.filter(isAcknowledged)
  const { deliveries } = facts.records
  const repeated = repeatedAfterAcknowledged(posts)
  const known = new Set(acknowledged.map(pairOf))
  const ended = Map.groupBy(deliveries, ({ status }) => status)
  const metrics: Metric[] = [
    [
      'deliveries',
      [...ended]
        .map(([status, { length }]) => `${status} ${length}`)
        .toSorted()
        .join(', ') || 'none',
    ],
    ['POSTs that came, and of them acknowledged', `${posts.length}, ${acknowledged.length}`],
    ['events that came again after they were acknowledged', repeated.length],
  ]
  const claims: Claim[] = [
    {
      says: 'C4: every subscribed end is delivered, or has failed after exactly 3 attempts',
      violations: checkEveryEnd(facts, subjects),
    },
    { says: 'every delivery recorded as delivered was acknowledged', violations: checkAcknowledged(facts) },
    ...soundness(facts),
    {
      says: 'no delivery is sent again after its acknowledgement is recorded',
      violations: checkNothingAfterRecorded(facts),
    },
    {
      says: `at most ${maxRepeated * 100} % of the events come again after they were acknowledged, or ${promisedPerKill} for each kill`,
      violations: repeated.length <= Math.max(1, maxRepeated * known.size, promisedPerKill * kills) ? [] : repeated,
      // How long it takes to write an acknowledgement down is a matter of load, and a kill in that time makes a duplicate.
      isMeasured: true,
    },
    { says: 'the gaps between attempts are at least 1 s, then 5 s', violations: checkGaps(facts) },
  ]
  return { metrics, claims }
}

/** What must hold for whatever was ever sent, on any stack. */
export const soundness = (facts: DeliveryFacts): Claim[] => [
  { says: 'no delivery is ever sent a fourth time', violations: checkNoFourth(facts) },
  { says: 'an event has the same bytes at every attempt', violations: checkSameBytes(facts) },
  { says: 'every signature is valid, in both forms', violations: checkSignatures(facts) },
]

/** Events that came to an endpoint once more after it had acknowledged them, each counted once. */
const repeatedAfterAcknowledged = (posts: readonly Post[]): string[] =>
  [...Map.groupBy(posts, pairOf)].flatMap(([pair, same]) => {
    const first = same.findIndex(isAcknowledged)
    return first === -1 || first === same.length - 1 ? [] : [pair]
  })

const checkNothingAfterRecorded = ({ records }: DeliveryFacts): string[] =>
  [...Map.groupBy(records.attempts, ({ delivery_id }) => delivery_id)].flatMap(([id, attempts]) => {
    const recorded = attempts.find(({ http_status, error }) => error === null && isSuccess(http_status))
    const later = recorded && attempts.find(({ number }) => number > recorded.number)
    return later ? [`delivery ${id}: attempt ${later.number} after ${recorded.number} was acknowledged`] : []
  })

const checkEveryEnd = ({ records }: DeliveryFacts, subjects: ReadonlySet<string> | undefined): string[] => {
  const attempts = Map.groupBy(records.attempts, ({ delivery_id }) => delivery_id)
  const deliveries = Map.groupBy(records.deliveries, ({ webhook_id, event_id }) => `${webhook_id} ${event_id}`)
  const isWanted = ({ type, subject_id }: DeliveryRecords['events'][number]): boolean =>
    terminalTypes.includes(type) && (!subjects || (subject_id !== null && subjects.has(subject_id)))
  const events = records.events.filter(isWanted)
  return records.webhooks.flatMap((webhook) =>
    events
      .filter((event) => isSubscribed(webhook, event))
      .flatMap(({ id }) => {
        const made = deliveries.get(`${webhook.id} ${id}`) ?? []
        const words = fateOf(made, attempts)
        return words === undefined ? [] : [`${fromUuid('evt', id)} to ${webhook.url}: ${words}`]
      }),
  )
}

/** Why that is no fate that a delivery may have; undefined when it is one. */
const fateOf = (
  made: readonly Delivery[],
  attempts: ReadonlyMap<string, DeliveryRecords['attempts']>,
): string | undefined => {
  const first = made.filter(({ source }) => source === 'event')
  if (made.length === 0) return 'there is no delivery'
  if (first.length > 1) return `there are ${first.length} deliveries of one event`
  if (made.some(({ status }) => status === 'succeeded')) return undefined
  const pending = made.find(({ status }) => status === 'pending')
  if (pending) return `delivery ${pending.id} has not ended`
  // Ended early because nobody may be told any more: it was paused, disabled or deleted, or it said that it is gone.
  const isEarly = ({ id, error }: Delivery): boolean => error !== null || attempts.get(id)?.at(-1)?.http_status === 410
  const wrong = made.find((each) => !isEarly(each) && numbersOf(attempts.get(each.id)) !== '1, 2, 3')
  return wrong && `failed after the attempts ${numbersOf(attempts.get(wrong.id)) || 'none'}`
}

const numbersOf = (attempts: DeliveryRecords['attempts'] = []): string =>
  attempts.map(({ number }) => number).join(', ')

/** The service may not believe in an acknowledgement that nobody gave. */
const checkAcknowledged = ({ records, journal }: DeliveryFacts): string[] => {
  const urls = new Map(records.webhooks.map(({ id, url }) => [id, url]))
  const acknowledged = new Set(postsOf({ journal }).filter(isAcknowledged).map(pairOf))
  return records.deliveries
    .filter(({ status, webhook_id }) => status === 'succeeded' && urls.has(webhook_id))
    .filter(({ webhook_id, event_id }) => !acknowledged.has(`${urls.get(webhook_id)} ${fromUuid('evt', event_id)}`))
    .map(({ id, event_id }) => `delivery ${id} of ${fromUuid('evt', event_id)}`)
}

/** A crash may swallow an attempt, so fewer POSTs than attempts are right and more are not. */
const checkNoFourth = ({ records, journal }: DeliveryFacts): string[] => {
  const urls = new Map(records.webhooks.map(({ id, url }) => [id, url]))
  const numbers = Map.groupBy(records.attempts, ({ delivery_id }) => delivery_id)
  const allowed = new Map<string, number>()
  for (const { id, webhook_id, event_id, status } of records.deliveries) {
    const url = urls.get(webhook_id)
    if (url === undefined) continue
    const pair = `${url} ${fromUuid('evt', event_id)}`
    // While it has not ended, an attempt may be under way that nobody has written down yet.
    const begun = status === 'pending' ? maxAttempts : (numbers.get(id)?.length ?? 0)
    allowed.set(pair, (allowed.get(pair) ?? 0) + Math.min(begun, maxAttempts))
  }
  const known = new Set(records.webhooks.map(({ url }) => url))
  const posts = postsOf({ journal }).filter(({ url }) => known.has(url))
  const tooOften = [...Map.groupBy(posts, pairOf)]
    .filter(([pair, { length }]) => length > (allowed.get(pair) ?? 0))
    .map(([pair, { length }]) => `${pair}: ${length} POSTs, ${allowed.get(pair) ?? 0} attempts on record`)
  const tooMany = records.attempts.filter(({ number }) => number > maxAttempts)
  return [...tooOften, ...tooMany.map(({ delivery_id, number }) => `delivery ${delivery_id}: attempt ${number}`)]
}

const checkSameBytes = ({ journal }: DeliveryFacts): string[] =>
  [...Map.groupBy(postsOf({ journal }), ({ event_id }) => event_id)]
    .map(
      ([id, same]) =>
        [id, new Set(same.map(({ sha256, bytes }) => `${sha256.slice(0, 12)} of ${bytes} bytes`))] as const,
    )
    .filter(([, bodies]) => bodies.size > 1)
    .map(([id, bodies]) => `${id}: ${[...bodies].join(', ')}`)

const checkSignatures = ({ journal }: DeliveryFacts): string[] =>
  postsOf({ journal })
    .filter((post) => post.plain_by.length === 0 || post.standard_by.length === 0)
    .map(({ event_id, url, ...post }) => {
      const words = post.plain_by.length === 0 ? 'the plain one is not' : 'the standard one is not'
      return `${event_id} at ${url}: ${words}`
    })

const isSubscribed = (webhook: Webhook, event: DeliveryRecords['events'][number]): boolean => {
  const isNamed = webhook.events.includes('*') || webhook.events.includes(event.type)
  return webhook.org_id === event.org_id && isNamed && event.created_at >= webhook.created_at
}
