import type { MailServer } from '@ars/testkit/mail-server'
import type { LoopbackMcpServer } from '@ars/testkit/mcp-server'
import { type App, until } from '../app.ts'
import { cookieOf, ownPage } from '../browser.ts'
import { readStream } from '../event-stream.ts'
import type { Receiver } from '../webhook-receiver.ts'
import type { Recorder } from './recorder.ts'

type Stage = { app: App; recorder: Recorder; receiver: Receiver; tools: LoopbackMcpServer; mailServer: MailServer }

const password = 'nine blue lanterns by the quay'

/** Calls every operation of the contract once, in an order in which each succeeds. */
export const playAll = async (stage: Stage): Promise<void> => {
  const agentId = await playAgents(stage)
  await playRuns(stage)
  await playPipelines(stage)
  await playSchedules(stage)
  await playBatches(stage)
  await playConnectors(stage)
  await playWebhooks(stage, agentId)
  await playAlerts(stage)
  await playPolicies(stage, agentId)
  await playEvents(stage)
  await playDestinations(stage)
  await playKeys(stage)
  await playPeople(stage)
  await stage.recorder.play('usage.get', {})
  await stage.recorder.play('analytics.get', { interval: 'day' })
  await stage.recorder.play('analytics.export', { interval: 'day' }, { headers: { accept: 'application/json' } })
  await stage.recorder.play('auditLog.list', { limit: '1', action: 'api_key.created' })
}

const playAgents = async ({ recorder: { play } }: Stage): Promise<string> => {
  await play('catalog.list', { limit: '1', q: 'echo' })
  await play('catalog.get', { key: 'test-echo' })
  await play('models.list', { limit: '1' })
  await play('agents.hire', { catalog_key: 'test-echo', name: 'Echo' })
  const config = { model: 'simulated/echo', instructions: 'Answer in one sentence.' }
  const { id } = (await play('agents.create', { name: 'Invoices', description: 'Reads invoices.', config })).body
  await play('agents.get', { id })
  await play('agents.list', { limit: '1', status: 'active' })
  const rules = [{ metric: 'failure_rate', above: 0.05 }]
  const rollout = { strategy: 'canary', traffic_percent: 10, rollback_rules: rules }
  const changed = await play('agents.update', { id, config: { instructions: 'Answer briefly.' }, rollout })
  const canary = changed.body.deployment.id
  await play('deployments.list', { agent_id: id, limit: '1' })
  await play('deployments.get', { id: canary })
  await play('deployments.compare', { id: canary })
  await play('deployments.promote', { id: canary, traffic_percent: 50 })
  await play('deployments.rollback', { id: canary, reason: 'The answers are too short.' })
  await play('agents.versions', { id, limit: '1' })
  await play('agents.version', { id, version: '2' })
  await play('agents.diff', { id, version: '1', to: '2' })
  await play('agents.stats', { id })
  const input_template = 'When is this due?\n${{ input.document }}'
  const asked = { agent_id: id, config: { input_template }, input: { document: 'Invoice 2026-014' } }
  await play('agents.prompt', asked)
  await play('agents.archive', { id })
  await play('agents.unarchive', { id })
  const remote = await play('agents.create', {
    name: 'Remote',
    kind: 'remote',
    config: { url: 'https://agent.example.com/run' },
  })
  await play('agents.rotateSigningSecret', { id: remote.body.id, overlap_hours: 24 })
  return id
}

