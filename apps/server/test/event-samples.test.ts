import { type Event, type EventType, eventSample, eventTypes, isPlannedEvent } from '@ars/contract'
import { toUuid } from '@ars/platform/id'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { type LoopbackMcpServer, startMcpServer, type TestTool } from '@ars/testkit/mcp-server'
import { shapeOf } from '@ars/testkit/shape'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, freePort, startApp, until } from './app.ts'
import { sendRaw } from './raw-socket.ts'
import { type Receiver, respond, startReceiver } from './webhook-receiver.ts'

/*
 * The samples of events are what customers test their receivers with. Each event happens here, and its data is compared
 * with the sample: the same fields with the same kinds of values.
 */

// The contents of these belong to customers.
const open = [
  'input',
  'output',
  'metadata',
  'old',
  'new',
  'error.details',
  'required_actions[].tool_call.arguments',
  'required_actions[].response_schema',
]

let app: App
let receiver: Receiver
let server: LoopbackMcpServer
let plainPort: number
const tools: Record<string, TestTool> = {
  pay_invoice: { description: 'Pays an invoice.', properties: ['invoice'], annotations: { destructiveHint: true } },
}

beforeAll(async () => {
  receiver = await startReceiver()
  server = await startMcpServer({ tools: [], testTools: tools })
  plainPort = await freePort()
  const plainHttp = { ARS_PLAIN_HTTP_PORT: String(plainPort), ARS_EGRESS_ALLOW_PLAIN_HTTP: 'true' }
  app = await startApp({ env: { ...receiver.env, ...plainHttp } })
})
afterAll(async () => {
  await app.stop()
  await server.stop()
  await receiver.close()
})

const ok = async (method: string, path: string, body?: object, headers = {}) => {
  const answer = await app.call(method, `/v2${path}`, { ...(body ? { body } : {}), headers })
  expect([200, 201, 202], answer.text).toContain(answer.status)
  return answer.body
}
const run = (agent_id: string | undefined, more: object = {}) =>
  ok('POST', '/runs', { agent_id, input: {}, metadata: { ticket: '1' }, ...more }, { prefer: 'respond-async' })
const statusOf = async (id: string) => (await ok('GET', `/runs/${id}`)).status
const isRunning = (id: string) => until(`${id} to run`, async () => (await statusOf(id)) === 'running')

/** The data of the newest event of a type about this thing. */
const told = (type: EventType, id: string): Promise<Event['data']> =>
  until(`${type} of ${id}`, async () => {
    const { data } = await ok('GET', `/events?type=${type}`)
    return data.find((event: Event) => JSON.stringify(event.data).includes(id))?.data
  })

const connect = () => ok('POST', '/connectors', { name: 'Payments', url: server.url })
const newAgent = (config: object) =>
  ok('POST', '/agents/custom', { name: 'sample', config: { model: 'simulated/echo', ...config } })

/** Uses of a key are written down in groups, some seconds later. */
const use = (id: string, more = 'created_at = created_at') =>
  app.query(`update api_keys set last_used_at = app_now(), ${more} where id = $1`, [toUuid(id as `key_${string}`)])

/** A rule that fires at its first evaluation. */
const fire = async () => {
  const rule = { name: 'No traffic', metric: 'runs_per_minute', operator: 'below', threshold: 1_000 }
  const { id } = await ok('POST', '/alert-rules', rule)
  return { id, data: await told('alert.triggered', id) }
}

