import { createHmac, timingSafeEqual } from 'node:crypto'
import { contract, type Event, eventTypes } from '@ars/contract'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp, until } from './app.ts'
import { type Call, type Receiver, respond, startReceiver } from './webhook-receiver.ts'

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

const register = async (path: string, events: string[] = ['*']) => {
  const { status, text, body } = await app.call('POST', '/v2/webhooks', { body: { url: receiver.url(path), events } })
  expect(status, text).toBe(201)
  return body as { id: string; secret: string }
}
const make = async (agent: string, body: Record<string, unknown>, headers: Record<string, string> = {}) =>
  (await app.call('POST', '/v2/runs', { body: { agent_id: app.tenant.agents[agent], input: {}, ...body }, headers }))
    .body
const eventIn = (call: Call | undefined): Event => JSON.parse(String(call?.body))
const toldOf = (path: string, type: string): Promise<Event> =>
  until(`${type} at ${path}`, async () =>
    receiver
      .calls(path)
      .map(eventIn)
      .find((event) => event.type === type),
  )
const toldOfRun = (path: string, id: string): Promise<Event> =>
  until(`the event of ${id} at ${path}`, async () =>
    receiver
      .calls(path)
      .map(eventIn)
      .find(({ data }) => data.id === id),
  )
/** The verification recipe of the contract, as a receiver would write it. */
const isSigned = (body: Buffer, signature: unknown, secret: string): boolean =>
  timingSafeEqual(Buffer.from(String(signature)), Buffer.from(createHmac('sha256', secret).update(body).digest('hex')))

test('[S15] [S55] [S62] [S63] an endpoint receives a completed run, with the whole run', async () => {
  await register('/completed', ['run.completed'])
  const run = await make('test-echo', { input: { query: 'Hello' } })
  const event = await toldOf('/completed', 'run.completed')
  expect(Object.keys(event)).toEqual(['id', 'type', 'created_at', 'data'])
  expect(event).toMatchObject({ id: expect.stringMatching(/^evt_[0-9a-z]{26}$/), type: 'run.completed' })
  expect(new Date(event.created_at).toISOString()).toBe(event.created_at)
  expect(event.data).toEqual((await app.call('GET', `/v2/runs/${run.id}`)).body)
  expect(event.data).toMatchObject({
    id: run.id,
    agent_id: expect.stringMatching(/^ag_[0-9a-z]{26}$/),
    status: 'completed',
    output: { result: 'Hello' },
    latency_ms: expect.any(Number),
    tokens_used: expect.any(Number),
  })
  expect(eventTypes['run.completed'].data.safeParse(event.data).error).toBeUndefined()
})

test('[S16] [S56] an endpoint receives a failed run with its error, and a timed-out run', async () => {
  await register('/failed', ['run.failed'])
  const failed = await make('test-fail', { input: { code: 'agent_error', message: 'It is broken' } })
  const event = await toldOf('/failed', 'run.failed')
  expect(event.data).toMatchObject({
    id: failed.id,
    status: 'failed',
    error: { code: 'agent_error', message: 'It is broken' },
  })
  const late = await make('test-slow', { input: { seconds: 3600 }, timeout_seconds: 60 }, { prefer: 'respond-async' })
  await until('the run to start', async () => {
    const { body } = await app.call('GET', `/v2/runs/${late.id}`)
    return body.status === 'running'
  })
  await moveDatabaseClock(app.database.ownerUrl, 61_000)
  const told = await toldOfRun('/failed', late.id)
  expect(told).toMatchObject({ type: 'run.failed', data: { status: 'failed', error: { code: 'run_timeout' } } })
  expect(told.data).toEqual((await app.call('GET', `/v2/runs/${late.id}`)).body)
})

test('[S56] an endpoint receives a run that timed out before it started, and one whose action expired', async () => {
  await register('/too-late', ['run.failed'])
  await app.query('update organisations set concurrent_runs = 1 where id = $1', [app.tenant.org])
  const isAsync = { prefer: 'respond-async' }
  const asking = await make('test-approval', { input: { expires_in_seconds: 60 } })
  const running = await make('test-slow', { input: { seconds: 3600 }, timeout_seconds: 3600 }, isAsync)
  const waiting = await make('test-echo', { timeout_seconds: 60 }, isAsync)
  await moveDatabaseClock(app.database.ownerUrl, 61_000)
  for (const [{ id }, code] of [
    [asking, 'action_timeout'],
    [waiting, 'queue_timeout'],
  ] as const) {
    expect(await toldOfRun('/too-late', id)).toMatchObject({
      type: 'run.failed',
      data: { status: 'failed', error: { code } },
    })
  }
  await app.call('DELETE', `/v2/runs/${running.id}`)
  await app.query('update organisations set concurrent_runs = 5 where id = $1', [app.tenant.org])
})

