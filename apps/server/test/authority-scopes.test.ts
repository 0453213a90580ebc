import { scopes as allScopes } from '@ars/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { plantPerson } from './access-matrix/people.ts'
import { type App, type Reply, sharedApp, type Tenant, until } from './app.ts'

let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

const keyWith = async ({ key }: Pick<Tenant, 'key'>, scopes: readonly string[], agent_ids?: readonly string[]) => {
  const body = { name: 'one', scopes, ...(agent_ids && { agent_ids }) }
  const made = await app.call('POST', '/v2/api-keys', { key, body })
  expect([made.status, made.text]).toEqual([201, made.text])
  return made.body as { id: string; key: string }
}
const tokenWith = async (key: string, scopes: readonly string[]): Promise<string> =>
  (await app.call('POST', '/v2/session-tokens', { key, body: { scopes } })).body.token
const codeOf = ({ status, body }: Reply): string => `${status} ${body?.error?.code ?? ''}`.trim()
const secretRun = async ({ key, agents }: Tenant) => {
  const body = { agent_id: agents['test-echo'], input: { query: 'TOP-SECRET' } }
  return (await app.call('POST', '/v2/runs', { key, body })).body
}

/** The events of an organisation with a run and a deployment, when both have their positions. */
const eventsOf = async (tenant: Tenant) => {
  await secretRun(tenant)
  await app.call('POST', '/v2/agents/test-echo/deploy', { key: tenant.key, body: {} })
  return until('both events', async () => {
    const { body } = await app.call('GET', '/v2/events', { key: tenant.key })
    const types = body.data.map(({ type }: { type: string }) => type)
    return types.includes('run.completed') && types.includes('deployment.created') && body.data
  })
}

test('events:read shows events of runs only together with runs:read, and never to a token', async () => {
  const tenant = await app.addTenant()
  const events: { id: string; type: string }[] = await eventsOf(tenant)
  const ofRun = events.find(({ type }) => type === 'run.completed')?.id
  const blind = (await keyWith(tenant, ['events:read'])).key
  const token = await tokenWith(tenant.key, ['events:read', 'runs:read'])
  for (const key of [blind, token]) {
    const list = await app.call('GET', '/v2/events', { key })
    expect([list.status, list.text.includes('TOP-SECRET')]).toEqual([200, false])
    expect(new Set(list.body.data.map(({ type }: { type: string }) => type))).toEqual(new Set(['deployment.created']))
    expect(codeOf(await app.call('GET', `/v2/events/${ofRun}`, { key }))).toBe('403 forbidden')
    expect(codeOf(await app.call('GET', '/v2/events?type=run.completed', { key }))).toBe('403 forbidden')
    expect(codeOf(await app.call('GET', '/v2/events/stream?type=run.completed', { key }))).toBe('403 forbidden')
  }
  const seeing = (await keyWith(tenant, ['events:read', 'runs:read'])).key
  expect((await app.call('GET', '/v2/events', { key: seeing })).text).toContain('TOP-SECRET')
  expect((await app.call('GET', `/v2/events/${ofRun}`, { key: seeing })).text).toContain('TOP-SECRET')
})

test('a webhook receives and shows events of runs only by callers with runs:read', async () => {
  const tenant = await app.addTenant()
  const writer = (await keyWith(tenant, ['webhooks:write', 'webhooks:read'])).key
  const token = await tokenWith(tenant.key, ['webhooks:write', 'runs:read'])
  const url = 'https://127.0.0.1:9/hook'
  for (const events of [['*'], ['run.completed'], ['agent.updated', 'run.failed'], ['pipeline.completed']]) {
    for (const key of [writer, token])
      expect(codeOf(await app.call('POST', '/v2/webhooks', { key, body: { url, events } }))).toBe('403 forbidden')
  }
  const own = await app.call('POST', '/v2/webhooks', { key: writer, body: { url, events: ['agent.updated'] } })
  expect(own.status).toBe(201)
  const change = (id: string, body: object) => app.call('PATCH', `/v2/webhooks/${id}`, { key: writer, body })
  expect(codeOf(await change(own.body.id, { events: ['*'] }))).toBe('403 forbidden')
  expect((await change(own.body.id, { url: `${url}/2` })).status).toBe(200)
  const all = await app.call('POST', '/v2/webhooks', { key: tenant.key, body: { url, events: ['*'] } })
  const { id } = all.body
  expect(codeOf(await change(id, { url: `${url}/mine` }))).toBe('403 forbidden')
  expect((await change(id, { description: 'Mine' })).status).toBe(200)
  expect(codeOf(await app.call('GET', `/v2/webhooks/${id}/missed`, { key: writer }))).toBe('403 forbidden')
  await secretRun(tenant)
  const delivery = await until('an attempt to deliver the run', async () => {
    const { body } = await app.call('GET', `/v2/webhooks/${id}/deliveries?event_type=run.completed`, { key: writer })
    return body.data[0]?.attempts.length > 0 && body.data[0]
  })
  const path = `/v2/webhooks/${id}/deliveries/${delivery.id}`
  expect((await app.call('GET', path, { key: writer })).text).not.toContain('TOP-SECRET')
  expect((await app.call('GET', path, { key: tenant.key })).text).toContain('TOP-SECRET')
})

