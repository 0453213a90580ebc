import { z } from 'zod'
import { ApiKey } from './api-keys.ts'
import { Deployment } from './deployments.ts'
import { AgentId, AlertId, ConnectorId, PipelineRunId, WebhookId } from './ids.ts'
import { Run } from './run.ts'
import { Webhook } from './webhook.ts'

const JsonObject = z.record(z.string(), z.unknown())

const RolledBack = Deployment.extend({ reason: z.string() }).meta({ id: 'RolledBackDeployment' })

const ChangedAgent = z
  .object({
    agent_id: AgentId,
    version: z.object({ old: z.int(), new: z.int() }),
    changed: z.array(z.string()).meta({ description: 'The paths of the changed fields.' }),
    old: JsonObject.meta({ description: 'The old values by path; null if there was none.' }),
    new: JsonObject.meta({ description: 'The new values by path; null if there is none.' }),
    actor: z.object({ type: z.string(), id: z.string() }),
  })
  .meta({ id: 'ChangedAgent' })

const alertMetrics = [
  'failure_rate',
  'latency_p95_ms',
  'queue_wait_p95_ms',
  'runs_per_minute',
  'tokens_per_hour',
  'quota_used',
  'webhook_failure_rate',
] as const

const Alert = z
  .object({
    id: AlertId,
    object: z.literal('alert'),
    rule: JsonObject,
    status: z.enum(['firing', 'resolved']),
    severity: z.string(),
    triggered_at: z.iso.datetime(),
    resolved_at: z.iso.datetime().nullable(),
    snapshot: z.object({
      metric: z.enum(alertMetrics),
      value: z.number(),
      threshold: z.number(),
      window_start: z.iso.datetime(),
      window_end: z.iso.datetime(),
      sample_size: z.int(),
      series: z.array(z.unknown()),
    }),
  })
  .meta({ id: 'Alert' })

const PipelineRun = z
  .object({
    id: PipelineRunId,
    object: z.literal('pipeline_run'),
    pipeline_id: z.string(),
    status: z.string(),
    steps: z.array(z.object({ key: z.string(), run_id: z.string().nullable(), status: z.string() })),
    input: JsonObject,
    output: JsonObject.nullable(),
    error: JsonObject.nullable(),
    latency_ms: z.int().nullable(),
    tokens_used: z.int(),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'PipelineRun' })

const DisabledWebhook = Webhook.extend({ reason: z.string() }).meta({ id: 'DisabledWebhook' })

const ChangedTools = z
  .object({
    connector_id: ConnectorId,
    name: z.string().meta({ description: 'The name of the connector.' }),
    tools: z
      .array(
        z.object({
          name: z.string(),
          change: z.enum(['new', 'changed', 'gone']),
          fields: z.array(z.string()).meta({ description: 'The fields that differ from what was approved.' }),
        }),
      )
      .meta({ description: 'The tools that are off because of this change, at most 100.' }),
    total: z.int().meta({ description: 'The number of these tools.' }),
  })
  .meta({ id: 'ChangedTools' })

const TestData = z.object({ message: z.string(), webhook_id: WebhookId }).meta({ id: 'TestEventData' })

/**
 * Every event type: when it occurs and the schema of its `data`. Subscription checks, the section `webhooks` of the
 * document, samples of test events and the reference are generated from this map.
 */
export const eventTypes = {
  'run.completed': { when: 'An agent run finished successfully', data: Run },
  'run.failed': { when: 'An agent run failed or timed out; `error` has the cause', data: Run },
  'deployment.created': { when: 'A new deployment was created', data: Deployment },
  'deployment.rollback': { when: 'A deployment was rolled back; `reason` has the cause', data: RolledBack },
  'alert.triggered': { when: 'A monitoring alert fired', data: Alert },
  'agent.updated': { when: 'The configuration of an agent changed', data: ChangedAgent },
  'pipeline.completed': { when: 'A pipeline run finished', data: PipelineRun },
  'run.requires_action': { when: 'A run waits for a person', data: Run },
  'run.cancelled': { when: 'A run was cancelled', data: Run },
  'webhook.disabled': { when: 'The service disabled a webhook; `reason` has the cause', data: DisabledWebhook },
  'connector.tool_changed': {
    when: 'A server lists a tool that nobody has approved as it is; the tool is off',
    data: ChangedTools,
  },
  'api_key.expiring': {
    when: 'An API key ends within 7 days. Sent once for each key and end, and not for keys that live for 7 days or less',
    data: ApiKey,
  },
  'api_key.exposed': {
    when: 'An API key was sent over plain HTTP; `revoked_at` shows whether the service revoked it',
    data: ApiKey,
  },
  test: { when: 'A test event was requested; it is sent to one webhook only', data: TestData },
} as const satisfies Record<string, { when: string; data: z.ZodType }>

export type EventType = keyof typeof eventTypes

export const isEventType = (name: string): name is EventType => Object.hasOwn(eventTypes, name)

export const eventTypeNames = Object.keys(eventTypes) as [EventType, ...EventType[]]

/** Types whose data holds inputs and outputs of runs. Only callers that can read runs get them. */
export const runEventTypes = eventTypeNames.filter((name) => name.startsWith('run.') || name === 'pipeline.completed')

/** The types that a webhook can subscribe to. Test events are not among them. */
export const subscribable: readonly string[] = eventTypeNames.filter((name) => name !== 'test')
