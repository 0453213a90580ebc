export { agentApi } from './agent.api.ts'
export { type AgentService, createAgents } from './agent.service.ts'
export { createSteps, type StepOutcome, type StepService } from './step.service.ts'
