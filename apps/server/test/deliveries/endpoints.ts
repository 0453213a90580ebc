import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Event } from '@ars/contract'
import { expect } from 'vitest'
import { type App, until } from '../app.ts'
import type { Call, Receiver } from '../webhook-receiver.ts'

export const eventIn = (call: Call | undefined): Event => JSON.parse(String(call?.body))

/** Endpoints of the app's own organisation at a receiver, and what they were told. */
export const createEndpoints = (app: App, receiver: Receiver) => {
  const register = async (path: string, events: string[] = ['*']) => {
    const { status, text, body } = await app.call('POST', '/v2/webhooks', { body: { url: receiver.url(path), events } })
    expect(status, text).toBe(201)
    return body as { id: string; secret: string }
  }
  const make = async (agent: string, body: Record<string, unknown>, headers: Record<string, string> = {}) =>
    (await app.call('POST', '/v2/runs', { body: { agent_id: app.tenant.agents[agent], input: {}, ...body }, headers }))
      .body
  const toldOf = (path: string, type: string): Promise<Event> =>
    until(`${type} at ${path}`, async () =>
      receiver
        .calls(path)
        .map(eventIn)
        .find((event) => event.type === type),
    )
  const toldOfRun = (path: string, id: string): Promise<Event> =>
    until(`the event of ${id} at ${path}`, async () =>
      receiver
        .calls(path)
        .map(eventIn)
        .find(({ data }) => data.id === id),
    )
  const deliveryOf = async (webhook: string) =>
    (await app.call('GET', `/v2/webhooks/${webhook}/deliveries`)).body.data[0]
  const attemptsOf = async (webhook: string): Promise<unknown[]> => (await deliveryOf(webhook))?.attempts ?? []
  return { register, make, toldOf, toldOfRun, deliveryOf, attemptsOf }
}

/** The verification recipe of the contract, as a receiver would write it. */
export const isSigned = (body: Buffer, signature: unknown, secret: string): boolean =>
  timingSafeEqual(Buffer.from(String(signature)), Buffer.from(createHmac('sha256', secret).update(body).digest('hex')))
