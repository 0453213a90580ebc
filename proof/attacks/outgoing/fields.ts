import { hostileHosts, hostileUrls } from '@ars/platform/egress/test/hostile-urls'
import { inParallel } from '../wire.ts'
import type { Customer, Reply } from './customer.ts'
import { honestName } from './names.ts'
import { allowedPort, markerAddresses } from './namespace.ts'

/** A field of the API that takes an address. */
type Field = {
  name: string
  put(url: string): Promise<Reply>
}

export type FieldMetrics = {
  field: string
  tried: number
  /** How often which status. */
  answers: Record<string, number>
  breaches: string[]
}

const askedAtOnce = 8

/** T14, T15: every hostile address in every field that takes one. */
export const tryFields = async (customer: Customer, { most }: { most: number }): Promise<FieldMetrics[]> => {
  const honest = `https://${honestName}/ok`
  const webhook = await customer.make('/webhooks', { url: honest, events: ['*'], active: false })
  const agent = await customer.make('/agents/custom', remote(honest))
  const connector = await customer.make('/connectors', { name: 'Honest', url: honest })
  const fields: Field[] = [
    { name: 'POST /webhooks url', put: (url) => customer.call('POST', '/webhooks', { url, events: ['*'] }) },
    { name: 'PATCH /webhooks/{id} url', put: (url) => customer.call('PATCH', `/webhooks/${webhook.id}`, { url }) },
    { name: 'POST /agents/custom config.url', put: (url) => customer.call('POST', '/agents/custom', remote(url)) },
    {
      name: 'PATCH /agents/{id} config.url',
      put: (url) => customer.call('PATCH', `/agents/${agent.id}`, { config: { url } }),
    },
    { name: 'POST /connectors url', put: (url) => customer.call('POST', '/connectors', { name: 'Hostile', url }) },
    {
      name: 'PATCH /connectors/{id} url',
      put: (url) => customer.call('PATCH', `/connectors/${connector.id}`, { url }),
    },
  ]
  const urls = everyNth(hostileAddresses(), most)
  const metrics: FieldMetrics[] = []
  for (const field of fields) metrics.push(await tryField(field, urls))
  await customer.call('DELETE', `/webhooks/${webhook.id}`)
  return metrics
}

const remote = (url: string) => ({ name: 'Hostile', kind: 'remote', config: { url } })

/** With the ports on which the leak markers wait. */
const hostileAddresses = (): string[] => [
  ...markerAddresses.flatMap((address) => {
    const host = address.includes(':') ? `[${address}]` : address
    return [`https://${host}/`, `https://${host}:${allowedPort}/`, `http://${host}/`, `http://${host}:443/`]
  }),
  ...hostileHosts.flatMap((host) => [`https://${host}/`, `https://${host}:${allowedPort}/latest/meta-data`]),
  ...hostileUrls,
]

/** Spread over the whole list, so that a small size has some of each kind. */
const everyNth = (urls: readonly string[], most: number): string[] =>
  urls.length <= most
    ? [...urls]
    : Array.from({ length: most }, (_, at) => urls[Math.floor((at * urls.length) / most)] ?? '')

const tryField = async ({ name, put }: Field, urls: readonly string[]): Promise<FieldMetrics> => {
  const metrics: FieldMetrics = { field: name, tried: urls.length, answers: {}, breaches: [] }
  await inParallel(urls, askedAtOnce, async (url) => {
    const { status, body, text } = await put(url)
    metrics.answers[status] = (metrics.answers[status] ?? 0) + 1
    // Too long or empty is malformed; everything else is understood and refused.
    const isRefused = (status === 422 || status === 400) && typeof body?.error?.message === 'string'
    if (!isRefused)
      metrics.breaches.push(
        `${name}: ${JSON.stringify(url).slice(0, 120)} was answered ${status} ${text.slice(0, 200)}`,
      )
  })
  return metrics
}
