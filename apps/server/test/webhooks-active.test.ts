import { createHmac } from 'node:crypto'
import { toUuid } from '@ars/platform/id'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, sharedApp, until } from './app.ts'
import { type Call, type Receiver, type respond, startReceiver } from './webhook-receiver.ts'

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

const send = async (method: string, path: string, body?: unknown) => {
  const reply = await until('an answer other than 503', async () => {
    const answer = await app.call(method, `/v2${path}`, body === undefined ? {} : { body })
    return answer.status !== 503 && answer
  })
  expect(reply.status, reply.text).toBeLessThan(300)
  return reply.body
}
const register = (path: string, rest: Record<string, unknown> = {}) =>
  send('POST', '/webhooks', { url: receiver.url(path), events: ['run.completed'], ...rest })
const run = (): Promise<{ id: string }> =>
  send('POST', '/runs', { agent_id: app.tenant.agents['test-echo'], input: { query: 'Hello' } })
const reached = (path: string, count = 1): Promise<Call[]> =>
  until(`${count} calls of ${path}`, async () => receiver.calls(path).length >= count && receiver.calls(path))
const runsIn = (calls: readonly Call[]): string[] => calls.map(({ body }) => JSON.parse(String(body)).data.id)
const ended = (webhook: string, delivery: string) =>
  until('the end of a delivery', async () => {
    const found = await send('GET', `/webhooks/${webhook}/deliveries/${delivery}`)
    return found.status !== 'pending' && found
  })

/** Answers only when the test says so, with the status that the test gives. */
const holding = () => {
  let answer: (status: number) => void = () => undefined
  const status = new Promise<number>((resolve) => {
    answer = resolve
  })
  return {
    answer: (code: number) => answer(code),
    handle: async (_: Call, response: Parameters<ReturnType<typeof respond>>[1]) => {
      response.writeHead(await status).end()
    },
  }
}

test('[S44] an inactive webhook receives nothing until it is active', async () => {
  await register('/active')
  const paused = await register('/paused', { active: false })
  const first = await run()
  expect(runsIn(await reached('/active'))).toEqual([first.id])
  expect((await send('GET', `/webhooks/${paused.id}/deliveries`)).data).toEqual([])

  await send('PATCH', `/webhooks/${paused.id}`, { active: true })
  const second = await run()
  expect(runsIn(await reached('/paused'))).toEqual([second.id])

  await send('PATCH', `/webhooks/${paused.id}`, { active: false })
  const third = await run()
  expect(runsIn(await reached('/active', 3))).toEqual([first.id, second.id, third.id])
  expect((await send('GET', `/webhooks/${paused.id}/deliveries`)).data).toHaveLength(1)
  expect(receiver.calls('/paused')).toHaveLength(1)
})

// B2, row 66.
test('deliveries in flight when a webhook is paused are recorded, and nothing follows them', async () => {
  const { answer, handle } = holding()
  receiver.on('/slow', handle)
  const webhook = await register('/slow')
  const { id } = await send('POST', `/webhooks/${webhook.id}/test`, {})
  await reached('/slow')
  await send('PATCH', `/webhooks/${webhook.id}`, { active: false })
  answer(500)
  const delivery = await ended(webhook.id, id)
  expect(delivery).toMatchObject({ status: 'failed', attempts: [{ number: 1, http_status: 500 }] })
  expect(delivery.error).toMatch(/paused/)
  expect(receiver.calls('/slow')).toHaveLength(1)
})

test('a test event reaches only its webhook, whatever the subscriptions, and its signature verifies', async () => {
  const webhook = await register('/tested')
  await register('/curious', { events: ['*'] })
  const sample = await send('POST', `/webhooks/${webhook.id}/test`, { event_type: 'alert.triggered' })
  const tested = await send('POST', `/webhooks/${webhook.id}/test`, {})
  const calls = await reached('/tested', 2)
  const bodies = calls.map(({ body }) => JSON.parse(String(body)))
  expect(bodies.find(({ id }) => id === tested.event_id)).toEqual({
    id: tested.event_id,
    type: 'test',
    created_at: expect.stringMatching(/Z$/),
    data: { message: expect.any(String), webhook_id: webhook.id },
  })
  expect(bodies.find(({ id }) => id === sample.event_id)).toMatchObject({
    type: 'alert.triggered',
    data: { object: 'alert' },
  })
  for (const { body, headers } of calls) {
    const hex = createHmac('sha256', webhook.secret).update(body).digest('hex')
    expect(headers['x-service-signature']).toBe(hex)
    expect(new Webhook(webhook.secret).verify(String(body), headers as Record<string, string>)).toBeTruthy()
    expect(headers['x-service-test']).toBe('true')
  }
  expect(await ended(webhook.id, tested.id)).toMatchObject({ status: 'succeeded', source: 'test' })
  // The other webhook receives later events, so it would have received these.
  const later = await run()
  expect(runsIn(await reached('/curious'))).toEqual([later.id])
})

