export { agentApi } from './agent.api.ts'
export { type AgentService, createAgents } from './agent.service.ts'
export { isSurelyWithin, type Reacher } from './reach.ts'
export { createSteps, type StepService } from './step.service.ts'
export type {
  Ask,
  CallRecord,
  Decision,
  History,
  PastStep,
  StepContent,
  StepOutcome,
  StepRecord,
  ToolCallStart,
} from './step.ts'
export type { StepBook } from './step-book.service.ts'
