import { contract } from '@ars/contract'
import { toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, sharedApp, until } from './app.ts'
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

const register = async (path: string, events: string[] = ['run.completed']): Promise<string> => {
  const { status, body } = await app.call('POST', '/v2/webhooks', { body: { url: receiver.url(path), events } })
  expect(status).toBe(201)
  return body.id
}
const run = async (query = 'Hello'): Promise<string> => {
  const body = { agent_id: app.tenant.agents['test-echo'], input: { query } }
  const { status, body: made } = await app.call('POST', '/v2/runs', { body })
  expect([status, made.status]).toEqual([200, 'completed'])
  return made.id
}
const get = async (path: string) => {
  const { status, body } = await app.call('GET', `/v2${path}`)
  expect([path, status]).toEqual([path, 200])
  return body
}
/** The newest delivery of a webhook, once it has ended. */
const ended = (webhook: string, count = 1) =>
  until(`${count} ended deliveries`, async () => {
    const { data } = await get(`/webhooks/${webhook}/deliveries`)
    return data.length >= count && data.every(({ ended_at }: { ended_at: string | null }) => ended_at) && data[0]
  })

test('the history of a webhook shows requests and responses, with headers, status, error and time', async () => {
  const url = receiver.on('/coffee', (_, response, number) => {
    response.writeHead(number === 1 ? 503 : 200, { 'content-type': 'text/plain', 'x-pot': 'cold' })
    response.end(number === 1 ? 'No coffee yet ☕' : 'Thanks')
  })
  const webhook = await register('/coffee')
  const runId = await run()
  const listed = await ended(webhook)
  const delivery = await get(`/webhooks/${webhook}/deliveries/${listed.id}`)
  expect(contract.webhooks.delivery.output.strict().safeParse(delivery).error).toBeUndefined()
  const [first, second] = receiver.calls('/coffee')
  const body = String(first?.body)
  expect(JSON.parse(body)).toMatchObject({ id: delivery.event_id, type: 'run.completed', data: { id: runId } })
  expect(delivery).toMatchObject({
    object: 'delivery',
    webhook_id: webhook,
    event_type: 'run.completed',
    status: 'succeeded',
    source: 'event',
    next_attempt_at: null,
    error: null,
    attempts: [
      {
        number: 1,
        http_status: 503,
        error: expect.stringContaining('503'),
        request: { body },
        response: { headers: { 'x-pot': 'cold' }, body: 'No coffee yet ☕' },
      },
      { number: 2, http_status: 200, error: null, request: { body }, response: { body: 'Thanks' } },
    ],
  })
  expect(String(second?.body)).toBe(body)
  for (const [n, call] of [first, second].entries()) {
    const { request, at, duration_ms } = delivery.attempts[n]
    expect(request.headers['x-service-signature']).toBe(call?.headers['x-service-signature'])
    expect(request.headers['webhook-timestamp']).toBe(call?.headers['webhook-timestamp'])
    expect(duration_ms).toBeGreaterThanOrEqual(0)
    expect(at >= delivery.created_at && at <= delivery.ended_at).toBe(true)
  }
  // Lists omit the sent bodies, which may be large.
  const bare = delivery.attempts.map((attempt: { request: object }) => ({
    ...attempt,
    request: { ...attempt.request, body: null },
  }))
  expect(listed).toEqual({ ...delivery, attempts: bare })
  expect(url).toBe(receiver.url('/coffee'))
})

test('a redelivery sends the same event id and the same bytes, as a separate delivery', async () => {
  const webhook = await register('/again')
  await run('Once more: é, 😀, \u2028')
  const first = await ended(webhook)
  const answer = await app.call('POST', `/v2/webhooks/${webhook}/deliveries/${first.id}/redeliver`)
  expect([answer.status, answer.headers.location]).toEqual([
    201,
    `/v2/webhooks/${webhook}/deliveries/${answer.body.id}`,
  ])
  expect(answer.body).toMatchObject({ event_id: first.event_id, source: 'redelivery', webhook_id: webhook })
  expect(answer.body.id).not.toBe(first.id)
  const second = await ended(webhook, 2)
  expect(second).toMatchObject({ id: answer.body.id, status: 'succeeded' })
  const [one, two] = receiver.calls('/again')
  expect(two?.body.equals(one?.body ?? Buffer.alloc(0))).toBe(true)
  expect(two?.headers['webhook-id']).toBe(one?.headers['webhook-id'])
  expect(await get(`/webhooks/${webhook}/deliveries/${first.id}`)).toMatchObject({ attempts: [{ number: 1 }] })
  const { data } = await get(`/audit-log?subject=${webhook}`)
  expect(data[0]).toMatchObject({ action: 'webhook.redelivered', after: { of: first.id, delivery_id: second.id } })
})

