import type { Customer } from './customer.ts'
import { type Delivery, deleteWebhooks, deliverTests, makeWebhooks } from './deliveries.ts'
import { nameOf, type Trick, tricks } from './names.ts'
import { allowedPort } from './namespace.ts'
import { runAgents } from './runs.ts'

export type TrickMetrics = {
  trick: string
  what: string
  /** Registrations that were taken and refused. */
  taken: number
  refused: number
  /** Attempts of deliveries: answered by the public host, and ended before anything was sent. */
  answered: number
  stopped: number
  /** Runs of remote agents and of agents with tools whose address has this trick. */
  runsFailed: number
  breaches: string[]
}

export type RebindingSize = {
  /** Look-ups of hostile names, at least. */
  tries: number
  /** Names of each trick that are registered at once. */
  width: number
  /** Keys of tricks that take too long for the small size. */
  without: readonly string[]
}

const maxRounds = 40

/** T16: names that change their mind between the registration, the attempts, and within a look-up. */
export const tryRebinding = async (
  customer: Customer,
  names: { lookUps(): number },
  { tries, width, without }: RebindingSize,
): Promise<TrickMetrics[]> => {
  const tried = tricks.filter(({ key }) => !without.includes(key))
  const metrics = new Map(tried.map((trick) => [trick.key, empty(trick)]))
  let number = 0
  for (let round = 0; round < maxRounds && (round === 0 || names.lookUps() < tries); round++) {
    const attacks = tried.flatMap((trick) =>
      Array.from({ length: width }, () => ({ trick, url: urlOf(trick, number++) })),
    )
    const made = await makeWebhooks(
      customer,
      attacks.map(({ url }) => url),
    )
    const taken: { trick: Trick; id: string }[] = []
    for (const { trick, url } of attacks) {
      const { id, status, error } = made.get(url) ?? { id: null, status: 0, error: 'no answer' }
      const metric = metricOf(metrics, trick)
      if (id !== null) taken.push({ trick, id })
      metric[id === null ? 'refused' : 'taken']++
      // On a busy machine a registration may have to be asked for twice; then the name has turned before it was taken.
      const isRight = status === 422 || (status === 201 && trick.isHarmlessAtFirst)
      if (!isRight) metric.breaches.push(`${url} was answered ${status} ${error}`)
    }
    const deliver = async (sent: typeof taken): Promise<void> => {
      const ended = await deliverTests(
        customer,
        sent.map(({ id }) => id),
      )
      for (const { trick, id } of sent) countAttempts(metricOf(metrics, trick), ended.get(id))
    }
    const twice = taken.filter(({ trick }) => trick.isDeliveredTwice)
    await Promise.all([
      deliver(taken.filter(({ trick }) => !trick.isDeliveredTwice)),
      deliver(twice).then(() => deliver(twice)),
    ])
    await deleteWebhooks(
      customer,
      taken.map(({ id }) => id),
    )
  }
  for (const { key, failed, breaches } of await runAgents(customer, tried, (trick) => urlOf(trick, number++))) {
    const metric = metrics.get(key)
    if (!metric) continue
    metric.runsFailed += failed
    metric.breaches.push(...breaches)
  }
  for (const trick of tried) {
    const metric = metricOf(metrics, trick)
    if (trick.isHarmlessAtFirst && metric.taken === 0)
      metric.breaches.push(`${trick.key}: never registered, so no delivery was tried`)
  }
  return [...metrics.values()]
}

const urlOf = (trick: Trick, number: number): string =>
  `https://${nameOf(trick, number)}${number % 2 === 0 ? '' : `:${allowedPort}`}/ok`

const countAttempts = (metric: TrickMetrics, delivery: Delivery | undefined): void => {
  if (!delivery) return void metric.breaches.push(`${metric.trick}: a delivery has no end`)
  for (const { http_status, error } of delivery.attempts) {
    metric[http_status === null ? 'stopped' : 'answered']++
    // 204 is the public host's; a leak marker says 200.
    if (http_status !== null && http_status !== 204)
      metric.breaches.push(`${metric.trick}: somebody answered ${http_status}`)
    if (http_status === null && error === null)
      metric.breaches.push(`${metric.trick}: an attempt without an answer has no error`)
  }
  const isAnswered = delivery.attempts.some(({ http_status }) => http_status === 204)
  if (isAnswered !== (delivery.status === 'succeeded'))
    metric.breaches.push(`${metric.trick}: ended as ${delivery.status}`)
  if (delivery.attempts.length > 3) metric.breaches.push(`${metric.trick}: ${delivery.attempts.length} attempts`)
}

const empty = ({ key, what }: Trick): TrickMetrics => ({
  trick: key,
  what,
  taken: 0,
  refused: 0,
  answered: 0,
  stopped: 0,
  runsFailed: 0,
  breaches: [],
})

const metricOf = (metrics: Map<string, TrickMetrics>, { key }: Trick): TrickMetrics => {
  const metric = metrics.get(key)
  if (!metric) throw new Error(`there is no trick ${key}`)
  return metric
}
