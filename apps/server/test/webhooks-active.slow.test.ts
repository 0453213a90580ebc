import { toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp, until } from './app.ts'
import { type Receiver, respond, startReceiver } from './webhook-receiver.ts'

/* Waits for the real times between the attempts of a delivery. */

let receiver: Receiver
let app: App
beforeAll(async () => {
  receiver = await startReceiver()
  app = await startApp({ env: receiver.env })
})
afterAll(async () => {
  await app.stop()
  await receiver.close()
})

const send = async (method: string, path: string, body?: unknown) => {
  const reply = await app.call(method, `/v2${path}`, body === undefined ? {} : { body })
  expect(reply.status, reply.text).toBeLessThan(300)
  return reply.body
}
const register = (path: string) => send('POST', '/webhooks', { url: receiver.url(path), events: ['run.completed'] })

test('a webhook that is deleted during a delivery receives nothing more', async () => {
  const answer = Promise.withResolvers<number>()
  receiver.on('/deleted', (_, response) => {
    void answer.promise.then((status) => response.writeHead(status).end())
  })
  const webhook = await register('/deleted')
  await send('POST', `/webhooks/${webhook.id}/test`, {})
  await until('the delivery', async () => receiver.calls('/deleted').length === 1)
  await send('DELETE', `/webhooks/${webhook.id}`)
  answer.resolve(500)
  // All three attempts of another delivery take longer than the next attempt here would have: 1 s, and then 5 s more.
  receiver.on('/failing', respond(500))
  const other = await register('/failing')
  const { id } = await send('POST', `/webhooks/${other.id}/test`, {})
  const ended = await until('the end of a delivery', async () => {
    const found = await send('GET', `/webhooks/${other.id}/deliveries/${id}`)
    return found.status !== 'pending' && found
  })
  expect(ended.attempts).toHaveLength(3)
  expect(receiver.calls('/deleted')).toHaveLength(1)
  expect(await app.query('select from delivery_heads where webhook_id = $1', [toUuid(webhook.id)])).toEqual([])
})
