import type { contract, Handlers } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import type { AgentService } from './agent.service.ts'
import { toWire } from './agent.ts'

export const agentApi = (agents: AgentService): Handlers<typeof contract.agents, Ctx> => ({
  list: (ctx, page) => agents.list(ctx, page),
  get: async (ctx, { id }) => toWire(await agents.get(ctx, id)),
})