const playRuns = async (stage: Stage): Promise<void> => {
  const {
    app,
    recorder: { play },
  } = stage

  const { agents } = app.tenant
  const input = { query: 'When is invoice 2026-014 due?' }
  const run = await play('runs.create', { agent_id: agents['test-echo'], input, metadata: { ticket: '4711' } })
  const { id } = run.body
  await play('runs.stream', { agent_id: agents['test-echo'], input })
  await play('runs.list', { limit: '1', status: 'completed' })
  await play('runs.get', { id })
  await play('runs.watch', { id, after: '0' })
  await play('runs.steps', { id, limit: '1' })
  await play('runs.diagnose', { id })
  const share = await play('runs.share', { id, expires_in_seconds: 86_400 })
  await play('runs.shares', { id, limit: '1' })
  await play('runs.revokeShare', { id, share_id: share.body.id })
  const asks = { agent_id: agents['test-approval'], input: { message: 'Pay 20 euros?' } }
  const waiting = await play('runs.create', asks)
  await play('runs.act', { id: waiting.body.id, type: 'approve', comment: 'The invoice is correct.' })
  const other = await play('runs.create', asks)
  await play('runs.cancel', { id: other.body.id })
  await until('the run to end', async () => (await play('runs.get', { id: other.body.id })).body.finished_at)
  await play('runs.erase', { id: other.body.id })
  await playHeld(stage)
}

/** The output of a run waits, because a policy of its agent asks for an approval. */
const playHeld = async ({ app, recorder: { play } }: Stage): Promise<void> => {
  const text = 'I have paid 4,200 euros to ACME.'
  const agent_id = await app.addAgent({ config: { model: 'simulated/script', script: [{ text }] } })
  const rule = { id: 'payments', check: 'keywords', stages: ['output'], action: 'require_approval' }
  const rules = [{ ...rule, params: { words: ['paid'] } }]
  const { body: policy } = await app.call('POST', '/v2/policies', { body: { name: 'Payments', rules } })
  await app.call('POST', `/v2/policies/${policy.id}/attachments`, { body: { subject_id: agent_id } })
  // A policy applies to the runs of other processes some seconds after it was attached.
  const run = await until('a run that waits', async () => {
    const { body } = await app.call('POST', '/v2/runs', { body: { agent_id, input: {} } })
    return body.status === 'requires_action' && body
  })
  await play('runs.held', { id: run.id })
  await app.call('POST', `/v2/runs/${run.id}/action`, { body: { type: 'reject' } })
}

const playPipelines = async (stage: Stage): Promise<void> => {
  const {
    app,
    recorder: { play },
  } = stage
  const read = { key: 'read', agent_id: app.tenant.agents['test-echo'], input: { query: '${{ input.invoice }}' } }
  const approval = { message: 'Pay ${{ steps.read.output.result }}?' }
  const definition = { steps: [read, { key: 'confirm', depends_on: ['read'], approval }] }
  await play('pipelines.check', { definition })
  const { id } = (await play('pipelines.create', { name: 'Pay invoices', definition })).body
  await play('pipelines.get', { id })
  await play('pipelines.list', { limit: '1', status: 'active' })
  await playPipelineRuns(stage, id)
  const changed = { steps: [{ ...read, timeout_seconds: 60 }, ...definition.steps.slice(1)] }
  await play('pipelines.update', { id, definition: changed, version: 1 })
  await play('pipelines.versions', { id, limit: '1' })
  await play('pipelines.version', { id, version: '2' })
  await play('pipelines.diff', { id, version: '1', to: '2' })
  await play('pipelines.archive', { id })
  await play('pipelines.unarchive', { id })
}

const playPipelineRuns = async ({ app, recorder: { play } }: Stage, pipelineId: string): Promise<void> => {
  const read = async (id: string) => (await app.call('GET', `/v2/pipeline-runs/${id}`)).body
  const started = { id: pipelineId, input: { invoice: 'invoice 2026-014' }, metadata: { ticket: '4711' } }
  const { id } = (await play('pipelineRuns.create', started)).body
  await until('the question', async () => (await read(id)).required_actions.length > 0)
  await play('pipelineRuns.get', { id })
  await play('pipelineRuns.list', { limit: '1', status: 'running' })
  await until('the worker to rest', async () => {
    const { body } = await app.call('GET', `/v2/pipeline-runs/${id}/diagnosis`)
    return body.waiting_for === 'action'
  })
  await play('pipelineRuns.diagnose', { id })
  await play('pipelineRuns.act', { id, type: 'approve', comment: 'The invoice is correct.' })
  await until('the end of the pipeline run', async () => (await read(id)).finished_at)
  await play('pipelineRuns.watch', { id })
  await play('pipelineRuns.items', { id, key: 'read', limit: '1' })
  const again = (await play('pipelineRuns.rerun', { id, from_step: 'confirm' })).body
  await play('pipelineRuns.cancel', { id: again.id })
  await until('the end of the other pipeline run', async () => (await read(again.id)).finished_at)
  await play('pipelineRuns.erase', { id: again.id })
}

