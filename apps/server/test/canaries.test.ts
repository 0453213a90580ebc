import { randomBytes, randomInt } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type OtlpReceiver, startOtlpReceiver } from '@ars/testkit/otlp-receiver'
import { request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type CallOptions, type Reply, startApp } from './app.ts'

// Secrets of customers that only they may read. Each value is used once, so that a leak shows its source.
const canaries: { value: string; place: string }[] = []
const refusals: { place: string; text: string }[] = []
let collector: OtlpReceiver
let app: App
let hostile: Server

beforeAll(async () => {
  collector = await startOtlpReceiver()
  app = await startApp({
    env: {
      ARS_EGRESS_ALLOW_RANGES: '127.0.0.0/8',
      ARS_EGRESS_ALLOW_PORTS: 'any',
      ARS_EGRESS_ALLOW_PLAIN_HTTP: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      ARS_KEKS: `test:${randomBytes(32).toString('base64')}`,
    },
  })
  // It echoes everything that it was sent.
  hostile = createServer((asked, answer) => {
    answer.writeHead(401, { 'content-type': 'text/plain', 'x-echo': String(asked.headers.authorization) })
    answer.end(JSON.stringify(asked.headers))
  })
  await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  hostile.closeAllConnections()
  hostile.close()
  await app.stop()
  await collector.close()
})

const digits = (count: number) => Array.from({ length: count }, () => randomInt(10)).join('')
const word = () => randomBytes(9).toString('hex')

