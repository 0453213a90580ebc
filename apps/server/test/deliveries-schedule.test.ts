import type { ServerResponse } from 'node:http'
import { eventSample } from '@ars/contract'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { stopDatabaseClock } from '@ars/testkit/stopped-clock'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type App, startApp, until } from './app.ts'
import { type Endpoint, registerEndpoint } from './deliveries/endpoint.ts'
import { createEndpoints } from './deliveries/endpoints.ts'
import { type Receiver, respond, startReceiver } from './webhook-receiver.ts'

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

const register = (path: string) => registerEndpoint(app, receiver, path)

const moveClock = (ms: number) => moveDatabaseClock(app.database.ownerUrl, ms)

const failWholly = async (endpoint: Endpoint): Promise<void> => {
  const { length: known } = await endpoint.deliveries()
  await endpoint.runOnce()
  for (const count of [1, 2, 3]) {
    await endpoint.afterAttempts(count, known)
    if (count < 3) await moveClock(count === 1 ? 1000 : 5000)
  }
}

/** A clock that the test moves, so that the schedule can be checked to the millisecond. */
const stopClock = async () => {
  const [row] = await app.query<{ now: string }>('select app_now()::text as now')
  let nowMs = Date.parse(row?.now ?? '')
  const moveTo = async (ms: number): Promise<void> => {
    nowMs = ms
    await stopDatabaseClock(app.database.ownerUrl, new Date(ms))
  }
  await moveTo(nowMs)
  onTestFinished(async () => void (await moveClock(0)))
  return { now: () => new Date(nowMs).toISOString(), moveBy: (ms: number) => moveTo(nowMs + ms) }
}

/** Another delivery completes meanwhile: the service has looked for due deliveries and had time to send them. */
const deliverSomethingElse = async (): Promise<void> => {
  const other = await register('/other')
  await other.runOnce()
  expect(await other.afterAttempts(1)).toMatchObject({ status: 'succeeded' })
}

const later = (moment: string, ms: number): string => new Date(Date.parse(moment) + ms).toISOString()

test('[S66] the second attempt follows 1 s after the first failure, the third 5 s later, and there is no fourth', async () => {
  receiver.on('/failing', respond(500))
  const endpoint = await register('/failing')
  const clock = await stopClock()
  const begin = clock.now()
  await endpoint.runOnce()
  const waitsMs = [1000, 5000]
  for (const [at, waitMs] of waitsMs.entries()) {
    const delivery = await endpoint.afterAttempts(at + 1)
    expect(delivery).toMatchObject({ status: 'pending', next_attempt_at: later(clock.now(), waitMs) })
    await clock.moveBy(waitMs - 1)
    await deliverSomethingElse()
    expect(receiver.calls('/failing')).toHaveLength(at + 1)
    await clock.moveBy(1)
  }
  const ended = await endpoint.afterAttempts(3)
  expect(ended).toMatchObject({ status: 'failed', next_attempt_at: null, error: null })
  const attempts: { at: string; error: string }[] = ended.attempts
  expect(attempts.map(({ at }) => at)).toEqual([begin, later(begin, 1000), later(begin, 6000)])
  expect(attempts.map(({ error }) => error)).toEqual(Array(3).fill('The endpoint answered 500'))
  await clock.moveBy(60_000)
  await deliverSomethingElse()
  expect(receiver.calls('/failing')).toHaveLength(3)
})

test.each([
  [200, 'succeeded', null],
  [204, 'succeeded', null],
  [299, 'succeeded', null],
  [301, 'pending', 'The endpoint answered 301: redirects are not followed'],
  [302, 'pending', 'The endpoint answered 302: redirects are not followed'],
  [404, 'pending', 'The endpoint answered 404'],
  [410, 'failed', 'The endpoint answered 410: it is gone, and the webhook is disabled'],
])('[S67] a response of %i leaves the delivery %s', async (status, expected, error) => {
  const path = `/answers-${status}`
  receiver.on(path, (_, response) => {
    response.writeHead(status, { location: receiver.url('/elsewhere') })
    response.end()
  })
  const endpoint = await register(path)
  await endpoint.runOnce()
  const delivery = await endpoint.afterAttempts(1)
  expect(delivery.status).toBe(expected)
  expect(delivery.attempts[0]).toMatchObject({ http_status: status, error })
  expect(receiver.calls('/elsewhere')).toHaveLength(0)
})

