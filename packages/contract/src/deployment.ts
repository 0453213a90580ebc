import { z } from 'zod'
import { fieldLimits } from './bounds.ts'
import { createdAt, KeyOrPerson } from './fields.ts'
import { AgentId, DeploymentId } from './ids.ts'
import { limits } from './limits.ts'

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
    window_seconds: z.int().min(60).max(fieldLimits.rollbackWindowSeconds).default(3_600).meta({
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
        traffic_percent: z
          .int()
          .min(1)
          .max(fieldLimits.canaryPercent)
          .meta({ description: 'The share of runs that use the new version.' }),
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

export const DeploymentStatus = z.enum(['active', 'canary', 'superseded', 'rolled_back']).meta({
  id: 'DeploymentStatus',
  description: '`canary`: a share of new runs uses it. `superseded`: a later deployment replaced it.',
})

export const DeploymentRule = z
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
