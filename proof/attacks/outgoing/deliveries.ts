import { inParallel } from '../wire.ts'
import { type Customer, until } from './customer.ts'

export type Attempt = {
  number: number
  http_status: number | null
  error: string | null
}

export type Delivery = {
  id: string
  status: 'pending' | 'succeeded' | 'failed'
  attempts: Attempt[]
}

const askedAtOnce = 8

/** Sends a test to each of these webhooks and waits until all have ended. By webhook. */
export const deliverTests = async (customer: Customer, webhooks: readonly string[]): Promise<Map<string, Delivery>> => {
  const sent = new Map<string, string>()
  await inParallel(webhooks, askedAtOnce, async (id) => {
    sent.set(id, (await customer.make(`/webhooks/${id}/test`, {})).id)
  })
  const ended = new Map<string, Delivery>()
  await inParallel(webhooks, askedAtOnce, async (id) => {
    const path = `/webhooks/${id}/deliveries/${sent.get(id)}`
    const delivery = await until(`the end of ${path}`, async () => {
      const { body } = await customer.call('GET', path)
      return body.status !== 'pending' && (body as Delivery)
    })
    ended.set(id, delivery)
  })
  return ended
}

/** Makes a webhook for each address. Null where it was refused. */
export const makeWebhooks = async (
  customer: Customer,
  urls: readonly string[],
): Promise<Map<string, { id: string | null; status: number; error: string }>> => {
  const made = new Map<string, { id: string | null; status: number; error: string }>()
  await inParallel(urls, askedAtOnce, async (url) => {
    // Nothing but the tests that are asked for.
    const { status, body } = await customer.call('POST', '/webhooks', { url, events: ['pipeline.completed'] })
    made.set(url, { id: status === 201 ? body.id : null, status, error: body?.error?.message ?? '' })
  })
  return made
}

export const deleteWebhooks = async (customer: Customer, ids: readonly string[]): Promise<void> => {
  await inParallel(ids, askedAtOnce, async (id) => void (await customer.call('DELETE', `/webhooks/${id}`)))
}
