import type { contract, Handlers } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import type { DeploymentService } from './deployment.service.ts'
import { toWireDeployment } from './deployment.ts'

export const deploymentApi = (deployments: DeploymentService): Handlers<typeof contract.deployments, Ctx> => ({
  list: (ctx, page) => deployments.list(ctx, page),
  get: async (ctx, { id }) => toWireDeployment(await deployments.get(ctx, id)),
  promote: async (ctx, { id, traffic_percent }) =>
    toWireDeployment(await deployments.promote(ctx, id, traffic_percent)),
  rollback: async (ctx, { id, reason }) => toWireDeployment(await deployments.rollback(ctx, id, reason)),
})