const playSchedules = async ({ app, recorder: { play } }: Stage): Promise<void> => {
  const timing = { cron: '0 7 * * 1-5', time_zone: 'Europe/Berlin' }
  const target = { agent_id: app.tenant.agents['test-echo'], input: { query: 'Which invoices are due today?' } }
  const { id } = (await play('schedules.create', { name: 'Daily report', ...timing, ...target })).body
  await play('schedules.get', { id })
  await play('schedules.list', { limit: '1', status: 'active' })
  await play('schedules.run', { id })
  await until('the firing to start', async () => {
    const { body } = await app.call('GET', `/v2/schedules/${id}/firings?status=started`)
    return body.data.length > 0
  })
  await play('schedules.firings', { id, status: 'started', limit: '1' })
  await play('schedules.update', { id, cron: '30 6 * * 1-5', overlap: 'queue' })
  await play('schedules.pause', { id })
  await play('schedules.resume', { id })
  await play('schedules.delete', { id })
}

const playBatches = async ({ app, recorder: { play } }: Stage): Promise<void> => {
  const items = ['2026-014', '2026-015'].map((invoice) => ({
    custom_id: `invoice-${invoice}`,
    input: { query: `When is invoice ${invoice} due?` },
  }))
  const asked = { agent_id: app.tenant.agents['test-echo'], items, metadata: { ticket: '4711' } }
  const { id } = (await play('batches.create', asked)).body
  await play('batches.cancel', { id: (await app.call('POST', '/v2/batches', { body: asked })).body.id })
  await until('the end of the batch', async () => (await app.call('GET', `/v2/batches/${id}`)).body.finished_at)
  await play('batches.get', { id })
  await play('batches.list', { limit: '1', agent_id: asked.agent_id ?? '' })
  await play('batches.results', { id, limit: '1' })
  await play('batches.export', { id })
  await play('batches.erase', { id })
}

const playConnectors = async ({ recorder: { play }, tools }: Stage): Promise<void> => {
  const auth = { type: 'bearer', token: 'the-token-of-the-server' }
  const made = await play('connectors.create', { name: 'Bank', url: tools.url, auth, approve_tools: false })
  const { id } = made.body
  await play('connectors.get', { id })
  await play('connectors.list', { limit: '1' })
  await play('connectors.update', { id, name: 'The bank' })
  await play('connectors.refresh', { id })
  const [tool] = (await play('connectors.listTools', { id })).body.data
  await play('connectors.approveTool', { id, name: tool.name, hash: tool.hash })
  await play('connectors.delete', { id })
}

const playWebhooks = async ({ app, recorder: { play }, receiver }: Stage, agentId: string): Promise<void> => {
  const events = ['run.completed', 'run.failed']
  const made = await play('webhooks.create', { url: receiver.url('/hooks'), events, description: 'Billing' })
  const { id } = made.body
  await play('webhooks.get', { id })
  await play('webhooks.list', { limit: '1' })
  await play('webhooks.update', { id, description: 'The billing system' })
  await play('webhooks.rotateSecret', { id, overlap_hours: 24 })
  await play('webhooks.test', { id, event_type: 'run.completed' })
  await app.call('POST', '/v2/runs', { body: { agent_id: agentId, input: { query: 'Hello' } } })
  const delivered = await until('a delivery of the run', async () => {
    const { body } = await app.call('GET', `/v2/webhooks/${id}/deliveries?status=succeeded`)
    return body.data.find(({ source }: { source: string }) => source === 'event')
  })
  await play('webhooks.deliveries', { id, status: 'succeeded', limit: '1' })
  await play('webhooks.delivery', { id, delivery_id: delivered.id })
  await play('webhooks.redeliver', { id, delivery_id: delivered.id })
  await play('webhooks.missed', { id, limit: '1' })
  const recovery = await play('webhooks.recover', { id, since: '2026-01-15T09:30:00Z' })
  await play('webhooks.recoveries', { id, limit: '1' })
  await play('webhooks.recovery', { id, recovery_id: recovery.body.id })
  await play('webhooks.cancelRecovery', { id, recovery_id: recovery.body.id })
  await play('webhooks.delete', { id })
}