test('[S66] after three consecutive failed deliveries an endpoint is paused for 30 seconds and not longer', async () => {
  receiver.on('/resting', respond(500))
  const endpoint = await register('/resting')
  for (let delivery = 0; delivery < 2; delivery++) await failWholly(endpoint)
  const clock = await stopClock()
  const { length: known } = await endpoint.deliveries()
  await endpoint.runOnce()
  for (const [at, waitMs] of [1000, 5000].entries()) {
    await endpoint.afterAttempts(at + 1, known)
    await clock.moveBy(waitMs)
  }
  expect(await endpoint.afterAttempts(3, known)).toMatchObject({ status: 'failed', ended_at: clock.now() })
  expect(receiver.calls('/resting')).toHaveLength(9)
  const restEnds = later(clock.now(), 30_000)

  receiver.on('/resting', respond(204))
  await endpoint.runOnce()
  const waiting = await until('the fourth delivery', async () => {
    const all = await endpoint.deliveries()
    return all.length === 4 && all[0]
  })
  expect(waiting).toMatchObject({ status: 'pending', attempts: [], next_attempt_at: restEnds })
  await clock.moveBy(29_999)
  await deliverSomethingElse()
  expect(receiver.calls('/resting')).toHaveLength(9)
  await clock.moveBy(1)
  expect(await endpoint.afterAttempts(1, 3)).toMatchObject({ status: 'succeeded', attempts: [{ at: restEnds }] })
  expect(await endpoint.read()).toMatchObject({ status: 'healthy', failing_since: null })
})

test('an endpoint that fails for five days is disabled once, with one event and one audit entry', async () => {
  receiver.on('/dead', respond(500))
  const endpoint = await register('/dead')
  await failWholly(endpoint)
  const { failing_since, status } = await endpoint.read()
  expect([status, failing_since === null]).toEqual(['failing', false])
  await moveClock(4 * 86_400_000)
  await failWholly(endpoint)
  expect(await endpoint.read()).toMatchObject({ status: 'failing', active: true, failing_since })
  await moveClock(86_400_000)
  await failWholly(endpoint)
  const disabled = await until('the end of its patience', async () => {
    const webhook = await endpoint.read()
    return webhook.status === 'disabled' && webhook
  })
  expect(disabled).toMatchObject({
    active: false,
    disabled_reason: 'failing',
    missed_since: failing_since,
    failing_since,
  })
  await endpoint.runOnce()
  await moveClock(60_000)
  expect(await endpoint.events('webhook.disabled')).toMatchObject([
    { data: { id: endpoint.id, status: 'disabled', reason: eventSample('webhook.disabled').reason } },
  ])
  expect(await endpoint.audit('webhook.disabled')).toMatchObject([{ actor: { type: 'service' }, subject: endpoint.id }])
  expect(app.logLines.filter((line) => line.includes('webhook disabled') && line.includes(endpoint.id))).toHaveLength(1)
  expect(receiver.calls('/dead')).toHaveLength(9)

  receiver.on('/dead', respond(204))
  expect(await endpoint.change({ active: true })).toMatchObject({ active: true, missed_since: failing_since })
  await endpoint.runOnce()
  await until('a delivery that succeeds', async () => (await endpoint.deliveries())[0]?.status === 'succeeded')
  expect(await endpoint.read()).toMatchObject({ status: 'healthy' })
})

test('410 disables an endpoint at once, and waiting deliveries are not sent', async () => {
  const open: ServerResponse[] = []
  receiver.on('/gone', (_, response, number) => {
    if (number <= 10) open.push(response)
    else response.writeHead(204).end()
  })
  const endpoint = await register('/gone')
  await Promise.all(Array.from({ length: 12 }, () => endpoint.runOnce()))
  await until('ten requests', async () => open.length === 10)
  await until('twelve deliveries', async () => (await endpoint.deliveries()).length === 12)
  for (const response of open) response.writeHead(410).end()
  const ended = await until('the end of all', async () => {
    const all: { status: string; error: string | null; attempts: unknown[] }[] = await endpoint.deliveries()
    return all.every(({ status }) => status === 'failed') && all
  })
  expect(await endpoint.read()).toMatchObject({ status: 'disabled', disabled_reason: 'gone' })
  expect(receiver.calls('/gone')).toHaveLength(10)
  const unsent = ended.filter(({ attempts }) => attempts.length === 0)
  expect(unsent.map(({ error }) => error)).toEqual(
    Array(2).fill('The webhook was paused or disabled, so nothing more was sent'),
  )
  expect(await endpoint.events('webhook.disabled')).toHaveLength(1)
})

