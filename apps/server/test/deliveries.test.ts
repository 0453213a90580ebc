import { contract, eventTypes } from '@ars/contract'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, sharedApp, until } from './app.ts'
import { createEndpoints, eventIn, isSigned } from './deliveries/endpoints.ts'
import { type Receiver, startReceiver } from './webhook-receiver.ts'

let receiver: Receiver
let app: App
let endpoints: ReturnType<typeof createEndpoints>
beforeAll(async () => {
  receiver = await startReceiver()
  app = await sharedApp()
  endpoints = createEndpoints(app, receiver)
})
afterAll(async () => {
  await app.stop()
  await receiver.close()
})

test('[S15] [S55] [S62] [S63] an endpoint receives a completed run, with the whole run', async () => {
  await endpoints.register('/completed', ['run.completed'])
  const run = await endpoints.make('test-echo', { input: { query: 'Hello' } })
  const event = await endpoints.toldOf('/completed', 'run.completed')
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

test('[S60] every change of an agent’s configuration is delivered, with the values before and after', async () => {
  await endpoints.register('/changes', ['agent.updated'])
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
  await endpoints.register('/releases', ['agent.updated', 'deployment.created', 'deployment.rollback'])
  const config = { model: 'simulated/echo', instructions: 'Be brief.' }
  const { body: agent } = await app.call('POST', '/v2/agents/custom', { body: { name: 'Told', config } })
  const { body: changed } = await app.call('PATCH', `/v2/agents/${agent.id}`, {
    body: { config: { instructions: 'Be long.' } },
  })
  const updated = await endpoints.toldOf('/releases', 'agent.updated')
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
  const back = await endpoints.toldOf('/releases', 'deployment.rollback')
  expect(back.data).toMatchObject({ id: changed.deployment.id, agent_id: agent.id, reason: 'It answers nonsense' })
  for (const event of [updated, created, back]) {
    expect(eventTypes[event.type].data.safeParse(event.data).error).toBeUndefined()
  }
})

test('[S61] an endpoint receives the end of a pipeline run, with the whole pipeline run and its status', async () => {
  await endpoints.register('/pipelines', ['pipeline.completed'])
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
    const event = await endpoints.toldOfRun('/pipelines', id)
    expect(Object.keys(event)).toEqual(['id', 'type', 'created_at', 'data'])
    expect(event.type).toBe('pipeline.completed')
    expect(event.data).toEqual((await app.call('GET', `/v2/pipeline-runs/${id}`)).body)
    expect(eventTypes['pipeline.completed'].data.safeParse(event.data).error).toBeUndefined()
  }
  expect((await endpoints.toldOfRun('/pipelines', completed)).data).toMatchObject({
    object: 'pipeline_run',
    status: 'completed',
    steps: [{ key: 'only', status: 'completed', run_id: expect.stringMatching(/^run_/) }],
    output: { only: { result: 'Hello Ada' } },
  })
  expect((await endpoints.toldOfRun('/pipelines', failed)).data).toMatchObject({
    status: 'failed',
    error: { code: 'agent_error', message: 'It is broken', step: 'only' },
  })
}, 120_000)

test('[S64] [S65] every delivery is signed over its raw bytes; a changed byte or a re-serialised body does not verify', async () => {
  const { secret } = await endpoints.register('/signed', ['run.completed'])
  await endpoints.make('test-echo', { input: { query: 'emoji 🙂, a line\u2028separator and a "quote"' } })
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

test('a delivery shows the request and the response, and no cookie', async () => {
  receiver.on('/shown', (_, response) => {
    response.writeHead(201, { 'content-type': 'text/plain', 'set-cookie': 'session=secret' })
    response.end('Thank you')
  })
  const { id } = await endpoints.register('/shown', ['run.completed'])
  await endpoints.make('test-echo', { input: { query: 'look' } })
  const { id: delivery } = await until('the delivery', async () => {
    const found = await endpoints.deliveryOf(id)
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

test('the metrics show the outcomes of attempts, the delay of first attempts and the waiting deliveries', async () => {
  await endpoints.register('/counted', ['run.completed'])
  await endpoints.make('test-echo', { input: { query: 'count me' } })
  await until('the delivery', async () => receiver.calls('/counted').length > 0)
  const metrics = await until('the figures', async () => {
    const text = await (await fetch(`${app.metricsUrl}/metrics`)).text()
    return text.includes('ars_delivery_lag_seconds_count') && text
  })
  expect(metrics).toMatch(/^ars_delivery_attempts_total\{outcome="acknowledged"\} [1-9]/m)
  expect(metrics).toMatch(/^ars_deliveries_waiting\{state="under_way"\} \d/m)
  expect(metrics).toMatch(/^ars_events_untold \d/m)
})
