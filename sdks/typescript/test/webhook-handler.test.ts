import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type Event, signWebhook, webhookHandler } from '../src/index.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const event = {
  id: 'evt_1',
  type: 'test',
  created_at: '2026-01-15T09:30:00Z',
  data: { message: 'Hi', webhook_id: 'wh_1' },
} as const

const requestOf = async (given = secret, change: Partial<Event> = {}): Promise<Request> => {
  const signed = await signWebhook({ event: { ...event, ...change } as Event, secret: given })
  return new Request('https://example.com/hook', { method: 'POST', ...signed })
}

test('an authentic event is received once, and a delivery that is not authentic is 400', async () => {
  const received: string[] = []
  const handle = webhookHandler({ secret }, ({ id }) => void received.push(id))
  expect((await handle(await requestOf())).status).toBe(204)
  expect((await handle(await requestOf())).status).toBe(204)
  expect((await handle(await requestOf('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'))).status).toBe(400)
  expect((await handle(new Request('https://example.com/hook', { method: 'POST' }))).status).toBe(400)
  expect((await handle(new Request('https://example.com/hook'))).status).toBe(405)
  expect(received).toEqual(['evt_1'])
})

test('an event whose receiver fails is 500 and is received again', async () => {
  let calls = 0
  const errors: unknown[] = []
  const handle = webhookHandler({ secret, onError: (error) => errors.push(error) }, async () => {
    if (++calls === 1) throw new Error('the database is away')
  })
  expect((await handle(await requestOf())).status).toBe(500)
  expect((await handle(await requestOf())).status).toBe(204)
  expect([calls, String(errors)]).toEqual([2, 'Error: the database is away'])
})

test('a guard can be a database, and a missing secret is our own fault', async () => {
  const claimed = new Set<string>()
  const guard = {
    claim: async (id: string) => !claimed.has(id) && Boolean(claimed.add(id)),
    release: async (id: string) => void claimed.delete(id),
  }
  const handle = webhookHandler({ secret, guard }, () => undefined)
  expect((await handle(await requestOf())).status).toBe(204)
  expect([...claimed]).toEqual(['evt_1'])
  const unset = webhookHandler({ secret: '' }, () => undefined)
  expect((await unset(await requestOf())).status).toBe(500)
})

test('the handler for node:http does the same', async () => {
  const received: string[] = []
  const handle = webhookHandler({ secret: [secret, 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'] }, ({ id }) => {
    received.push(id)
  })
  const server = createServer(handle.node).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  const signed = await signWebhook({ event, secret })
  expect((await fetch(url, { method: 'POST', ...signed })).status).toBe(204)
  expect((await fetch(url, { method: 'POST', ...signed, body: `${signed.body} ` })).status).toBe(400)
  expect((await fetch(url)).status).toBe(405)
  expect(received).toEqual(['evt_1'])
})
