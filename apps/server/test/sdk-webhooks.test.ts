import { type Event, verifyWebhook, WebhookVerificationError } from '@agent-run-service/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, sharedApp, until } from './app.ts'
import { sdkClient } from './sdk-client.ts'
import { type Receiver, startReceiver } from './webhook-receiver.ts'

let receiver: Receiver
let app: App
beforeAll(async () => {
  receiver = await startReceiver()
  app = await sharedApp()
})
afterAll(async () => {
  await app.stop()
  await receiver.close()
})

const echo = () => ({ agent_id: app.tenant.agents['test-echo'] ?? '', input: { say: 'hello' } })
const callsTo = (path: string, count: number) =>
  until(`${count} calls of ${path}`, async () => receiver.calls(path).length >= count && receiver.calls(path))

test('[S64][S65] a receiver that verifies with the SDK accepts a real delivery, and no altered one', async () => {
  const client = sdkClient(app)
  const { secret } = await client.webhooks.create({ url: receiver.url('/verify'), events: ['run.completed'] })
  const run = await client.runs.create(echo())
  const [{ body, headers } = { body: Buffer.from(''), headers: {} }] = await callsTo('/verify', 1)
  const event = await verifyWebhook({ body, headers, secret: secret ?? '' })
  expect(event).toMatchObject({ type: 'run.completed', data: { id: run.id, output: run.output } })
  expect(await client.events.get(event.id)).toEqual(event)

  const altered = Buffer.from(body.toString().replace('hello', 'hullo'))
  const rewritten = JSON.stringify(JSON.parse(body.toString()), null, 2)
  for (const wrong of [altered, rewritten]) {
    const refused = verifyWebhook({ body: wrong, headers, secret: secret ?? '' })
    await expect(refused).rejects.toBeInstanceOf(WebhookVerificationError)
  }
})

test('a receiver works during a rotation with the old secret, the new one, and both', async () => {
  const client = sdkClient(app)
  const hook = await client.webhooks.create({ url: receiver.url('/rotate'), events: ['run.completed'] })
  const { secret } = await client.webhooks.rotateSecret(hook.id)
  const delivery = await client.webhooks.test(hook.id, { event_type: 'run.completed' })
  const [{ body, headers } = { body: Buffer.from(''), headers: {} }] = await callsTo('/rotate', 1)
  const [old, current] = [hook.secret ?? '', secret ?? '']
  expect(current).not.toBe(old)
  for (const given of [old, current, [current, old]]) {
    expect(await verifyWebhook({ body, headers, secret: given })).toMatchObject({ id: delivery.event_id })
  }
})

test('a program can list, filter and resend deliveries', async () => {
  const client = sdkClient(app)
  const hook = await client.webhooks.create({ url: receiver.url('/history'), events: ['*'] })
  const { id } = await client.webhooks.test(hook.id)
  await callsTo('/history', 1)
  const delivery = await until('the delivery to succeed', async () => {
    const found = await client.webhooks.delivery(hook.id, id)
    return found.status === 'succeeded' && found
  })
  expect(delivery.attempts).toMatchObject([{ number: 1, http_status: 204 }])
  const again = await client.webhooks.redeliver(hook.id, id)
  expect(again).toMatchObject({ event_id: delivery.event_id, source: 'redelivery' })
  const [first, second] = await callsTo('/history', 2)
  expect(second?.body).toEqual(first?.body)
  const listed: string[] = []
  for await (const each of client.webhooks.deliveries(hook.id, { event_id: delivery.event_id, limit: 1 })) {
    listed.push(each.id)
  }
  expect(listed).toEqual([again.id, id])
  expect(await client.webhooks.update(hook.id, { active: false })).toMatchObject({ status: 'disabled' })
  expect((await client.webhooks.delete(hook.id)).id).toBe(hook.id)
})

test('the type of an event determines the type of its data', () => {
  const resultOf = (event: Event): unknown => {
    if (event.type === 'run.completed') return event.data.output
    if (event.type === 'webhook.disabled') return event.data.reason
    return undefined
  }
  const data = { reason: 'gone' } as Extract<Event, { type: 'webhook.disabled' }>['data']
  expect(resultOf({ id: 'evt_1', type: 'webhook.disabled', created_at: '', data })).toBe('gone')
})
