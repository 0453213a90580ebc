import type { contract, Handlers } from '@ars/contract'
import type { AllowedAgents } from '../agent-access.ts'
import type { Ctx } from '../ctx.ts'
import type { AgentService } from './agent.service.ts'
import type { AccessibleAgent } from './agent-access.service.ts'
import type { PromptService } from './agent-prompt.service.ts'

type Things = { agent: AccessibleAgent; agents: AllowedAgents }

export const agentApi = (
  agents: AgentService,
  prompts: PromptService,
): Handlers<typeof contract.agents, Ctx, Things> => ({
  list: (ctx, page, within) => agents.list(ctx, page, within),
  get: async (_ctx, _input, agent) => agents.toWireAgent(agent),
  update: (ctx, body, agent) => agents.update(ctx, body, agent),
  archive: async (ctx, _input, agent) => agents.toWireAgent(await agents.archive(ctx, agent)),
  unarchive: async (ctx, _input, agent) => agents.toWireAgent(await agents.unarchive(ctx, agent)),
  rotateSigningSecret: (ctx, asked, agent) => agents.rotateSigningSecret(ctx, asked, agent),
  hire: (ctx, body) => agents.hire(ctx, body),
  create: (ctx, body) => agents.create(ctx, body),
  versions: (ctx, page, agent) => agents.versions(ctx, page, agent),
  version: (ctx, asked, agent) => agents.version(ctx, asked, agent),
  diff: (ctx, asked, agent) => agents.diff(ctx, asked, agent),
  prompt: (ctx, asked, agent) => prompts.show(ctx, asked, agent),
  stats: (ctx, _input, agent) => agents.stats(ctx, agent),
})