const playAlerts = async ({ app, recorder: { play } }: Stage): Promise<void> => {
  const terms = { metric: 'runs_per_minute', operator: 'below', threshold: 1_000 }
  const { id } = (await play('alertRules.create', { name: 'No traffic', ...terms, severity: 'critical' })).body
  await play('alertRules.preview', terms)
  await play('alertRules.test', { id })
  const fired = await until('the rule to fire', async () => {
    const { body } = await app.call('GET', `/v2/alerts?rule_id=${id}`)
    return body.data[0]
  })
  await play('alertRules.get', { id })
  await play('alertRules.list', { limit: '1' })
  await play('alerts.list', { status: 'firing', limit: '1' })
  await play('alerts.get', { id: fired.id })
  await play('alertRules.update', { id, threshold: 500 })
  await play('alertRules.delete', { id })
}

const playPolicies = async ({ recorder: { play } }: Stage, agentId: string): Promise<void> => {
  await play('policyTemplates.list', { limit: '1' })
  await play('policyTemplates.get', { key: 'pii-redact' })
  const params = { kinds: ['email', 'card'] }
  const { id } = (await play('policies.create', { template: 'pii-redact', params, mode: 'shadow' })).body
  const attached = await play('policies.attach', { id, subject_id: agentId })
  await play('policies.attachments', { id, limit: '1' })
  await play('policies.get', { id })
  await play('policies.list', { limit: '1' })
  await play('policies.update', { id, mode: 'enforce', version: 1 })
  await play('policies.versions', { id, limit: '1' })
  const since = new Date(Date.now() - 3_600_000).toISOString()
  const { id: trial_id } = (await play('policyTrials.create', { id, since, agent_id: agentId })).body
  await play('policyTrials.get', { id, trial_id })
  await play('policyTrials.list', { id, limit: '1' })
  await play('policyTrials.cancel', { id, trial_id })
  await play('policies.detach', { id, attachment_id: attached.body.id })
  await play('policies.archive', { id })
}

const playDestinations = async ({ receiver, recorder: { play } }: Stage): Promise<void> => {
  const { id } = (
    await play('alertDestinations.create', { type: 'slack', url: receiver.url('/services/T0/B0/secret') })
  ).body
  await play('alertDestinations.list', { limit: '1' })
  await play('alertDestinations.delete', { id })
  await play('providerKeys.set', { provider: 'openai', key: 'sk-example-key-of-a-vendor' })
  await play('providerKeys.list', { limit: '1' })
  await play('providerKeys.delete', { id: 'openai' })
}

const playEvents = async ({ app, recorder: { play, keep } }: Stage): Promise<void> => {
  const listed = await play('events.list', { type: 'run.completed', limit: '1' })
  await play('events.get', { id: listed.body.data[0].id })
  const since = '2026-01-15T09:30:00Z'
  const path = `/v2/events/stream?type=run.completed&since=${since}`
  // The stream does not end. Several events are there, so this much is sent at once.
  const { text } = await readStream(app.url + path, { key: app.tenant.key, cutAfterBytes: 1_500 })
  const first = text.split('\n\n').find((frame) => frame.includes('data: '))
  keep('events.watch', { type: 'run.completed', since }, { status: 200, text: `${first}\n\n` })
}