/** A card number with a valid check digit. */
const card = (): string => {
  const body = `4${digits(14)}`
  const sum = [...body].reduce((total, digit, at) => {
    const doubled = Number(digit) * (at % 2 === 0 ? 2 : 1)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return `${body}${(10 - (sum % 10)) % 10}`
}

const kinds: Readonly<Record<string, () => string>> = {
  key: () => `sk_live_${word()}`,
  card,
  'e-mail': () => `ada.${word()}@example.org`,
  iban: () => `DE${digits(20)}`,
  password: () => `Tr0ub4dor-${word()}!`,
}

type Plant = (place: string) => string

const call = async (place: string, method: string, path: string, options: CallOptions = {}): Promise<Reply> => {
  const reply = await app.call(method, path, options)
  if (reply.status >= 300) refusals.push({ place, text: `${reply.text}\n${JSON.stringify(reply.headers)}` })
  return reply
}

const statusOf = async (...of: Parameters<typeof call>): Promise<number> => (await call(...of)).status

const runs = async (plant: Plant) => {
  const agents = app.tenant.agents
  const run = (
    place: string,
    agent: string | undefined,
    input: unknown,
    more: CallOptions & { metadata?: unknown } = {},
  ) => call(place, 'POST', '/v2/runs', { body: { agent_id: agent, input, metadata: more.metadata }, ...more })
  const headers = {
    'idempotency-key': plant('idempotency key'),
    'x-note': plant('header'),
    cookie: `theme=${plant('cookie')}`,
    referer: `https://example.com/?q=${plant('referer')}`,
    'user-agent': plant('user agent'),
  }
  const done = await run(
    'run',
    agents['test-echo'],
    { query: plant('input'), deep: [{ list: [plant('deep input')] }] },
    {
      metadata: { note: plant('metadata') },
      headers,
    },
  )
  expect(done).toMatchObject({ status: 200, body: { status: 'completed' } })
  const failed = await run('failed run', agents['test-fail'], { code: 'agent_error', message: plant('failing input') })
  expect(failed).toMatchObject({ status: 200, body: { status: 'failed' } })
  const stream = { body: { agent_id: agents['test-stream'], input: { text: plant('streamed input'), chunks: 2 } } }
  expect(await statusOf('stream', 'POST', '/v2/runs/stream', stream)).toBe(200)
  const strict = await app.addAgent({
    config: { model: 'simulated/echo' },
    inputSchema: { type: 'object', properties: { age: { type: 'integer' }, sex: { enum: ['a', 'b'] } } },
  })
  const misfit = { age: plant('input of another type'), sex: plant('input out of its list') }
  expect((await run('misfit', strict, misfit)).status).toBe(422)
}

const asking = async (plant: Plant) => {
  const body = { agent_id: app.tenant.agents['test-approval'], input: { question: plant('question') } }
  const { body: run } = await call('approval', 'POST', '/v2/runs', { body })
  const act = (place: string, action: unknown) => statusOf(place, 'POST', `/v2/runs/${run.id}/action`, { body: action })
  expect(await act('misfit answer', { type: 'respond', payload: { answer: plant('misfit answer') } })).toBe(422)
  expect(await act('reject', { type: 'reject', comment: plant('comment') })).toBe(200)
  expect(await act('late', { type: 'message', payload: { message: plant('late message') } })).toBeGreaterThanOrEqual(
    200,
  )
}

const malformed = async (plant: Plant) => {
  const post = (place: string, raw: string) => statusOf(place, 'POST', '/v2/runs', { raw })
  expect(await post('cut body', `{"agent_id": "ag_1", "input": {"card": "${plant('cut body')}"`)).toBe(400)
  expect(await post('bare word', `{"agent_id": ${plant('bare word')}}`)).toBe(400)
  const twice = plant('value of a key that is there twice')
  expect(await post('twice', `{"agent_id": "ag_1", "input": {"a": "${twice}", "a": "${twice}"}}`)).toBe(400)
  const body = { agent_id: plant('id'), input: {}, metadata: { a: { b: plant('nested metadata') } } }
  expect(await statusOf('wrong types', 'POST', '/v2/runs', { body })).toBe(400)
  const unknown = { agent_id: app.tenant.agents['test-echo'], input: {}, extra: plant('unknown field') }
  expect(await statusOf('unknown field', 'POST', '/v2/runs', { body: unknown })).toBe(400)
}

const addresses = async (plant: Plant) => {
  const get = (place: string, path: string) => statusOf(place, 'GET', path)
  expect(await get('path', `/v2/runs/${encodeURIComponent(plant('path'))}`)).toBeGreaterThanOrEqual(400)
  expect(await get('filter', `/v2/runs?agent_id=${encodeURIComponent(plant('filter'))}`)).toBe(400)
  expect(await get('unknown filter', `/v2/audit-log?who=${encodeURIComponent(plant('unknown filter'))}`)).toBe(400)
  expect(await get('unknown route', `/v2/nowhere/${encodeURIComponent(plant('unknown route'))}`)).toBe(404)
}

const strangers = async (plant: Plant) => {
  const get = (place: string, headers: Record<string, string>) =>
    statusOf(place, 'GET', '/v2/runs', { key: null, headers })
  expect(await get('bearer', { authorization: `Bearer ${plant('bearer')}` })).toBe(401)
  const basic = Buffer.from(`ada:${plant('basic')}`).toString('base64')
  expect(await get('basic', { authorization: `Basic ${basic}` })).toBe(401)
  expect(await get('session', { cookie: `__Host-ars_session=${encodeURIComponent(plant('session'))}` })).toBe(401)
}

const people = async (plant: Plant) => {
  const post = (place: string, path: string, body: unknown) =>
    statusOf(place, 'POST', `/v2/api/auth/${path}`, { key: null, body })
  const nobody = { email: `${word()}@example.org`, password: plant('wrong password') }
  expect(await post('login', 'login', nobody)).toBe(401)
  expect(await post('malformed login', 'login', { email: 'nobody', password: plant('password of a bad login') })).toBe(
    400,
  )
  expect(await post('reset', 'password-reset', { token: plant('link'), password: plant('new password') })).toBe(422)
  expect(
    await post('invitation', 'invitation', { token: plant('invitation'), password: plant('first password') }),
  ).toBe(422)

  const email = `grace.${word()}@example.org`
  canaries.push({ value: email, place: 'e-mail of a member' })
  const invited = await call('invite', 'POST', '/v2/members/invitations', { body: { email, role: 'viewer' } })
  expect(invited.status).toBe(201)
  const token = String(invited.body.link).split('#token=')[1] ?? ''
  canaries.push({ value: token, place: 'link of an invitation' })
  const password = plant('password of a member')
  const body = { token, name: plant('name of a member'), password }
  const joined = await call('join', 'POST', '/v2/api/auth/invitation', { key: null, body })
  expect(joined.status).toBe(200)
  const session = /__Host-ars_session=([^;]+)/.exec(String(joined.headers['set-cookie']))?.[1] ?? ''
  canaries.push({ value: session, place: 'session' })
  const login = await call('login of a member', 'POST', '/v2/api/auth/login', { key: null, body: { email, password } })
  expect(login.status).toBe(200)
  expect(await post('wrong login', 'login', { email, password: plant('nearly the password') })).toBe(401)
}

const connectors = async (plant: Plant) => {
  const { port } = hostile.address() as AddressInfo
  const add = (place: string, url: string, auth: unknown) =>
    call(place, 'POST', '/v2/connectors', { body: { name: 'Mail', url, auth } })
  const token = plant('credential')
  const { status, body } = await add('connector', `http://127.0.0.1:${port}/mcp`, { type: 'bearer', token })
  expect(status).toBe(201)
  const value = plant('credential in a header')
  expect((await add('header', 'https://example.com/', { type: 'header', header: 'x-key', value })).status).toBe(201)
  const refused = { type: 'bearer', token: plant('credential of a refused connector') }
  expect((await add('refused', 'https://10.0.0.1/', refused)).status).toBe(422)
  const query = encodeURIComponent(plant('query of a refused connector'))
  expect((await add('refused address', `ftp://example.com/?token=${query}`, refused)).status).toBe(422)
  expect((await add('malformed', 'https://example.com/', { type: 'bearer', token: [plant('list')] })).status).toBe(400)
  const agent = await app.addAgent({ config: { model: 'simulated/echo', tools: [{ connector_id: body.id }] } })
  const run = await call('tools', 'POST', '/v2/runs', {
    body: { agent_id: agent, input: { query: plant('with tools') } },
  })
  expect(run).toMatchObject({ status: 200, body: { status: 'failed', error: { code: 'tool_error' } } })
  refusals.push({ place: 'error of a run', text: JSON.stringify(run.body.error) })
}

const keys = async (plant: Plant) => {
  const body = { name: plant('name of a key'), scopes: ['runs:read'] }
  const made = await call('api key', 'POST', '/v2/api-keys', { body })
  expect(made.status).toBe(201)
  canaries.push({ value: made.body.key, place: 'api key' })
  await call('revoke', 'DELETE', `/v2/api-keys/${made.body.id}`)
  expect(await statusOf('wrong scope', 'POST', '/v2/runs', { key: made.body.key, body: {} })).toBeGreaterThanOrEqual(
    401,
  )
  const unknown = { name: 'k', scopes: [plant('unknown scope')] }
  expect(await statusOf('unknown scope', 'POST', '/v2/api-keys', { body: unknown })).toBe(422)
}

/** The database refuses every row, which the service does not expect. */
const failures = async (plant: Plant) => {
  const agent = app.tenant.agents['test-echo']
  await app.query('alter table runs add constraint none check (false) not valid')
  await app.query('alter table connectors add constraint none check (false) not valid')
  const metadata = { note: plant('metadata of a failure') }
  const run = { agent_id: agent, input: { query: plant('input of a failure') }, metadata }
  expect(await statusOf('failure', 'POST', '/v2/runs', { body: run })).toBe(500)
  const auth = { type: 'bearer', token: plant('credential of a failure') }
  const connector = { name: plant('name of a failure'), url: 'https://example.com/', auth }
  expect(await statusOf('failure', 'POST', '/v2/connectors', { body: connector })).toBe(500)
  await app.query('alter table runs drop constraint none')
  await app.query('alter table connectors drop constraint none')
}

const parts = { runs, asking, malformed, addresses, strangers, people, connectors, keys, failures }

test.for(Object.keys(kinds).flatMap((kind) => Object.keys(parts).map((part) => [kind, part] as const)))(
  'a customer’s %s passes through %s',
  async ([kind, part]) => {
    const plant: Plant = (place) => {
      const value = kinds[kind]?.() ?? ''
      canaries.push({ value, place: `${kind}: ${place}` })
      return value
    }
    const before = canaries.length
    await parts[part as keyof typeof parts](plant)
    expect(canaries.length).toBeGreaterThan(before)
  },
)

// A refusal names the unknown address or scope. Those are names, and only their sender reads them.
const repeatedToTheirSender = /: (path|unknown route|unknown scope) → errors$/

test('none of more than two hundred secrets appears in a log line, a metric, a trace or an error', async () => {
  expect(canaries.length).toBeGreaterThanOrEqual(200)
  expect(app.logLines.length).toBeGreaterThan(100)
  expect(refusals.length).toBeGreaterThan(60)
  const metrics = await (await request(`${app.metricsUrl}/metrics`)).body.text()
  await expect.poll(() => collector.spans().length).toBeGreaterThan(100)
  const told: Record<string, string> = {
    log: app.logLines.join('\n'),
    metrics,
    traces: collector.bodies().join('\n'),
    errors: refusals.map(({ text }) => text).join('\n'),
  }
  const leaks = canaries.flatMap(({ value, place }) => {
    const forms = [value, encodeURIComponent(value), Buffer.from(value).toString('base64').replace(/=+$/, '')]
    return Object.keys(told)
      .filter((where) => forms.some((form) => told[where]?.includes(form)))
      .map((where) => `${place} → ${where}`)
  })
  expect(leaks.filter((leak) => !repeatedToTheirSender.test(leak))).toEqual([])
})
