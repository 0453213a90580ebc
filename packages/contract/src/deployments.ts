import { z } from 'zod'
import { AgentId, ApiKeyId, DeploymentId, UserId } from './ids.ts'
import { limits } from './limits.ts'
import { listOf, Paging } from './list.ts'
import { operation } from './operation.ts'

export const rollbackMetrics = ['failure_rate', 'latency_p95_ms', 'cost_per_run_usd'] as const

export const RollbackRule = z
  .strictObject({
    metric: z.enum(rollbackMetrics),
    above: z.number().min(0).max(1e9).meta({
      description: 'The canary is rolled back when the metric is beyond this with 99 % confidence. A rate is 0 to 1.',
    }),
    min_runs: z.int().min(1).max(limits.rollbackMinRunsMax).default(50).meta({
      description: 'Nothing is decided before so many runs of the canary have ended.',
    }),
    window_seconds: z.int().min(60).max(86_400).default(3_600).meta({
      description: 'Runs that were created so long ago at the most.',
    }),
  })
  .meta({ id: 'RollbackRule' })

export type RollbackRule = z.output<typeof RollbackRule>

export const Rollout = z
  .discriminatedUnion('strategy', [
    z.strictObject({ strategy: z.literal('all_at_once') }),
    z.strictObject({
      strategy: z.literal('canary'),
      traffic_percent: z.int().min(1).max(99).meta({ description: 'The share of the runs that the new version gets.' }),
      rollback_rules: z.array(RollbackRule).max(limits.rollbackRulesMax).default([]),
    }),
  ])
  .meta({ id: 'Rollout' })

export type Rollout = z.output<typeof Rollout>

export const Deployment = z
  .object({
    id: DeploymentId,
    object: z.literal('deployment'),
    agent_id: AgentId,
    version: z.int(),
    status: z.enum(['active', 'canary', 'superseded', 'rolled_back']),
    traffic_percent: z.int(),
    rollback_rules: z.array(
      z
        .object({
          metric: z.enum(rollbackMetrics),
          above: z.number(),
          min_runs: z.int(),
          window_seconds: z.int(),
        })
        .meta({ id: 'DeploymentRule' }),
    ),
    previous_deployment_id: DeploymentId.nullable(),
    source: z.enum(['hire', 'create', 'update', 'rollback']),
    created_by: z
      .union([ApiKeyId, UserId])
      .nullable()
      .meta({ description: 'The key or the person; null: the operator, or the service itself.' }),
    created_at: z.iso.datetime(),
    rolled_back_at: z.iso.datetime().nullable(),
    rollback_reason: z.string().nullable(),
  })
  .meta({ id: 'Deployment' })

export type Deployment = z.infer<typeof Deployment>

export const deployments = {
  list: operation({
    method: 'GET',
    path: '/deployments',
    summary: 'List deployments',
    scope: 'agents:read',
    status: 200,
    input: z.strictObject({
      ...Paging(DeploymentId),
      agent_id: AgentId.optional(),
      status: Deployment.shape.status.optional(),
    }),
    output: listOf(Deployment, 'DeploymentList'),
    errors: ['not_found'],
  }),
  get: operation({
    method: 'GET',
    path: '/deployments/{id}',
    summary: 'Get a deployment by id',
    scope: 'agents:read',
    status: 200,
    input: z.strictObject({ id: DeploymentId }),
    output: Deployment,
    errors: ['not_found'],
  }),
  promote: operation({
    method: 'POST',
    path: '/deployments/{id}/promote',
    summary: 'Give a canary all runs, or a larger share',
    description:
      'Without a body the canary becomes the running version. With `traffic_percent` it stays a canary and gets that share; ' +
      'only the runs of the difference change sides. Promoting what is active already changes nothing.',
    scope: 'agents:write',
    status: 200,
    input: z.strictObject({ id: DeploymentId, traffic_percent: z.int().min(1).max(99).optional() }),
    output: Deployment,
    errors: ['not_found', 'agent_archived', 'deployment_not_open'],
  }),
  rollback: operation({
    method: 'POST',
    path: '/deployments/{id}/rollback',
    summary: 'Roll a deployment back',
    description:
      'A canary ends, and the running version gets all new runs again. An active deployment gives way to the version that ' +
      'ran before it, as a new deployment with the source `rollback`. Runs under way finish on their own version. Rolling back twice changes nothing.',
    scope: 'agents:write',
    status: 200,
    input: z.strictObject({
      id: DeploymentId,
      reason: z.string().min(1).max(limits.commentChars).meta({ description: 'Why, for those who come after.' }),
    }),
    output: Deployment,
    errors: ['not_found', 'agent_archived', 'deployment_not_open', 'nothing_to_roll_back'],
  }),
} as const
