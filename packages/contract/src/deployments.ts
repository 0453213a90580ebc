import { z } from 'zod'
import { fieldLimits } from './bounds.ts'
import { Deployment, DeploymentStatus } from './deployment.ts'
import { DeploymentComparison } from './deployment-comparison.ts'
import { AgentId, DeploymentId } from './ids.ts'
import { limits } from './limits.ts'
import { commaList, listOf, Paging } from './list.ts'
import { operation } from './operation.ts'

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
    errors: [],
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
  compare: operation({
    method: 'GET',
    path: '/deployments/{id}/comparison',
    summary: 'Compare a canary with the running version',
    description:
      'Returns the figures by which the rollback rules are evaluated, for the canary and for the running version. ' +
      'For a deployment that is no canary any more, the window ends when it was promoted or rolled back.',
    scope: 'agents:read',
    names: 'deployment',
    status: 200,
    input: z.strictObject({ id: DeploymentId }),
    output: DeploymentComparison,
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
          .max(fieldLimits.canaryPercent)
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
