// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders belong to the expressions of pipelines.
import { randomBytes } from '@ars/platform/crypto'
import { toUuid } from '@ars/platform/id'
import { until } from '../../server/test/app.ts'
import type { Dashboard } from './dashboard.ts'

/** One of each thing that an address can name, by the name of its parameter. */
export type Everything = Record<
  | 'runId'
  | 'agentId'
  | 'key'
  | 'connectorId'
  | 'webhookId'
  | 'deliveryId'
  | 'eventId'
  | 'keyId'
  | 'shareToken'
  | 'ruleId'
  | 'alertId'
  | 'policyId'
  | 'trialId'
  | 'pipelineId'
  | 'pipelineRunId'
  | 'scheduleId'
  | 'batchId',
  string
>

/** The settings under which credentials of connectors and webhooks can be stored. */
export const everythingEnv = (): Record<string, string> => ({
  ARS_KEKS: `test:${randomBytes(32).toString('base64')}`,
  ARS_EGRESS_ALLOW_RANGES: '127.0.0.0/8',
  ARS_EGRESS_ALLOW_PORTS: 'any',
})

/** Fills the first organisation through the API: runs in every state, an agent with two versions, a webhook with deliveries. */
export const makeEverything = async ({ app, client }: Dashboard): Promise<Everything> => {
  const { agents } = app.tenant
  const run = (name: string, input: Record<string, unknown>) =>
    client.runs.create({ agent_id: agents[name] ?? '', input, metadata: { customer: 'c-1' } })
  const webhook = await client.webhooks.create({
    url: 'https://127.0.0.1:9/receiver',
    events: ['run.completed', 'run.failed', 'agent.updated'],
    description: 'Nobody listens here',
  })
  const { id: runId } = await run('test-echo', { query: 'Hello' })
  await run('test-fail', { code: 'agent_error' })
  await run('test-approval', {})
  const agent = await client.agents.create({
    name: 'Greeter',
    config: { model: 'simulated/echo', instructions: 'Greet the person.' },
  })
  await client.agents.update(agent.id, {
    config: { model: 'simulated/echo', instructions: 'Greet the person politely.' },
  })
  const connector = await client.connectors.create({ name: 'Orders', url: 'https://orders.example.com/mcp' })
  const hints = { read_only: true, destructive: false, idempotent: true, open_world: false }
  const manifest = {
    name: 'find',
    title: null,
    description: 'Find an order',
    input_schema: {},
    output_schema: null,
    hints,
  }
  await app.query(
    `insert into connector_tools (connector_id, org_id, name, listed_hash, listed_manifest)
     select id, org_id, 'find', decode(repeat('00', 32), 'hex'), $2 from connectors where id = $1`,
    [toUuid(connector.id), JSON.stringify(manifest)],
  )
  const { id: deliveryId } = await client.webhooks.test(webhook.id)
  const eventId = await until('an event', async () => {
    const { data } = await client.events.list()
    return data[0]?.id
  })
  const { id: keyId } = await client.apiKeys.create({ name: 'Reader', scopes: ['runs:read'] })
  const { token } = await client.runs.share(runId)
  const rule = await client.alertRules.create({
    name: 'A run has failed',
    metric: 'failure_rate',
    threshold: 0,
    min_sample_size: 1,
  })
  const alertId = await until('an alert', async () => {
    const { data } = await client.alerts.list()
    return data[0]?.id
  })
  const policy = await client.policies.create({ template: 'pii-redact', mode: 'shadow' })
  await client.policies.attach(policy.id, { subject_id: agent.id })
  const trial = await client.policyTrials.create(policy.id, { since: new Date(Date.now() - 3_600_000).toISOString() })
  await until(
    'the end of the trial',
    async () => (await client.policyTrials.get(policy.id, trial.id)).ended_at !== null,
  )
  const echo = agents['test-echo'] ?? ''
  const steps = [
    { key: 'each', agent_id: echo, for_each: 'input.words', input: { query: '${{ item }}' } },
    { key: 'release', depends_on: ['each'], approval: { message: 'Go on?' } },
    { key: 'last', agent_id: echo, depends_on: ['each', 'release'], input: { query: 'Done' } },
  ]
  const pipeline = await client.pipelines.create({ name: 'Greetings', definition: { steps: steps.slice(0, 2) } })
  await client.pipelines.update(pipeline.id, { definition: { steps } })
  const pipelineRun = await client.pipelineRuns.create(pipeline.id, { input: { words: ['a', 'b', 'c'] } })
  await until(
    'the question of the pipeline',
    async () => (await client.pipelineRuns.get(pipelineRun.id)).required_actions.length > 0,
  )
  const schedule = await client.schedules.create({ name: 'Nightly', cron: '0 3 * * *', agent_id: echo })
  await client.schedules.run(schedule.id)
  const batch = await client.batches.create({
    agent_id: echo,
    items: [{ input: { query: 'a' } }, { input: { query: 'b' } }],
  })
  const parts = {
    connectorId: connector.id,
    webhookId: webhook.id,
    deliveryId,
    eventId,
    keyId,
    shareToken: token ?? '',
    ruleId: rule.id,
    alertId,
    policyId: policy.id,
    trialId: trial.id,
    pipelineId: pipeline.id,
    pipelineRunId: pipelineRun.id,
    scheduleId: schedule.id,
    batchId: batch.id,
  }
  return { runId, agentId: agent.id, key: 'summariser', ...parts }
}