test('a test that is sent again is still marked as a test, and an event that happened is not', async () => {
  const webhook = await register('/marked')
  await run()
  const [real] = await reached('/marked')
  const tested = await send('POST', `/webhooks/${webhook.id}/test`, { event_type: 'run.failed' })
  await ended(webhook.id, tested.id)
  await send('POST', `/webhooks/${webhook.id}/deliveries/${tested.id}/redeliver`, {})
  const [, first, again] = await reached('/marked', 3)
  expect([real, first, again].map((call) => call?.headers['x-service-test'])).toEqual([undefined, 'true', 'true'])
  const { data } = await send('GET', `/webhooks/${webhook.id}/deliveries`)
  const ofEvent = data.find(({ source }: { source: string }) => source === 'event')
  await send('POST', `/webhooks/${webhook.id}/deliveries/${ofEvent.id}/redeliver`, {})
  const [, , , realAgain] = await reached('/marked', 4)
  expect(realAgain?.headers['x-service-test']).toBeUndefined()
})

test('during a rotation both secrets verify, and the plain signature uses the old one', async () => {
  const webhook = await register('/rotated')
  const rotate = (body: unknown) => send('POST', `/webhooks/${webhook.id}/rotate-secret`, body)
  const lastCall = async (count: number): Promise<Call> => {
    await send('POST', `/webhooks/${webhook.id}/test`, {})
    return (await reached('/rotated', count)).at(-1) as Call
  }
  const isSigned = ({ body, headers }: Call, secret: string): [standard: boolean, plain: boolean] => {
    const isPlain = headers['x-service-signature'] === createHmac('sha256', secret).update(body).digest('hex')
    try {
      new Webhook(secret).verify(String(body), headers as Record<string, string>)
      return [true, isPlain]
    } catch {
      return [false, isPlain]
    }
  }
  const { secret: second } = await rotate({})
  const during = await lastCall(1)
  expect(isSigned(during, second)).toEqual([true, false])
  expect(isSigned(during, webhook.secret)).toEqual([true, true])
  // A second rotation within the overlap: the previous secret is now the old one, and the first is invalid.
  const { secret: third } = await rotate({ overlap_hours: 1 })
  const twice = await lastCall(2)
  expect(isSigned(twice, third)).toEqual([true, false])
  expect(isSigned(twice, second)).toEqual([true, true])
  expect(isSigned(twice, webhook.secret)).toEqual([false, false])
  const { secret: fourth } = await rotate({ overlap_hours: 0 })
  const at = await lastCall(3)
  expect(isSigned(at, fourth)).toEqual([true, true])
  expect(isSigned(at, third)).toEqual([false, false])
})

test('under concurrent changes and deliveries nothing fails, is lost or is counted twice', async () => {
  const webhook = await register('/busy')
  const tests = Array.from({ length: 30 }, () => app.call('POST', `/v2/webhooks/${webhook.id}/test`, { body: {} }))
  const changes = Array.from({ length: 10 }, (_, n) =>
    app.call('PATCH', `/v2/webhooks/${webhook.id}`, { body: { active: n % 2 === 1 } }),
  )
  const rotations = Array.from({ length: 5 }, () =>
    app.call('POST', `/v2/webhooks/${webhook.id}/rotate-secret`, { body: {} }),
  )
  const replies = await Promise.all([...tests, ...changes, ...rotations])
  // A paused webhook refuses a test; a busy service may answer 503.
  for (const { status, text } of replies) expect([200, 201, 422, 503], text).toContain(status)
  await send('PATCH', `/webhooks/${webhook.id}`, { active: true })
  const last = await send('POST', `/webhooks/${webhook.id}/test`, {})
  expect(await ended(webhook.id, last.id)).toMatchObject({ status: 'succeeded' })
  const made = (await Promise.all(tests)).filter(({ status }) => status === 201).map(({ body }) => body.id)
  for (const id of made) {
    const { status, attempts, error } = await ended(webhook.id, id)
    expect(status === 'succeeded' ? attempts.length === 1 : /paused/.test(error), `${status} ${error}`).toBe(true)
  }
  const [queue] = await app.query('select waiting, under_way from webhook_lanes where webhook_id = $1', [
    toUuid(webhook.id),
  ])
  expect(queue).toEqual({ waiting: 0, under_way: 0 })
})

test.each(['PATCH', 'DELETE'])('%s ends any number of waiting deliveries, in batches', async (method) => {
  const webhook = await register(`/crowded-${method}`)
  const uuid = toUuid(webhook.id)
  await app.query(
    `with d as (
       insert into deliveries (id, org_id, webhook_id, event_id, event_type, source)
       select new_uuid(), $1, $2, new_uuid(), 'run.completed', 'event' from generate_series(1, 2500)
       returning id, org_id, webhook_id, event_id
     ), h as (
       insert into delivery_heads (delivery_id, org_id, webhook_id, event_id, due_at)
       select id, org_id, webhook_id, event_id, app_now() + interval '1 hour' from d
     )
     update webhook_lanes set waiting = 2500, due_at = app_now() + interval '1 hour' where webhook_id = $2`,
    [app.tenant.org, uuid],
  )
  await send(method, `/webhooks/${webhook.id}`, method === 'PATCH' ? { active: false } : undefined)
  await until('the end of all that waits', async () => {
    const left = await app.query('select from delivery_heads where webhook_id = $1', [uuid])
    return left.length === 0
  })
  const ends = await app.query<{ status: string; deliveries: number }>(
    'select status, count(*)::integer as deliveries from deliveries where webhook_id = $1 and error ~ $2 group by 1',
    [uuid, method === 'PATCH' ? 'paused' : 'deleted'],
  )
  expect(ends).toEqual([{ status: 'failed', deliveries: 2500 }])
  expect(receiver.calls(`/crowded-${method}`)).toEqual([])
})
