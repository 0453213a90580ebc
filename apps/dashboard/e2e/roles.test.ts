import { type Role, roles, type Scope } from '@agent-run-service/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../../server/test/webhook-receiver.ts'
import { type Dashboard, startDashboard } from './dashboard.ts'

let dashboard: Dashboard
let receiver: Receiver
let places: Readonly<Record<string, string>>
beforeAll(async () => {
  receiver = await startReceiver()
  dashboard = await startDashboard({ env: receiver.env })
  const agentId = await dashboard.app.addAgent({ config: { model: 'simulated/echo' } })
  const run = await dashboard.client.runs.create({ agent_id: agentId, input: { query: 'x' } })
  const webhook = await dashboard.client.webhooks.create({ url: receiver.url('/hook'), events: ['run.completed'] })
  const key = await dashboard.client.apiKeys.create({ name: 'for pages', kind: 'live', scopes: ['runs:read'] })
  const policy = await dashboard.client.policies.create({ template: 'secrets-block' })
  const pipeline = await dashboard.client.pipelines.create({
    name: 'for pages',
    definition: { steps: [{ key: 'only', agent_id: agentId, input: { query: 'x' } }] },
  })
  const schedule = await dashboard.client.schedules.create({
    name: 'for pages',
    interval_seconds: 86_400,
    agent_id: agentId,
  })
  places = {
    agent: agentId,
    run: run.id,
    webhook: webhook.id,
    key: key.id,
    policy: policy.id,
    pipeline: pipeline.id,
    schedule: schedule.id,
  }
})
afterAll(async () => {
  await dashboard?.stop()
  await receiver?.close()
})

/** The controls of each page that write, with the permission that the API asks for. `:name` is an id of `places`. */
const controls: readonly (readonly [path: string, button: string, scope: Scope])[] = [
  ['/playground?agent_id=:agent', 'Run', 'runs:write'],
  ['/settings/api-keys', 'Create key', 'keys:write'],
  ['/settings/api-keys/:key', 'Rotate', 'keys:write'],
  ['/settings/organisation', 'Rename', 'members:write'],
  ['/settings/members', 'Invite', 'members:write'],
  ['/webhooks', 'New webhook', 'webhooks:write'],
  ['/webhooks/:webhook', 'Send test event', 'webhooks:write'],
  ['/alerts', 'New rule', 'alerts:write'],
  ['/alert-rules/new', 'Create rule', 'alerts:write'],
  ['/policies', 'New policy', 'policies:write'],
  ['/policies/templates', 'Adopt Block secrets', 'policies:write'],
  ['/policies/new', 'Create policy', 'policies:write'],
  ['/policies/:policy', 'Attach', 'policies:write'],
  ['/policies/:policy', 'Shadow', 'policies:write'],
  ['/policies/:policy/edit', 'Save', 'policies:write'],
  ['/policies/:policy/trials', 'Start trial', 'policies:write'],
  ['/pipelines', 'New pipeline', 'pipelines:write'],
  ['/pipelines/new?example=blank', 'Create pipeline', 'pipelines:write'],
  ['/pipelines/:pipeline', 'Edit', 'pipelines:write'],
  ['/pipelines/:pipeline', 'Start run', 'runs:write'],
  ['/schedules', 'New schedule', 'schedules:write'],
  ['/schedules/:schedule', 'Run now', 'schedules:write'],
  ['/batches', 'New batch', 'runs:write'],
  ['/agents', 'New agent', 'agents:write'],
  ['/agents/new', 'Create agent', 'agents:write'],
  ['/agents/:agent', 'Edit', 'agents:write'],
  ['/runs/:run', 'Run again', 'runs:write'],
  ['/runs/:run', 'Share', 'runs:share'],
]

describe.each(roles)('%s', (role: Role) => {
  test('can use a control exactly when the API accepts it', async () => {
    const person = await dashboard.person(role)
    const me = await dashboard.app.call('GET', '/v2/api/auth/me', {
      key: null,
      headers: { cookie: `__Host-ars_session=${person.token}` },
    })
    const scopes = me.body.scopes as string[]
    const visit = await dashboard.visit({ as: person })
    const seen: Record<string, boolean | 'forbidden'> = {}
    const wanted: Record<string, boolean | 'forbidden'> = {}
    for (const [path, name, scope] of controls) {
      await visit.open(path.replaceAll(/:(\w+)/g, (_, key: string) => places[key] ?? ''))
      const isForbidden = await visit.page.getByRole('heading', { name: 'Not permitted' }).isVisible()
      const control = visit.page
        .getByRole('button', { name, exact: true })
        .or(visit.page.getByRole('link', { name, exact: true }))
      seen[`${path} ${name}`] = isForbidden
        ? 'forbidden'
        : (await control.first().getAttribute('aria-disabled')) !== 'true'
      wanted[`${path} ${name}`] = isForbidden ? 'forbidden' : scopes.includes(scope)
      if (isForbidden) expect(scopes).not.toContain(scope)
    }
    expect(seen).toEqual(wanted)
  })
})
