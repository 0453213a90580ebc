import { expect } from 'vitest'
import { type App, until } from '../app.ts'
import type { Receiver } from '../webhook-receiver.ts'

/** An endpoint in a separate organisation, so that other tests' events do not reach it. */
export const registerEndpoint = async (app: App, receiver: Receiver, path: string) => {
  const tenant = await app.addTenant()
  const call = async (method: string, rest: string, body?: unknown) => {
    const reply = await app.call(method, `/v2${rest}`, { key: tenant.key, ...(body === undefined ? {} : { body }) })
    expect(reply.status, reply.text).toBeLessThan(300)
    return reply.body
  }
  const { id } = await call('POST', '/webhooks', { url: receiver.url(path), events: ['run.completed'] })
  return {
    id,
    runOnce: () => call('POST', '/runs', { agent_id: tenant.agents['test-echo'], input: {} }),
    read: () => call('GET', `/webhooks/${id}`),
    change: (body: unknown) => call('PATCH', `/webhooks/${id}`, body),
    remove: () => call('DELETE', `/webhooks/${id}`),
    deliveries: async () => (await call('GET', `/webhooks/${id}/deliveries`)).data,
    events: async (type: string) => (await call('GET', `/events?type=${type}`)).data,
    audit: async (action: string) => (await call('GET', `/audit-log?action=${action}`)).data,
    /** The newest delivery, once it has this many attempts and there are more than `known` deliveries. */
    afterAttempts: (count: number, known = 0) =>
      until(`attempt ${count}`, async () => {
        const { length, 0: delivery } = (await call('GET', `/webhooks/${id}/deliveries`)).data
        const isSettled = length > known && (delivery.status !== 'pending' || delivery.next_attempt_at !== null)
        return isSettled && delivery.attempts.length >= count && delivery
      }),
  }
}

export type Endpoint = Awaited<ReturnType<typeof registerEndpoint>>
