import type { ServerResponse } from 'node:http'
import { eventSample } from '@ars/contract'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { stopDatabaseClock } from '@ars/testkit/stopped-clock'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type App, startApp, until } from './app.ts'
import { type Receiver, respond, startReceiver } from './webhook-receiver.ts'

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

/** An endpoint in a separate organisation, so that other tests' events do not reach it. */
const register = async (path: string) => {
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
type Endpoint = Awaited<ReturnType<typeof register>>

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

test('[S67] a response that is incomplete after 10 seconds does not acknowledge, whatever its status', async () => {
  const open: ServerResponse[] = []
  receiver.on('/hangs', (_, response) => void open.push(response))
  receiver.on('/dribbles', (_, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('.'), 250)
    response.on('close', () => clearInterval(timer))
  })
  const [hanging, dribbling] = await Promise.all([register('/hangs'), register('/dribbles')])
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