test.each(['paused', 'deleted'] as const)(
  'an endpoint that is %s between two attempts gets no further POST',
  async (how) => {
    const path = `/${how}`
    receiver.on(path, respond(500))
    const endpoint = await register(path)
    await endpoint.runOnce()
    await endpoint.afterAttempts(1)
    if (how === 'paused') await endpoint.change({ active: false })
    else await endpoint.remove()
    await moveClock(60_000)
    const [ended] = await until('the end of the delivery', async () => {
      const rows = await app.query<{ status: string; error: string }>(
        `select d.status, d.error from deliveries d where d.webhook_id = (select webhook_id from deliveries
         order by id desc limit 1) and d.status <> 'pending'`,
      )
      return rows.length > 0 && rows
    })
    expect(ended).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/webhook was (paused|deleted)|paused|deleted/i),
    })
    expect(receiver.calls(path)).toHaveLength(1)
  },
)

test('[S16] [S56] an endpoint receives a failed run with its error, and a timed-out run', async () => {
  await endpoints.register('/failed', ['run.failed'])
  const failed = await endpoints.make('test-fail', { input: { code: 'agent_error', message: 'It is broken' } })
  const event = await endpoints.toldOf('/failed', 'run.failed')
  expect(event.data).toMatchObject({
    id: failed.id,
    status: 'failed',
    error: { code: 'agent_error', message: 'It is broken' },
  })
  const late = await endpoints.make(
    'test-slow',
    { input: { seconds: 3600 }, timeout_seconds: 60 },
    { prefer: 'respond-async' },
  )
  await until('the run to start', async () => {
    const { body } = await app.call('GET', `/v2/runs/${late.id}`)
    return body.status === 'running'
  })
  await moveDatabaseClock(app.database.ownerUrl, 61_000)
  const told = await endpoints.toldOfRun('/failed', late.id)
  expect(told).toMatchObject({ type: 'run.failed', data: { status: 'failed', error: { code: 'run_timeout' } } })
  expect(told.data).toEqual((await app.call('GET', `/v2/runs/${late.id}`)).body)
})

test('[S56] an endpoint receives a run that timed out before it started, and one whose action expired', async () => {
  await endpoints.register('/too-late', ['run.failed'])
  await app.query('update organisations set concurrent_runs = 1 where id = $1', [app.tenant.org])
  const isAsync = { prefer: 'respond-async' }
  const asking = await endpoints.make('test-approval', { input: { expires_in_seconds: 60 } })
  const running = await endpoints.make('test-slow', { input: { seconds: 3600 }, timeout_seconds: 3600 }, isAsync)
  const waiting = await endpoints.make('test-echo', { timeout_seconds: 60 }, isAsync)
  await moveDatabaseClock(app.database.ownerUrl, 61_000)
  for (const [{ id }, code] of [
    [asking, 'action_timeout'],
    [waiting, 'queue_timeout'],
  ] as const) {
    expect(await endpoints.toldOfRun('/too-late', id)).toMatchObject({
      type: 'run.failed',
      data: { status: 'failed', error: { code } },
    })
  }
  await app.call('DELETE', `/v2/runs/${running.id}`)
  await app.query('update organisations set concurrent_runs = 5 where id = $1', [app.tenant.org])
})

test('[S66] three attempts carry the same event id and identical bytes, each with a new timestamp and signature', async () => {
  receiver.on('/thrice', respond(500, 503, 204))
  const { id, secret } = await endpoints.register('/thrice', ['run.completed'])
  await endpoints.make('test-echo', { input: { query: 'again' } })
  for (const count of [1, 2]) {
    await until(`attempt ${count} to be recorded`, async () => (await endpoints.attemptsOf(id)).length === count)
    await moveDatabaseClock(app.database.ownerUrl, 5000)
  }
  await until('the end of the delivery', async () => (await endpoints.deliveryOf(id)).status === 'succeeded')
  const calls = receiver.calls('/thrice')
  expect(calls.map(({ body }) => body.equals(calls[0]?.body ?? Buffer.alloc(0)))).toEqual([true, true, true])
  expect(new Set(calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  for (const { headers, body } of calls) new Webhook(secret).verify(String(body), headers as Record<string, string>)
})