test('[S60] every change of an agent’s configuration is delivered, with the values before and after', async () => {
  await register('/changes', ['agent.updated'])
  const schema = { type: 'object', required: ['query'] }
  const { body: agent } = await app.call('POST', '/v2/agents/custom', {
    body: { name: 'Before', config: { model: 'simulated/echo' }, metadata: { team: 'blue' } },
  })
  const rollout = { strategy: 'canary', traffic_percent: 10 }
  const changes: [body: object, old: object, next: object][] = [
    [{ name: 'After' }, { name: 'Before' }, { name: 'After' }],
    [{ description: 'Sorts.' }, { description: null }, { description: 'Sorts.' }],
    [
      { config: { model: 'simulated/steps', temperature: 0.5, max_output_tokens: 100 } },
      { 'config.model': 'simulated/echo', 'config.temperature': null, 'config.max_output_tokens': null },
      { 'config.model': 'simulated/steps', 'config.temperature': 0.5, 'config.max_output_tokens': 100 },
    ],
    [{ config: { temperature: null } }, { 'config.temperature': 0.5 }, { 'config.temperature': null }],
    [{ input_schema: schema }, { input_schema: null }, { input_schema: schema }],
    [{ output_schema: schema }, { output_schema: null }, { output_schema: schema }],
    [{ limits: { max_steps: 5 } }, { 'limits.max_steps': null }, { 'limits.max_steps': 5 }],
    [
      { metadata: { team: 'red', 'cost centre': '7' } },
      { 'metadata.team': 'blue', 'metadata.cost centre': null },
      { 'metadata.team': 'red', 'metadata.cost centre': '7' },
    ],
    [{ name: 'Canary', rollout }, { name: 'After' }, { name: 'Canary' }],
  ]
  for (const [body] of changes) {
    expect((await app.call('PATCH', `/v2/agents/${agent.id}`, { body })).body.deployment).not.toBeNull()
  }
  // A change without effect emits no event.
  const { body: same } = await app.call('PATCH', `/v2/agents/${agent.id}`, { body: { name: 'Canary' } })
  expect(same.deployment).toBeNull()
  const remote = { name: 'Remote', kind: 'remote', config: { url: receiver.url('/first') } }
  const { body: elsewhere } = await app.call('POST', '/v2/agents/custom', { body: remote })
  const moved = { config: { url: receiver.url('/second') } }
  await app.call('PATCH', `/v2/agents/${elsewhere.id}`, { body: moved })

  const events = await until('all changes', async () => {
    const told = receiver.calls('/changes').map(eventIn)
    return told.some(({ data }) => data.agent_id === elsewhere.id) && told.length > changes.length && told
  })
  const toldOfAgent = events.filter(({ data }) => data.agent_id === agent.id)
  const byVersion = toldOfAgent.map(({ data }) => data as Changed).toSorted((a, b) => a.version.new - b.version.new)
  expect(byVersion).toEqual(
    changes.map(([, old, next], at) => ({
      agent_id: agent.id,
      version: { old: at + 1, new: at + 2 },
      changed: expect.toSatisfy((paths: string[]) => String(paths.toSorted()) === String(Object.keys(old).toSorted())),
      old,
      new: next,
      actor: { type: 'key', id: expect.stringMatching(/^key_/) },
    })),
  )
  expect(events.find(({ data }) => data.agent_id === elsewhere.id)?.data).toMatchObject({
    changed: ['config.url'],
    old: { 'config.url': receiver.url('/first') },
    new: { 'config.url': receiver.url('/second') },
  })
})

type Changed = { version: { old: number; new: number } }

