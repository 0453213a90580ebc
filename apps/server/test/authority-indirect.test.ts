import { fromUuid } from '@ars/platform/id'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type Reply, sharedApp, type Tenant } from './app.ts'

// Ways in which one thing reaches another: a policy that sends what runs contain, a connector that agents call.
let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

type NewKey = { scopes: readonly string[]; agent_ids?: readonly (string | undefined)[] }

const keyWith = async ({ key }: Pick<Tenant, 'key'>, body: NewKey): Promise<string> => {
  const made = await app.call('POST', '/v2/api-keys', { key, body: { name: 'one', ...body } })
  expect([made.status, made.text]).toEqual([201, made.text])
  return made.body.key
}
const call = (key: string, method: string, path: string, body?: object): Promise<Reply> =>
  app.call(method, `/v2${path}`, { key, ...(body && { body }) })
const ok = async (key: string, method: string, path: string, body?: object) => {
  const answer = await call(key, method, path, body)
  expect([200, 201], answer.text).toContain(answer.status)
  return answer.body
}
const refusalOf = ({ status, body }: Reply): string => `${status} ${body?.error?.message ?? ''}`
const lacksRuns = '403 This key lacks the scope runs:read.'

const hook = 'https://127.0.0.1:9/check'
const sending = { check: 'http', stages: ['input'], action: 'flag', params: { url: hook } }
const words = { check: 'keywords', stages: ['input'], action: 'flag', params: { words: ['heron'] } }
const hourAgo = (): string => new Date(Date.now() - 3_600_000).toISOString()

test('a key without runs:read neither makes, changes, attaches nor resumes a policy that sends content of runs', async () => {
  const tenant = await app.addTenant()
  const writer = await keyWith(tenant, { scopes: ['policies:write', 'policies:read'] })
  const reader = await keyWith(tenant, { scopes: ['policies:write', 'policies:read', 'runs:read'] })
  const subject = { subject_id: fromUuid('org', tenant.org) }
  for (const rule of [
    sending,
    { ...sending, check: 'presidio' },
    { ...sending, check: 'model', params: { model: 'simulated/judge', instructions: 'x' } },
  ]) {
    const refused = await call(writer, 'POST', '/policies', { name: 'x', rules: [words, rule] })
    expect([rule.check, refusalOf(refused)]).toEqual([rule.check, lacksRuns])
  }
  const asked = { template: 'prompt-injection-flag', params: { model: 'simulated/judge' } }
  expect(refusalOf(await call(writer, 'POST', '/policies', asked))).toBe(lacksRuns)

  const plain = await ok(writer, 'POST', '/policies', { name: 'Words', rules: [words] })
  expect(refusalOf(await call(writer, 'PATCH', `/policies/${plain.id}`, { rules: [sending] }))).toBe(lacksRuns)
  await ok(writer, 'POST', `/policies/${plain.id}/attachments`, subject)

  const made = await ok(reader, 'POST', '/policies', { name: 'Remote', rules: [sending], mode: 'shadow' })
  const holds = expect.stringContaining('403 This credential lacks the scope runs:read')
  expect(refusalOf(await call(writer, 'POST', `/policies/${made.id}/attachments`, subject))).toEqual(holds)
  expect(refusalOf(await call(writer, 'PATCH', `/policies/${made.id}`, { mode: 'shadow' }))).toEqual(holds)
  expect(refusalOf(await call(writer, 'PATCH', `/policies/${made.id}`, { mode: 'enforce' }))).toEqual(holds)
  await ok(writer, 'PATCH', `/policies/${made.id}`, { name: 'Renamed' })
  await ok(reader, 'POST', `/policies/${made.id}/attachments`, subject)
  // A key that may change policies can always stop one.
  await ok(writer, 'PATCH', `/policies/${made.id}`, { rules: [words] })
  await ok(writer, 'DELETE', `/policies/${made.id}`)
})

test('a trial is for keys that may read runs: what it counts tells what runs contain', async () => {
  const tenant = await app.addTenant()
  const writer = await keyWith(tenant, { scopes: ['policies:write', 'policies:read'] })
  const { id } = await ok(tenant.key, 'POST', '/policies', { name: 'Words', rules: [words] })
  const trials = `/policies/${id}/trials`
  const trial = await ok(tenant.key, 'POST', trials, { since: hourAgo() })
  for (const reply of [
    await call(writer, 'POST', trials, { since: hourAgo() }),
    await call(writer, 'GET', trials),
    await call(writer, 'GET', `${trials}/${trial.id}`),
    await call(writer, 'DELETE', `${trials}/${trial.id}`),
  ])
    expect(refusalOf(reply)).toBe(lacksRuns)
})

test('a token that sees only its own runs sends content of other runs nowhere', async () => {
  const tenant = await app.addTenant()
  const scopes = ['policies:write', 'connectors:write', 'webhooks:write', 'agents:write', 'runs:read']
  const { token } = await ok(tenant.key, 'POST', '/session-tokens', { scopes })
  const remote = await ok(tenant.key, 'POST', '/agents/custom', {
    name: 'Remote',
    kind: 'remote',
    config: { url: 'https://127.0.0.1:9/agent' },
  })
  for (const reply of [
    await call(token, 'POST', '/policies', { name: 'x', rules: [sending] }),
    await call(token, 'POST', '/connectors', { name: 'x', url: 'https://mail.example.com/mcp' }),
    await call(token, 'POST', '/webhooks', { url: hook, events: ['run.completed'] }),
    await call(token, 'PATCH', `/agents/${remote.id}`, { config: { url: hook } }),
  ])
    expect(refusalOf(reply)).toContain('403 A token sees only its own runs')
})

test('a connector is made and moved only by a key for every agent that may read runs', async () => {
  const tenant = await app.addTenant()
  const url = 'https://mail.example.com/mcp'
  const { id } = await ok(tenant.key, 'POST', '/connectors', { name: 'Mail', url })
  const scopes = ['connectors:write', 'connectors:read']
  const writer = await keyWith(tenant, { scopes })
  const narrowed = await keyWith(tenant, { scopes: [...scopes, 'runs:read'], agent_ids: [tenant.agents['test-echo']] })
  const moved = { url: 'https://elsewhere.example.com/mcp' }
  expect(refusalOf(await call(writer, 'POST', '/connectors', { name: 'x', url }))).toBe(lacksRuns)
  expect(refusalOf(await call(writer, 'PATCH', `/connectors/${id}`, moved))).toBe(lacksRuns)
  await ok(writer, 'PATCH', `/connectors/${id}`, { name: 'Post' })
  for (const reply of [
    await call(narrowed, 'POST', '/connectors', { name: 'x', url }),
    await call(narrowed, 'PATCH', `/connectors/${id}`, { name: 'x' }),
    await call(narrowed, 'POST', `/connectors/${id}/refresh`),
    await call(narrowed, 'POST', `/connectors/${id}/tools/x/approve`, { hash: '0'.repeat(64) }),
    await call(narrowed, 'DELETE', `/connectors/${id}`),
  ])
    expect(refusalOf(reply)).toContain('403 A key that is narrowed to some agents')
  await ok(narrowed, 'GET', `/connectors/${id}`)
})