test('an event that occurred while the webhook was paused is missed until it is sent', async () => {
  const webhook = await register('/paused')
  const path = `/v2/webhooks/${webhook}`
  await app.call('PATCH', path, { body: { active: false } })
  const runId = await run()
  await until('the relay', async () => {
    const told = await app.query('select from events where subject_id = $1 and position is not null', [toUuid(runId)])
    return told.length > 0
  })
  const missed = await get(`/webhooks/${webhook}/missed`)
  expect(missed).toMatchObject({ data: [{ type: 'run.completed', data: { id: runId } }], has_more: false })
  expect(await get(`/events/${missed.data[0].id}`)).toEqual(missed.data[0])
  const since = missed.data[0].created_at
  expect((await app.call('POST', `${path}/recover`, { body: { since } })).body.error.code).toBe('webhook_inactive')
  const enabled = await app.call('PATCH', path, { body: { active: true } })
  expect(enabled.body.missed_since <= since).toBe(true)
  const begun = await app.call('POST', `${path}/recover`, { body: { since: enabled.body.missed_since } })
  expect([begun.status, begun.headers.location]).toEqual([201, `${path}/recoveries/${begun.body.id}`])
  const done = await until('the recovery', async () => {
    const recovery = await get(`/webhooks/${webhook}/recoveries/${begun.body.id}`)
    return recovery.status === 'completed' && recovery
  })
  expect(done.progress).toMatchObject({ found: 1, delivered: 1, failed: 0 })
  expect(receiver.calls('/paused').map(({ headers }) => headers['webhook-id'])).toEqual([missed.data[0].id])
  expect((await get(`/webhooks/${webhook}/missed`)).data).toEqual([])
  expect(await get(`/webhooks/${webhook}`)).toMatchObject({ missed_since: null })
  expect(await ended(webhook)).toMatchObject({ source: 'recovery', event_id: missed.data[0].id })
})

test('erasing the data of a run also erases its delivered bodies and their responses', async () => {
  receiver.on('/erased', (call, response) => response.writeHead(200).end(call.body))
  const webhook = await register('/erased')
  const runId = await run('A secret of mine')
  const { id } = await ended(webhook)
  const path = `/webhooks/${webhook}/deliveries/${id}`
  const before = await get(path)
  expect(before.attempts[0].request.body).toContain('A secret of mine')
  expect(before.attempts[0].response.body).toBe(before.attempts[0].request.body)
  expect((await app.call('DELETE', `/v2/runs/${runId}/data`)).status).toBe(200)
  const after = await get(path)
  expect(JSON.stringify(after)).not.toContain('A secret of mine')
  expect(after.attempts[0]).toMatchObject({ http_status: 200, request: { body: null }, response: { body: '' } })
  // Later deliveries of it contain none of the data either.
  await app.call('POST', `/v2${path}/redeliver`)
  await ended(webhook, 2)
  expect(String(receiver.calls('/erased')[1]?.body)).not.toContain('A secret of mine')
  const kept = await app.query<{ found: boolean }>(
    `select exists (select from event_bodies where body like '%A secret of mine%')
         or exists (select from delivery_attempts where response_body like '%A secret of mine%') as found`,
  )
  expect(kept).toEqual([{ found: false }])
})

test('another organisation cannot see the history', async () => {
  const webhook = await register('/ours')
  await run()
  const { id, event_id } = await ended(webhook)
  const stranger = await app.addTenant()
  const since = new Date(0).toISOString()
  const asked: [string, string, unknown?][] = [
    ['GET', `/v2/webhooks/${webhook}/deliveries`],
    ['GET', `/v2/webhooks/${webhook}/deliveries/${id}`],
    ['POST', `/v2/webhooks/${webhook}/deliveries/${id}/redeliver`],
    ['GET', `/v2/webhooks/${webhook}/missed`],
    ['POST', `/v2/webhooks/${webhook}/recover`, { since }],
    ['GET', `/v2/webhooks/${webhook}/recoveries`],
    ['GET', `/v2/events/${event_id}`],
  ]
  for (const [method, path, body] of asked) {
    const { status } = await app.call(method, path, { key: stranger.key, ...(body ? { body } : {}) })
    expect([method, path, status]).toEqual([method, path, 404])
  }
})