test('[S57] [S58] [S60] an endpoint receives changes of an agent, its deployments, and a rollback with its reason', async () => {
  await register('/releases', ['agent.updated', 'deployment.created', 'deployment.rollback'])
  const config = { model: 'simulated/echo', instructions: 'Be brief.' }
  const { body: agent } = await app.call('POST', '/v2/agents/custom', { body: { name: 'Told', config } })
  const { body: changed } = await app.call('PATCH', `/v2/agents/${agent.id}`, {
    body: { config: { instructions: 'Be long.' } },
  })
  const updated = await toldOf('/releases', 'agent.updated')
  expect(updated.data).toMatchObject({
    agent_id: agent.id,
    version: { old: 1, new: 2 },
    changed: ['config.instructions'],
    old: { 'config.instructions': 'Be brief.' },
    new: { 'config.instructions': 'Be long.' },
  })
  const created = await until('the second deployment', async () =>
    receiver
      .calls('/releases')
      .map(eventIn)
      .find(({ type, data }) => type === 'deployment.created' && data.id === changed.deployment.id),
  )
  expect(eventTypes['deployment.created'].data.safeParse(created.data).error).toBeUndefined()
  const { status } = await app.call('POST', `/v2/deployments/${changed.deployment.id}/rollback`, {
    body: { reason: 'It answers nonsense' },
  })
  expect(status).toBe(200)
  const back = await toldOf('/releases', 'deployment.rollback')
  expect(back.data).toMatchObject({ id: changed.deployment.id, agent_id: agent.id, reason: 'It answers nonsense' })
  for (const event of [updated, created, back]) {
    expect(eventTypes[event.type].data.safeParse(event.data).error).toBeUndefined()
  }
})

test('[S61] an endpoint receives the end of a pipeline run, with the whole pipeline run and its status', async () => {
  await register('/pipelines', ['pipeline.completed'])
  const start = async (name: string, agent: string, input: Record<string, unknown>): Promise<string> => {
    const steps = [{ key: 'only', agent_id: app.tenant.agents[agent], input }]
    const pipeline = await app.call('POST', '/v2/pipelines', { body: { name, definition: { steps } } })
    expect(pipeline.status, pipeline.text).toBe(201)
    const path = `/v2/pipelines/${pipeline.body.id}/runs`
    const { status, text, body } = await app.call('POST', path, { body: { input: { name: 'Ada' } } })
    expect(status, text).toBe(201)
    return body.id
  }
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a placeholder of a pipeline
  const completed = await start('Greet', 'test-echo', { query: 'Hello ${{ input.name }}' })
  const failed = await start('Fail', 'test-fail', { code: 'agent_error', message: 'It is broken' })
  for (const id of [completed, failed]) {
    const event = await toldOfRun('/pipelines', id)
    expect(Object.keys(event)).toEqual(['id', 'type', 'created_at', 'data'])
    expect(event.type).toBe('pipeline.completed')
    expect(event.data).toEqual((await app.call('GET', `/v2/pipeline-runs/${id}`)).body)
    expect(eventTypes['pipeline.completed'].data.safeParse(event.data).error).toBeUndefined()
  }
  expect((await toldOfRun('/pipelines', completed)).data).toMatchObject({
    object: 'pipeline_run',
    status: 'completed',
    steps: [{ key: 'only', status: 'completed', run_id: expect.stringMatching(/^run_/) }],
    output: { only: { result: 'Hello Ada' } },
  })
  expect((await toldOfRun('/pipelines', failed)).data).toMatchObject({
    status: 'failed',
    error: { code: 'agent_error', message: 'It is broken', step: 'only' },
  })
}, 120_000)

test('[S64] [S65] every delivery is signed over its raw bytes; a changed byte or a re-serialised body does not verify', async () => {
  const { secret } = await register('/signed', ['run.completed'])
  await make('test-echo', { input: { query: 'emoji 🙂, a line\u2028separator and a "quote"' } })
  const [call] = await until(
    'the delivery',
    async () => receiver.calls('/signed').length > 0 && receiver.calls('/signed'),
  )
  if (!call) throw new Error('nothing came')
  const { headers, body } = call
  expect(headers['x-service-signature']).toMatch(/^[0-9a-f]{64}$/)
  expect(isSigned(body, headers['x-service-signature'], secret)).toBe(true)
  for (let at = 0; at < body.length; at += 37) {
    const altered = Buffer.from(body)
    altered[at] = (altered[at] ?? 0) ^ 1
    expect(isSigned(altered, headers['x-service-signature'], secret)).toBe(false)
  }
  const respelt = Buffer.from(JSON.stringify(JSON.parse(String(body)), null, 1))
  expect(isSigned(respelt, headers['x-service-signature'], secret)).toBe(false)
  const id = eventIn(call).id
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': id })
  expect(new Webhook(secret).verify(String(body), headers as Record<string, string>)).toMatchObject({ id })
})

