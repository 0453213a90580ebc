import type { contract, Handlers } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import type { AgentService } from './agent.service.ts'

export const agentApi = (agents: AgentService): Handlers<typeof contract.agents, Ctx> => ({
  list: (ctx, page) => agents.list(ctx, page),
  get: async (ctx, { id }) => agents.toWire(await agents.get(ctx, id)),
  update: (ctx, body) => agents.update(ctx, body),
  archive: async (ctx, { id }) => agents.toWire(await agents.archive(ctx, id)),
  hire: (ctx, body) => agents.hire(ctx, body),
  create: (ctx, body) => agents.create(ctx, body),
  versions: (ctx, page) => agents.versions(ctx, page),
  version: (ctx, asked) => agents.version(ctx, asked),
  diff: (ctx, asked) => agents.diff(ctx, asked),
})
