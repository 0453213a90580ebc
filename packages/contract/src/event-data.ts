import { z } from 'zod'
import { Actor } from './actor.ts'
import { Alert } from './alert.ts'
import { ApiKey } from './api-keys.ts'
import { Batch } from './batch.ts'
import { Budget } from './budget.ts'
import { Deployment } from './deployment.ts'
import { JsonObject } from './fields.ts'
import { AgentId, ConnectorId, PolicyId, WebhookId } from './ids.ts'
import { PipelineRun } from './pipeline-run.ts'
import { PolicyMode, policyChanges } from './policy.ts'
import { Run } from './run.ts'
import { Schedule } from './schedule.ts'
import { Webhook } from './webhook.ts'

const RolledBack = Deployment.extend({
  reason: z.string().meta({ description: 'Why it was rolled back.' }),
}).meta({ id: 'RolledBackDeployment', description: 'The deployment that was rolled back.' })

const ChangedAgent = z
  .object({
    agent_id: AgentId,
    version: z
      .object({
        old: z.int().meta({ description: 'The version before.' }),
        new: z.int().meta({ description: 'The version now.' }),
      })
      .meta({ id: 'VersionChange', description: 'The versions before and after the change.' }),
    changed: z.array(z.string()).meta({ description: 'The paths of the changed fields.' }),
    old: JsonObject.meta({ description: 'The old values by path; null if there was none.' }),
    new: JsonObject.meta({ description: 'The new values by path; null if there is none.' }),
    actor: Actor,
  })
  .meta({ id: 'ChangedAgent', description: 'The change of an agent.' })

const DisabledWebhook = Webhook.omit({ last_day: true })
  .extend({
    reason: z.string().meta({ description: 'Why it was disabled.' }),
  })
  .meta({ id: 'DisabledWebhook', description: 'The webhook that was disabled.' })

const ChangedTool = z
  .object({
    name: z.string().meta({ description: 'The name of the tool.' }),
    change: z.enum(['new', 'changed', 'gone']).meta({ id: 'ToolChange', description: 'How the tool changed.' }),
    fields: z.array(z.string()).meta({ description: 'The fields that differ from what was approved.' }),
  })
  .meta({ id: 'ChangedTool' })

const ChangedTools = z
  .object({
    connector_id: ConnectorId,
    name: z.string().meta({ description: 'The name of the connector.' }),
    tools: z.array(ChangedTool).meta({ description: 'The tools that are off because of this change, at most 100.' }),
    total: z.int().meta({ description: 'The number of these tools.' }),
  })
  .meta({ id: 'ChangedTools', description: 'The tools of a connector that changed.' })

const ChangedPolicy = z
  .object({
    policy_id: PolicyId,
    name: z.string().meta({ description: 'The name of the policy.' }),
    change: z.enum(policyChanges).meta({ id: 'PolicyChange', description: 'What happened to the policy.' }),
    version: z.int().meta({ description: 'The version now.' }),
    mode: PolicyMode,
    subject_id: z
      .string()
      .nullable()
      .meta({ description: 'What it was attached to or detached from; null otherwise.' }),
    actor: Actor,
  })
  .meta({ id: 'ChangedPolicy', description: 'The change of a policy.' })

export type ChangedPolicy = z.infer<typeof ChangedPolicy>

const TestData = z
  .object({ message: z.string().meta({ description: 'A fixed text.' }), webhook_id: WebhookId })
  .meta({ id: 'TestEventData', description: 'The data of a test event.' })

/** `planned`: a webhook can subscribe to it, but the service does not send it yet. */
type EventKind = { when: string; data: z.ZodType; planned?: true }

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
  'agent.updated': {
    when: 'What `GET /agents/{id}` shows has changed: by an update, a rollback, archiving or unarchiving',
    data: ChangedAgent,
  },
  'pipeline.completed': { when: 'A pipeline run finished; `status` says how', data: PipelineRun },
  'run.requires_action': { when: 'A run waits for a person', data: Run },
  'run.cancelled': { when: 'A run was cancelled', data: Run },
  'webhook.disabled': { when: 'The service disabled a webhook; `reason` has the cause', data: DisabledWebhook },
  'connector.tool_changed': {
    when: 'A server lists a tool that nobody has approved as it is; the tool is off',
    data: ChangedTools,
  },
  'alert.resolved': { when: 'An alert was resolved; `resolution` has the cause', data: Alert },
  'api_key.expiring': {
    when: 'An API key expires within 7 days. Sent once per expiry date; not for keys valid for 7 days or less',
    data: ApiKey,
  },
  'api_key.exposed': {
    when: 'An API key was sent over plain HTTP; `revoked_at` shows whether the service revoked it',
    data: ApiKey,
  },
  test: { when: 'A test event was requested; it is sent to one webhook only', data: TestData },
  'budget.reached': {
    when: 'The cost of a month reached 80 % or 100 % of a budget. Sent once for each of them in a month; `reached_percent` says which',
    data: Budget,
  },
  'policy.updated': {
    when: 'A policy was created, changed, archived, attached or detached, or its time in mode `shadow` ended',
    data: ChangedPolicy,
  },
  'schedule.paused': {
    when: 'The service paused a schedule, because its creator may not start its target any more; `pause_reason` has the cause',
    data: Schedule,
  },
  'batch.completed': { when: 'A batch ended; `status` says how', data: Batch },
} as const satisfies Record<string, EventKind>

export type EventType = keyof typeof eventTypes

export const isEventType = (name: string): name is EventType => Object.hasOwn(eventTypes, name)

/** Whether the service does not send events of this type yet. */
export const isPlannedEvent = (name: string): boolean =>
  isEventType(name) && (eventTypes[name] as EventKind).planned === true

export const eventTypeNames = Object.keys(eventTypes) as [EventType, ...EventType[]]

/** They hold the input or the metadata of runs. */
const alsoOfRuns: ReadonlySet<EventType> = new Set(['pipeline.completed', 'schedule.paused', 'batch.completed'])

/** Types whose data holds inputs, metadata and outputs of runs. Only callers that can read runs get them. */
export const runEventTypes = eventTypeNames.filter((name) => name.startsWith('run.') || alsoOfRuns.has(name))

/** The types that a webhook can subscribe to. Test events are not among them. */
export const subscribable: readonly string[] = eventTypeNames.filter((name) => name !== 'test')