const happenings: { [Type in EventType]?: () => Promise<Event['data']> } = {
  'run.completed': async () => told('run.completed', (await run(app.tenant.agents['test-echo'])).id),
  'run.failed': async () => {
    const { id } = await run(app.tenant.agents['test-slow'], { input: { seconds: 3600 }, timeout_seconds: 60 })
    await isRunning(id)
    await moveDatabaseClock(app.database.ownerUrl, 61_000)
    return told('run.failed', id)
  },
  'run.cancelled': async () => {
    const { id } = await run(app.tenant.agents['test-slow'], { input: { seconds: 3600 } })
    await isRunning(id)
    await ok('DELETE', `/runs/${id}`)
    return told('run.cancelled', id)
  },
  'run.requires_action': async () => {
    const script = [{ tool_calls: [{ name: 'pay_invoice', arguments: { invoice: '2026-014' } }] }, { text: 'Done.' }]
    const { id: connector_id } = await connect()
    const agent = await newAgent({ model: 'simulated/script', script, tools: [{ connector_id }] })
    return told('run.requires_action', (await run(agent.id)).id)
  },
  'deployment.created': async () => {
    const agent = await newAgent({})
    await ok('PATCH', `/agents/${agent.id}`, { config: { instructions: 'Answer.' } })
    return told('deployment.created', agent.id)
  },
  'deployment.rollback': async () => {
    const agent = await newAgent({})
    const rollback_rules = [{ metric: 'failure_rate', above: 0.05 }]
    const rollout = { strategy: 'canary', traffic_percent: 10, rollback_rules }
    await ok('PATCH', `/agents/${agent.id}`, { config: { instructions: 'Answer.' }, rollout })
    const { data } = await ok('GET', `/deployments?agent_id=${agent.id}&status=canary`)
    await ok('POST', `/deployments/${data[0].id}/rollback`, { reason: 'Too many failures' })
    return told('deployment.rollback', agent.id)
  },
  'agent.updated': async () => {
    const agent = await newAgent({ instructions: 'Answer.' })
    await ok('PATCH', `/agents/${agent.id}`, { config: { instructions: 'Answer briefly.' } })
    return told('agent.updated', agent.id)
  },
  'webhook.disabled': async () => {
    receiver.on('/gone', respond(410))
    const body = { url: receiver.url('/gone'), events: ['run.completed'], description: 'Notifies nobody' }
    const { id } = await ok('POST', '/webhooks', body)
    await run(app.tenant.agents['test-echo'])
    return told('webhook.disabled', id)
  },
  'connector.tool_changed': async () => {
    const { id } = await connect()
    tools.pay_invoice = { ...tools.pay_invoice, description: 'Pays every invoice.' } as TestTool
    await ok('POST', `/connectors/${id}/refresh`)
    return told('connector.tool_changed', id)
  },
  'policy.updated': async () => {
    const { id } = await ok('POST', '/policies', { template: 'pii-redact' })
    await ok('POST', `/policies/${id}/attachments`, { subject_id: app.tenant.agents['test-echo'] })
    return until('the attachment to be told', async () => {
      const { data } = await ok('GET', '/events?type=policy.updated')
      return data.find((event: { data: { change: string } }) => event.data.change === 'attached')?.data
    })
  },
  'pipeline.completed': async () => {
    const steps = [{ key: 'read', agent_id: app.tenant.agents['test-echo'] }]
    const { id } = await ok('POST', '/pipelines', { name: 'Invoices', definition: { steps } })
    const started = await ok('POST', `/pipelines/${id}/runs`, { metadata: { ticket: '1' } })
    return told('pipeline.completed', started.id)
  },
  // The service pauses it at the first firing after its creator has gone.
  'schedule.paused': async () => {
    const creator = await ok('POST', '/api-keys', { name: 'leaves', scopes: ['schedules:write', 'runs:write'] })
    const body = {
      ...{ name: 'Daily report', cron: '0 7 * * *', time_zone: 'Europe/Berlin', monthly_budget_usd: 20 },
      agent_id: app.tenant.agents['test-echo'],
    }
    const { body: schedule } = await app.call('POST', '/v2/schedules', { key: creator.key, body })
    await ok('DELETE', `/api-keys/${creator.id}`)
    await ok('POST', `/schedules/${schedule.id}/run`)
    return told('schedule.paused', schedule.id)
  },
  'batch.completed': async () => {
    const batch = { agent_id: app.tenant.agents['test-echo'], items: [{ input: {} }], metadata: { ticket: '1' } }
    return told('batch.completed', (await ok('POST', '/batches', batch)).id)
  },
  'alert.triggered': async () => (await fire()).data,
  'alert.resolved': async () => {
    const { id } = await fire()
    await ok('DELETE', `/alert-rules/${id}`)
    return told('alert.resolved', id)
  },
  'api_key.expiring': async () => {
    const expires_at = new Date(Date.now() + 6 * 86_400_000).toISOString()
    const made = await ok('POST', '/api-keys', { name: 'ends', scopes: ['runs:read'], expires_at })
    // It is announced only if it lives for more than 7 days.
    await use(made.id, `created_at = created_at - interval '30 days'`)
    const worker = await app.join('worker')
    const data = await told('api_key.expiring', made.id)
    await worker.stop()
    return data
  },
  'budget.reached': async () => {
    const agent = await newAgent({})
    await ok('PATCH', `/agents/${agent.id}`, { monthly_budget_usd: 0, budget_action: 'park' })
    return told('budget.reached', agent.id)
  },
  'api_key.exposed': async () => {
    const made = await ok('POST', '/api-keys', { name: 'exposed', scopes: ['runs:read'] })
    await use(made.id)
    const head = ['GET /v2/runs HTTP/1.1', 'Host: x', 'Connection: close', `Authorization: Bearer ${made.key}`]
    await sendRaw(plainPort, [...head, '', ''].join('\r\n'), { plain: true })
    return told('api_key.exposed', made.id)
  },
  test: async () => {
    const { id } = await ok('POST', '/webhooks', { url: receiver.url('/test'), events: ['*'] })
    await ok('POST', `/webhooks/${id}/test`)
    const call = await until('the test event', async () =>
      receiver.calls('/test').find(({ headers }) => headers['x-service-test'] === 'true'),
    )
    return JSON.parse(String(call.body)).data
  },
}

test.each(Object.keys(happenings) as EventType[])('the sample of %s has the fields of a real event', async (type) => {
  expect(shapeOf(await happenings[type]?.(), open)).toEqual(shapeOf(eventSample(type), open))
})

test('the words of the samples are those of the service', async () => {
  const failed = await happenings['run.failed']?.()
  expect(failed?.error).toEqual(eventSample('run.failed').error)
  const asking = await happenings['run.requires_action']?.()
  expect(wordsOf(asking)).toEqual(wordsOf(eventSample('run.requires_action')))
  const tested = await happenings.test?.()
  expect(tested?.message).toBe(eventSample('test').message)
})

const wordsOf = (data: Event['data'] = {}) =>
  (data.required_actions as { message: string; tool_call: unknown }[]).map(({ message, tool_call }) => ({
    message,
    tool_call,
  }))

test('every type that is sent is compared, and only those that are not sent yet are not', () => {
  const types = Object.keys(eventTypes)
  expect(types.filter((type) => !(type in happenings))).toEqual(types.filter(isPlannedEvent))
})