const playKeys = async ({ recorder: { play } }: Stage): Promise<void> => {
  const { id } = (await play('apiKeys.create', { name: 'Billing system', scopes: ['runs:read', 'runs:write'] })).body
  await play('apiKeys.get', { id })
  await play('apiKeys.list', { limit: '1' })
  await play('apiKeys.update', { id, name: 'Billing', monthly_budget_usd: 50 })
  await play('budgets.list', { limit: '1' })
  const next = await play('apiKeys.rotate', { id })
  await play('apiKeys.revoke', { id: next.body.id })
  await play('sessionTokens.create', { scopes: ['runs:read'], expires_in: 600 })
  await play('auth.me')
}

const playPeople = async ({ app, recorder: { play }, mailServer }: Stage): Promise<void> => {
  const tokenOf = (link: string): string => new URL(link).hash.replace('#token=', '')
  const anonymous = (cookie?: string) => ({ key: null, headers: { ...ownPage, ...(cookie && { cookie }) } })
  const join = async (email: string, role: string): Promise<string> => {
    const { body } = await play('members.invite', { email, role })
    return cookieOf(
      await play('auth.acceptInvitation', { token: tokenOf(body.link), name: 'Ada', password }, anonymous()),
    )
  }
  await join('ada@example.com', 'admin')
  await join('grace@example.com', 'viewer')
  const session = cookieOf(await play('auth.login', { email: 'ada@example.com', password }, anonymous()))
  await play('auth.updateMe', { name: 'Ada Lovelace' }, anonymous(session))
  await play('sessions.list', { limit: '1' }, anonymous(session))
  await play('members.notifications', {}, anonymous(session))
  await play('members.updateNotifications', { kinds: ['alert_critical', 'budget_reached'] }, anonymous(session))
  await play('auth.sendEmailProof', {}, { ...anonymous(session), body: {} })
  const proof = await until('the mail with the link', async () =>
    mailServer.mails().find(({ text }) => text.includes('/email-proof#')),
  )
  await play('auth.proveEmail', { token: /#token=(\S+)/.exec(proof.text)?.[1] ?? '' }, anonymous(session))
  await play('organisation.get', {}, anonymous(session))
  await play('organisation.update', { name: 'Analytical Engines' }, anonymous(session))
  await play('members.directory', { limit: '1' }, anonymous(session))
  const members = (await play('members.list', { limit: '2' })).body.data
  const grace = members.find(({ email }: { email: string }) => email === 'grace@example.com')
  await play('members.update', { id: grace.id, role: 'developer' })
  const reset = await play('members.resetPassword', { member_id: grace.id }, anonymous(session))
  await play('auth.resetPassword', { token: tokenOf(reset.body.link), password: `${password} again` }, anonymous())
  await play('members.remove', { id: grace.id })
  const open = (await play('members.invite', { email: 'alan@example.com', role: 'viewer' })).body
  await play('members.invitations', { limit: '1' })
  await play('members.revokeInvitation', { id: open.id })
  const elsewhere = await app.addTenant()
  const invited = await play('members.invite', { email: 'ada@example.com', role: 'viewer' }, { key: elsewhere.key })
  const second = await play(
    'auth.acceptInvitation',
    { token: tokenOf(invited.body.link), password },
    anonymous(session),
  )
  const other = cookieOf(second)
  const home = second.body.organisations.find(({ id }: { id: string }) => id !== second.body.organisation.id)
  const back = cookieOf(await play('auth.switchOrganisation', { organisation_id: home.id }, anonymous(other)))
  const change = { current_password: password, new_password: `${password} soon` }
  const changed = cookieOf(await play('auth.changePassword', change, anonymous(back)))
  const login = { email: 'ada@example.com', password: change.new_password, organisation_id: home.id }
  const third = await play('auth.login', login, anonymous())
  await play('sessions.end', { id: third.body.id }, anonymous(changed))
  await play('auth.logout', {}, { ...anonymous(changed), body: {} })
}
