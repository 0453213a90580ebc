import type { contract, Handlers } from '@ars/contract'
import type { AllowedAgents } from '../agent-access.ts'
import type { Ctx } from '../ctx.ts'
import type { AccessibleDeployment, DeploymentService } from './deployment.service.ts'
import { toWireDeployment } from './deployment.ts'

type Things = { deployment: AccessibleDeployment; agents: AllowedAgents }

export const deploymentApi = (deployments: DeploymentService): Handlers<typeof contract.deployments, Ctx, Things> => ({
  list: (ctx, page, within) => deployments.list(ctx, page, within),
  get: async (_ctx, _input, deployment) => toWireDeployment(deployment),
  compare: (ctx, _input, deployment) => deployments.compare(ctx, deployment),
  promote: async (ctx, { traffic_percent }, deployment) =>
    toWireDeployment(await deployments.promote(ctx, deployment, traffic_percent)),
  rollback: async (ctx, { reason }, deployment) =>
    toWireDeployment(await deployments.rollback(ctx, deployment, reason)),
})
