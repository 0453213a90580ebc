import { apiBasePath, contract, type Operation } from '@ars/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type Reply, sharedApp } from './app.ts'
import { inviteVisitor } from './browser.ts'

let app: App
let webhook: string
let delivery: string
let cookie: string
beforeAll(async () => {
  app = await sharedApp()
  const { cookie: session } = await inviteVisitor(app, app.tenant)
  cookie = session
  webhook = await newWebhook()
  delivery = (await app.call('POST', `/v2/webhooks/${webhook}/test`, { body: {} })).body.id
})
afterAll(() => app.stop())

const newWebhook = async (): Promise<string> => {
  const body = { url: 'https://127.0.0.1:9/hooks', events: ['deployment.created'] }
  return (await app.call('POST', '/v2/webhooks', { body })).body.id
}

const newPipeline = async (): Promise<string> => {
  const body = { name: 'Once', definition: { steps: [{ key: 'only', agent_id: app.tenant.agents['test-echo'] }] } }
  return (await app.call('POST', '/v2/pipelines', { body })).body.id
}

const newSchedule = async (): Promise<string> => {
  const body = { name: 'Once', interval_seconds: 86_400, agent_id: app.tenant.agents['test-echo'] }
  return (await app.call('POST', '/v2/schedules', { body })).body.id
}

/** `otherPath`: where the other request differs in its path. */
type Request = { path: string; body: object; other: object; otherPath?: string }

const creating: [string, () => Promise<Request> | Request][] = [
  ['webhooks.test', () => ({ path: `/webhooks/${webhook}/test`, body: {}, other: { event_type: 'run.failed' } })],
  [
    'webhooks.recover',
    async () => ({
      path: `/webhooks/${await newWebhook()}/recover`,
      body: { since: '2026-01-01T00:00:00Z' },
      other: { since: '2026-01-02T00:00:00Z' },
    }),
  ],
  [
    'webhooks.rotateSecret',
    async () => ({ path: `/webhooks/${await newWebhook()}/rotate-secret`, body: {}, other: { overlap_hours: 0 } }),
  ],
  [
    'pipelines.create',
    () => {
      const definition = { steps: [{ key: 'only', agent_id: app.tenant.agents['test-echo'] }] }
      return { path: '/pipelines', body: { name: 'One', definition }, other: { name: 'Two', definition } }
    },
  ],
  [
    'pipelineRuns.create',
    async () => ({ path: `/pipelines/${await newPipeline()}/runs`, body: {}, other: { input: { query: 'other' } } }),
  ],
  [
    'schedules.create',
    () => {
      const body = { name: 'One', interval_seconds: 86_400, agent_id: app.tenant.agents['test-echo'] }
      return { path: '/schedules', body, other: { ...body, name: 'Two' } }
    },
  ],
  [
    'schedules.run',
    async () => ({
      path: `/schedules/${await newSchedule()}/run`,
      body: {},
      other: {},
      otherPath: `/schedules/${await newSchedule()}/run`,
    }),
  ],
  [
    'batches.create',
    () => {
      const body = { agent_id: app.tenant.agents['test-echo'], items: [{ input: { query: 'one' } }] }
      return { path: '/batches', body, other: { ...body, items: [{ input: { query: 'two' } }] } }
    },
  ],
]

const send = ({ path }: Pick<Request, 'path'>, body: object, key: string): Promise<Reply> =>
  app.call('POST', `/v2${path}`, { body, headers: { 'idempotency-key': key } })

test.each(creating)('%s with one key takes effect once, also under concurrency', async (name, make) => {
  const request = await make()
  const key = `once ${name}`
  const replies = await Promise.all(Array.from({ length: 4 }, () => send(request, request.body, key)))
  const statuses = new Set(replies.map(({ status }) => status))
  expect([...statuses], replies[0]?.text).toEqual([name === 'webhooks.rotateSecret' ? 200 : 201])
  expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1)
  expect(replies.filter(({ headers }) => headers['idempotency-replayed'] === 'true')).toHaveLength(3)
  expect(new Set(replies.map(({ headers }) => headers.location)).size).toBe(1)
  const reused = await send({ path: request.otherPath ?? request.path }, request.other, key)
  expect([reused.status, reused.body.error?.code]).toEqual([422, 'idempotency_key_reused'])
})

test('one redelivery is created per key, and a key of a test is not accepted for it', async () => {
  const redeliver = (key: string) =>
    app.call('POST', `/v2/webhooks/${webhook}/deliveries/${delivery}/redeliver`, {
      body: {},
      headers: { 'idempotency-key': key },
    })
  const [first, second] = await Promise.all([redeliver('again'), redeliver('again')])
  expect([first?.status, second?.status, second?.body.id]).toEqual([201, 201, first?.body.id])
  expect(first?.headers.location).toBe(`/v2/webhooks/${webhook}/deliveries/${first?.body.id}`)
  await app.call('POST', `/v2/webhooks/${webhook}/test`, { body: {}, headers: { 'idempotency-key': 'a test' } })
  const reused = await redeliver('a test')
  expect([reused.status, reused.body.error?.code]).toEqual([422, 'idempotency_key_reused'])
})

test('a replayed rotation does not repeat the secret', async () => {
  const path = `/v2/webhooks/${await newWebhook()}/rotate-secret`
  const rotate = () => app.call('POST', path, { body: {}, headers: { 'idempotency-key': 'rotate once' } })
  const [first, second] = [await rotate(), await rotate()]
  expect(first.body.secret).toMatch(/^whsec_/)
  expect(second.body).toEqual({ ...first.body, secret: null })
})

const refusing = Object.entries(contract).flatMap(([resource, group]) =>
  Object.entries<Operation>(group).flatMap(([name, operation]) =>
    operation.method === 'POST' && !operation.idempotent ? [{ name: `${resource}.${name}`, operation }] : [],
  ),
)

test.each(refusing)('$name refuses a key that would have no effect', async ({ operation }) => {
  const isOpen = operation.scope === 'anyone'
  const path = apiBasePath + operation.path.replaceAll(/\{\w+\}/g, 'x')
  const headers = { 'idempotency-key': 'no effect', 'sec-fetch-site': 'same-origin', ...(isOpen ? {} : { cookie }) }
  const { status, body } = await app.call('POST', path, { key: null, body: {}, headers })
  expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', 'Idempotency-Key'])
})