test('[S66] three attempts carry the same event id and identical bytes, each with a new timestamp and signature', async () => {
  receiver.on('/thrice', respond(500, 503, 204))
  const { id, secret } = await register('/thrice', ['run.completed'])
  await make('test-echo', { input: { query: 'again' } })
  for (const count of [1, 2]) {
    await until(`attempt ${count} to be recorded`, async () => (await attemptsOf(id)).length === count)
    await moveDatabaseClock(app.database.ownerUrl, 5000)
  }
  await until('the end of the delivery', async () => (await deliveryOf(id)).status === 'succeeded')
  const calls = receiver.calls('/thrice')
  expect(calls.map(({ body }) => body.equals(calls[0]?.body ?? Buffer.alloc(0)))).toEqual([true, true, true])
  expect(new Set(calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  for (const { headers, body } of calls) new Webhook(secret).verify(String(body), headers as Record<string, string>)
})

test('a delivery shows the request and the response, and no cookie', async () => {
  receiver.on('/shown', (_, response) => {
    response.writeHead(201, { 'content-type': 'text/plain', 'set-cookie': 'session=secret' })
    response.end('Thank you')
  })
  const { id } = await register('/shown', ['run.completed'])
  await make('test-echo', { input: { query: 'look' } })
  const { id: delivery } = await until('the delivery', async () => {
    const found = await deliveryOf(id)
    return found?.status === 'succeeded' && found
  })
  const { body: webhook } = await app.call('GET', `/v2/webhooks/${id}`)
  expect(webhook.last_day).toEqual({ deliveries: 1, succeeded: 1, failed: 0, success_rate: 1 })
  const listed = (await app.call('GET', '/v2/webhooks?limit=100')).body.data
  expect(listed.find((each: { id: string }) => each.id === id)).toEqual(webhook)
  const { body: shown } = await app.call('GET', `/v2/webhooks/${id}/deliveries/${delivery}`)
  expect(contract.webhooks.delivery.output.strict().safeParse(shown).error).toBeUndefined()
  const [call] = receiver.calls('/shown')
  expect(shown.attempts).toMatchObject([
    {
      number: 1,
      http_status: 201,
      error: null,
      request: {
        headers: { 'webhook-id': shown.event_id, 'x-service-signature': call?.headers['x-service-signature'] },
        body: String(call?.body),
      },
      response: { headers: { 'content-type': 'text/plain', 'set-cookie': '[redacted]' }, body: 'Thank you' },
    },
  ])
})

test('an output of 10 MiB is delivered completely', async () => {
  const result = 'é'.repeat((10_485_760 - '{"result":""}'.length) / 2)
  receiver.on('/agent', (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ output: { result } }))
  })
  const { secret } = await register('/large', ['run.completed'])
  const config = { url: receiver.url('/agent') }
  const { body: agent } = await app.call('POST', '/v2/agents/custom', { body: { name: 'Big', kind: 'remote', config } })
  const { body: run } = await app.call('POST', '/v2/runs', { body: { agent_id: agent.id, input: {} } })
  expect(run.status).toBe('completed')
  const event = await toldOf('/large', 'run.completed')
  expect(event.data.output).toEqual({ result })
  const [call] = receiver.calls('/large')
  expect(isSigned(call?.body ?? Buffer.alloc(0), call?.headers['x-service-signature'], secret)).toBe(true)
})

test('the metrics show the outcomes of attempts, the delay of first attempts and the waiting deliveries', async () => {
  await register('/counted', ['run.completed'])
  await make('test-echo', { input: { query: 'count me' } })
  await until('the delivery', async () => receiver.calls('/counted').length > 0)
  const metrics = await until('the figures', async () => {
    const text = await (await fetch(`${app.metricsUrl}/metrics`)).text()
    return text.includes('ars_delivery_lag_seconds_count') && text
  })
  expect(metrics).toMatch(/^ars_delivery_attempts_total\{outcome="acknowledged"\} [1-9]/m)
  expect(metrics).toMatch(/^ars_deliveries_waiting\{state="under_way"\} \d/m)
  expect(metrics).toMatch(/^ars_events_untold \d/m)
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

const deliveryOf = async (webhook: string) => (await app.call('GET', `/v2/webhooks/${webhook}/deliveries`)).body.data[0]
const attemptsOf = async (webhook: string): Promise<unknown[]> => (await deliveryOf(webhook))?.attempts ?? []
