import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp, until } from './app.ts'
import { registerEndpoint } from './deliveries/endpoint.ts'
import { createEndpoints, isSigned } from './deliveries/endpoints.ts'
import { type Receiver, startReceiver } from './webhook-receiver.ts'

let receiver: Receiver
let app: App
let endpoints: ReturnType<typeof createEndpoints>
beforeAll(async () => {
  receiver = await startReceiver()
  app = await startApp({ env: receiver.env })
  endpoints = createEndpoints(app, receiver)
})
afterAll(async () => {
  await app.stop()
  await receiver.close()
})

test('[S67] a response that is incomplete after 10 seconds does not acknowledge, whatever its status (limits.deliveryTimeoutSeconds)', async () => {
  const open: ServerResponse[] = []
  receiver.on('/hangs', (_, response) => void open.push(response))
  receiver.on('/dribbles', (_, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('.'), 250)
    response.on('close', () => clearInterval(timer))
  })
  const [hanging, dribbling] = await Promise.all([
    registerEndpoint(app, receiver, '/hangs'),
    registerEndpoint(app, receiver, '/dribbles'),
  ])
  await Promise.all([hanging.runOnce(), dribbling.runOnce()])
  const [hung, dribbled] = await Promise.all([hanging.afterAttempts(1), dribbling.afterAttempts(1)])
  const error = 'timeout: The endpoint did not answer within 10 seconds'
  expect(hung.attempts[0]).toMatchObject({ http_status: null, error, response: null })
  expect(dribbled.attempts[0]).toMatchObject({ http_status: 200, error })
  for (const { status, attempts } of [hung, dribbled]) {
    expect(status).toBe('pending')
    expect(attempts[0].duration_ms).toBeGreaterThanOrEqual(9_990)
  }
  for (const response of open) response.destroy()
})

test('an output of 10 MiB is delivered completely', async () => {
  const result = 'é'.repeat((10_485_760 - '{"result":""}'.length) / 2)
  receiver.on('/agent', (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ output: { result } }))
  })
  const { secret } = await endpoints.register('/large', ['run.completed'])
  const config = { url: receiver.url('/agent') }
  const { body: agent } = await app.call('POST', '/v2/agents/custom', { body: { name: 'Big', kind: 'remote', config } })
  const { body: run } = await app.call('POST', '/v2/runs', { body: { agent_id: agent.id, input: {} } })
  expect(run.status).toBe('completed')
  const event = await endpoints.toldOf('/large', 'run.completed')
  expect(event.data.output).toEqual({ result })
  const [call] = receiver.calls('/large')
  expect(isSigned(call?.body ?? Buffer.alloc(0), call?.headers['x-service-signature'], secret)).toBe(true)
})

// The last test: from here on the engine assigns runs to the second app's workers.
test('a stopping worker waits for attempts in flight and records their outcome', async () => {
  let answer: (() => void) | undefined
  receiver.on('/slow', (_, response) => {
    answer = () => response.writeHead(204).end()
  })
  const second = await startApp({ env: receiver.env, role: 'gateway' })
  try {
    const worker = await second.join('worker')
    const body = { url: receiver.url('/slow'), events: ['run.completed'] }
    const { body: webhook } = await second.call('POST', '/v2/webhooks', { body })
    await second.call('POST', '/v2/runs', { body: { agent_id: second.tenant.agents['test-echo'], input: {} } })
    await until('the request', async () => receiver.calls('/slow').length === 1)
    const stopped = worker.stop()
    answer?.()
    await stopped
    const list = await second.call('GET', `/v2/webhooks/${webhook.id}/deliveries`)
    expect(list.body.data).toMatchObject([{ status: 'succeeded', attempts: [{ number: 1, http_status: 204 }] }])
  } finally {
    await second.stop()
  }
})

// All of it must happen before the first attempt to the dead endpoint times out.
test('a dead endpoint does not delay other endpoints', async () => {
  const open: ServerResponse[] = []
  receiver.on('/dead', (_, response) => void open.push(response))
  const { key, agents } = await app.addTenant()
  for (const path of ['/dead', '/healthy']) {
    const body = { url: receiver.url(path), events: ['run.completed'] }
    expect((await app.call('POST', '/v2/webhooks', { key, body })).status).toBe(201)
  }
  const run = () => app.call('POST', '/v2/runs', { key, body: { agent_id: agents['test-echo'], input: {} } })
  await Promise.all(Array.from({ length: 30 }, run))
  await until('all deliveries to the healthy one', async () => receiver.calls('/healthy').length === 30)
  const [dead] = await app.query<{ under_way: number; ended: number }>(
    `select max(under_way) as under_way, (select count(*)::integer from delivery_attempts a join deliveries d on d.id = a.delivery_id
        join webhooks w on w.id = d.webhook_id where w.url = $1) as ended from webhook_lanes`,
    [receiver.url('/dead')],
  )
  expect(dead).toEqual({ under_way: 10, ended: 0 })
  for (const response of open) response.destroy()
})
