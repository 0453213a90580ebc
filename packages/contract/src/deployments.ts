import { z } from 'zod'
import { createdAt, KeyOrPerson } from './fields.ts'
import { AgentId, DeploymentId } from './ids.ts'
import { limits } from './limits.ts'
import { commaList, listOf, Paging } from './list.ts'
import { operation } from './operation.ts'

export const rollbackMetrics = ['failure_rate', 'latency_p95_ms', 'cost_per_run_usd'] as const

const RollbackMetric = z
  .enum(rollbackMetrics)
  .meta({ id: 'RollbackMetric', description: 'The figure of the canary that the rule evaluates.' })

export const RollbackRule = z
  .strictObject({
    metric: RollbackMetric,
    above: z.number().min(0).max(1e9).meta({
      description:
        'The canary is rolled back if the metric is above this value with 99 % confidence. Rates are 0 to 1.',
    }),
    min_runs: z.int().min(1).max(limits.rollbackMinRunsMax).default(50).meta({
      description: 'The minimum number of ended canary runs before the rule is evaluated.',
    }),
    window_seconds: z.int().min(60).max(86_400).default(3_600).meta({
      description: 'The rule evaluates runs that were created within this time.',
    }),
  })
  .meta({ id: 'RollbackRule' })

export type RollbackRule = z.output<typeof RollbackRule>

export const Rollout = z
  .discriminatedUnion('strategy', [
    z
      .strictObject({ strategy: z.literal('all_at_once').meta({ description: 'All new runs use the new version.' }) })
      .meta({ id: 'RolloutAllAtOnce' }),
    z
      .strictObject({
        strategy: z.literal('canary').meta({ description: 'A share of the new runs uses the new version.' }),
        traffic_percent: z.int().min(1).max(99).meta({ description: 'The share of runs that use the new version.' }),
        rollback_rules: z
          .array(RollbackRule)
          .max(limits.rollbackRulesMax)
          .default([])
          .meta({ description: 'When the canary is rolled back automatically.' }),
      })
      .meta({ id: 'RolloutCanary' }),
  ])
  .meta({ id: 'Rollout', description: 'How the new version is released. Default: `all_at_once`.' })

export type Rollout = z.output<typeof Rollout>

const DeploymentStatus = z.enum(['active', 'canary', 'superseded', 'rolled_back']).meta({
  id: 'DeploymentStatus',
  description: '`canary`: a share of new runs uses it. `superseded`: a later deployment replaced it.',
})

const DeploymentRule = z
  .object({
    metric: RollbackMetric,
    above: z.number().meta({ description: 'The value above which the canary is rolled back.' }),
    min_runs: z.int().meta({ description: 'The minimum number of ended canary runs.' }),
    window_seconds: z.int().meta({ description: 'The age of the runs that are evaluated.' }),
  })
  .meta({ id: 'DeploymentRule' })

export const Deployment = z
  .object({
    id: DeploymentId,
    object: z.literal('deployment'),
    agent_id: AgentId,
    version: z.int().meta({ description: 'The version of the agent that it releases.' }),
    status: DeploymentStatus,
    traffic_percent: z.int().meta({ description: 'The share of new runs that use this version.' }),
    rollback_rules: z.array(DeploymentRule).meta({ description: 'When the canary is rolled back automatically.' }),
    previous_deployment_id: DeploymentId.nullable().meta({ description: 'The deployment that it replaced.' }),
    source: z
      .enum(['hire', 'create', 'update', 'rollback'])
      .meta({ id: 'DeploymentSource', description: 'The operation that created it.' }),
    created_by: KeyOrPerson.nullable().meta({
      description: 'The key or person that created it; null for the operator and the service.',
    }),
    created_at: createdAt,
    rolled_back_at: z.iso.datetime().nullable().meta({ description: 'When it was rolled back; null otherwise.' }),
    rollback_reason: z.string().nullable().meta({ description: 'Why it was rolled back; null otherwise.' }),
  })
  .meta({ id: 'Deployment', description: 'The release of a version of an agent.' })

export type Deployment = z.infer<typeof Deployment>

export const deployments = {
  list: operation({
    method: 'GET',
    path: '/deployments',
    summary: 'List deployments',
    scope: 'agents:read',
    names: 'agents',
    status: 200,
    input: z.strictObject({
      ...Paging(DeploymentId),
      agent_id: AgentId.optional(),
      status: commaList(DeploymentStatus.options).optional(),
    }),
    output: listOf(Deployment, 'DeploymentList'),
    errors: ['not_found'],
  }),
  get: operation({
    method: 'GET',
    path: '/deployments/{id}',
    summary: 'Get a deployment by id',
    scope: 'agents:read',
    names: 'deployment',
    status: 200,
    input: z.strictObject({ id: DeploymentId }),
    output: Deployment,
    errors: ['not_found'],
  }),
  promote: operation({
    method: 'POST',
    path: '/deployments/{id}/promote',
    summary: 'Promote a canary',
    description:
      'Without a body the canary becomes the active version. With `traffic_percent` it stays a canary with that share of runs. ' +
      'Promoting an active deployment has no effect.',
    scope: 'agents:write',
    names: 'deployment',
    status: 200,
    input: z
      .strictObject({
        id: DeploymentId,
        traffic_percent: z
          .int()
          .min(1)
          .max(99)
          .optional()
          .meta({ description: 'The new share of runs. Omitted: the canary becomes active.' }),
      })
      .meta({ id: 'PromoteDeployment' }),
    output: Deployment,
    errors: ['not_found', 'agent_archived', 'deployment_not_open'],
  }),
  rollback: operation({
    method: 'POST',
    path: '/deployments/{id}/rollback',
    summary: 'Roll a deployment back',
    description:
      'Rolling back a canary returns all new runs to the active version. Rolling back an active deployment deploys the previous ' +
      'version, as a new deployment with the source `rollback`. Active runs finish on their version. Rolling back again has no effect.',
    scope: 'agents:write',
    names: 'deployment',
    status: 200,
    input: z
      .strictObject({
        id: DeploymentId,
        reason: z.string().min(1).max(limits.commentChars).meta({ description: 'The reason; it is recorded.' }),
      })
      .meta({ id: 'RollBackDeployment' }),
    output: Deployment,
    errors: ['not_found', 'agent_archived', 'deployment_not_open', 'nothing_to_roll_back'],
  }),
} as const