test('attaching a connector needs connectors:read, and a URL for a remote agent needs runs:read', async () => {
  const tenant = await app.addTenant()
  const connector = await app.call('POST', '/v2/connectors', {
    key: tenant.key,
    body: { name: 'Mail', url: 'https://mail.example.com/mcp' },
  })
  const tools = [{ connector_id: connector.body.id }]
  const llm = { name: 'x', config: { model: 'simulated/echo', tools } }
  const agent = await app.call('POST', '/v2/agents/custom', {
    key: tenant.key,
    body: { name: 'Own', config: { model: 'simulated/echo' } },
  })
  const plain = (await keyWith(tenant, ['agents:write', 'agents:read', 'runs:write'])).key
  const narrowed = (await keyWith(tenant, ['agents:write'], [agent.body.id])).key
  const entitled = (await keyWith(tenant, ['agents:write', 'connectors:read'])).key
  const update = (key: string, id: string, config: object) =>
    app.call('PATCH', `/v2/agents/${id}`, { key, body: { config } })
  expect(codeOf(await app.call('POST', '/v2/agents/custom', { key: plain, body: llm }))).toBe('403 forbidden')
  const hire = { key: plain, body: { config: { tools } } }
  expect(codeOf(await app.call('POST', '/v2/agents/test-echo/deploy', hire))).toBe('403 forbidden')
  for (const key of [plain, narrowed]) {
    expect(codeOf(await update(key, agent.body.id, { tools }))).toBe('403 forbidden')
    expect((await update(key, agent.body.id, { tools: null, instructions: key.slice(-4) })).status).toBe(200)
  }
  expect((await update(entitled, agent.body.id, { tools })).status).toBe(200)
  const make = (key: string) =>
    app.call('POST', '/v2/agents/custom', {
      key,
      body: { name: 'Remote', kind: 'remote', config: { url: 'https://127.0.0.1:9/agent' } },
    })
  expect(codeOf(await make(plain))).toBe('403 forbidden')
  const reader = (await keyWith(tenant, ['agents:write', 'runs:read'])).key
  const remote = await make(reader)
  expect(remote.status, remote.text).toBe(201)
  const moved = { url: 'https://127.0.0.1:9/elsewhere' }
  expect(codeOf(await update(plain, remote.body.id, moved))).toBe('403 forbidden')
  expect((await update(reader, remote.body.id, moved)).status).toBe(200)
})

test('a key is changed and revoked only by a credential that could grant it, and never by a token', async () => {
  const tenant = await app.addTenant()
  const [echo = ''] = [tenant.agents['test-echo']]
  const strong = await keyWith(tenant, ['runs:read', 'runs:write', 'members:write'])
  const weak = await keyWith(tenant, ['keys:write'])
  const narrowed = await keyWith(tenant, allScopes, [echo])
  const token = await tokenWith(tenant.key, allScopes)
  for (const key of [weak.key, narrowed.key, token]) {
    const path = `/v2/api-keys/${strong.id}`
    expect(codeOf(await app.call('DELETE', path, { key }))).toBe('403 forbidden')
    expect(codeOf(await app.call('PATCH', path, { key, body: { name: 'Mine' } }))).toBe('403 forbidden')
    expect(codeOf(await app.call('POST', `${path}/rotate`, { key, body: {} }))).toBe('403 forbidden')
  }
  expect((await app.call('GET', '/v2/agents', { key: strong.key })).status).toBe(403)
  expect((await app.call('DELETE', `/v2/api-keys/${weak.id}`, { key: weak.key })).status).toBe(200)
  expect((await app.call('DELETE', `/v2/api-keys/${strong.id}`, { key: tenant.key })).status).toBe(200)
})

test('members and invitations are managed only by a credential that holds everything that their role holds', async () => {
  const tenant = await app.addTenant()
  const [echo = ''] = [tenant.agents['test-echo']]
  const place = { ...tenant, marker: 'people' }
  const admin = await plantPerson(app, place, 'admin')
  const invitation = await app.call('POST', '/v2/members/invitations', {
    key: tenant.key,
    body: { email: 'admin@example.com', role: 'admin' },
  })
  const few = (await keyWith(tenant, ['members:write'])).key
  const narrowed = (await keyWith(tenant, allScopes, [echo])).key
  const token = await tokenWith(tenant.key, allScopes)
  for (const key of [few, narrowed, token]) {
    const member = `/v2/members/${admin.memberId}`
    expect(codeOf(await app.call('DELETE', member, { key }))).toBe('403 forbidden')
    expect(codeOf(await app.call('PATCH', member, { key, body: { role: 'viewer' } }))).toBe('403 forbidden')
    const invited = `/v2/members/invitations/${invitation.body.id}`
    expect(codeOf(await app.call('DELETE', invited, { key }))).toBe('403 forbidden')
  }
  expect((await app.call('DELETE', `/v2/members/${admin.memberId}`, { key: tenant.key })).status).toBe(200)
})
