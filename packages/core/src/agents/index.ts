export type { Agent } from './agent.ts'
export { agentApi } from './agent.api.ts'
export { type AgentService, createAgents } from './agent.service.ts'
export type {
  Ask,
  CallRecord,
  Decision,
  History,
  PastStep,
  StepBook,
  StepContent,
  StepOutcome,
  StepRecord,
  ToolCallStart,
} from './step.ts'
export { createSteps, type StepService } from './step.service.ts'
