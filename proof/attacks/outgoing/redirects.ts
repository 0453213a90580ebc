import { inParallel } from '../wire.ts'
import type { Customer } from './customer.ts'
import { deleteWebhooks, deliverTests, makeWebhooks } from './deliveries.ts'
import { honestName } from './names.ts'
import { markerAddresses } from './namespace.ts'
import { type PublicHost, redirectPath } from './public-host.ts'
import { makeRemote, makeWithTools, outcomeOf } from './runs.ts'

export type RedirectMetrics = {
  status: number
  /** Deliveries that were answered so, and how often the public host was asked for them. */
  deliveries: number
  requests: number
  runs: number
  breaches: string[]
}

type Redirect = {
  metrics: RedirectMetrics
  path: string
  url: string
}

const statuses = [300, 301, 302, 303, 304, 305, 307, 308]
// An organisation may have a hundred webhooks.
const webhooksAtOnce = 90
const runsAtOnce = 4

/** T17: a receiver, an agent and a tool server that answer: go there. */
export const tryRedirects = async (
  customer: Customer,
  host: PublicHost,
  { maxTargets }: { maxTargets: number },
): Promise<RedirectMetrics[]> => {
  const all = statuses.map((status) => ({ status, deliveries: 0, requests: 0, runs: 0, breaches: [] as string[] }))
  const redirects = all.flatMap((metrics): Redirect[] =>
    targets()
      .slice(0, maxTargets)
      .map((target) => redirectPath(metrics.status, target))
      .map((path) => ({ metrics, path, url: `https://${honestName}${path}` })),
  )
  for (let at = 0; at < redirects.length; at += webhooksAtOnce)
    await deliver(customer, host, redirects.slice(at, at + webhooksAtOnce))
  // Afterwards, because these too ask the public host for the same paths.
  await inParallel(all, runsAtOnce, async (metrics) => {
    const url = redirects.find((one) => one.metrics === metrics)?.url ?? ''
    for (const makeAgent of [makeRemote, makeWithTools]) {
      const outcome = await outcomeOf(customer, await makeAgent(customer, url))
      if (outcome === 'failed') metrics.runs++
      else metrics.breaches.push(`${metrics.status}: a run ended as ${outcome}`)
    }
  })
  return all
}

const deliver = async (customer: Customer, host: PublicHost, redirects: readonly Redirect[]): Promise<void> => {
  const made = await makeWebhooks(
    customer,
    redirects.map(({ url }) => url),
  )
  const ids = [...made.values()].flatMap(({ id }) => (id === null ? [] : [id]))
  const ended = await deliverTests(customer, ids)
  for (const { metrics, path, url } of redirects) {
    const delivery = ended.get(made.get(url)?.id ?? '')
    const requests = host.requests.get(path) ?? 0
    const seen = (delivery?.attempts ?? []).map(({ http_status }) => http_status)
    metrics.deliveries++
    metrics.requests += requests
    const isRight = delivery?.status === 'failed' && seen.length === 3 && seen.every((one) => one === metrics.status)
    if (!isRight || requests !== 3)
      metrics.breaches.push(
        `${path}: ${delivery?.status ?? 'no delivery'} after ${seen.join(', ')}; asked ${requests} times`,
      )
  }
  await deleteWebhooks(customer, ids)
}

const targets = (): string[] =>
  markerAddresses.flatMap((address) => {
    const host = address.includes(':') ? `[${address}]` : address
    return [`http://${host}/latest/meta-data/`, `https://${host}/`]
  })
