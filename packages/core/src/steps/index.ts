export { heldContentOf } from './guarded.ts'
export { createSteps, type StepService } from './step.service.ts'
export type {
  CallRecord,
  Decision,
  HeldBy,
  History,
  PastStep,
  PersonRequest,
  StepAttempt,
  StepContent,
  StepOutcome,
  StepRecord,
  ToolCallStart,
  UsedUp,
} from './step.ts'
export { tokensOf } from './step.ts'
export { createStepChecks } from './step-check.service.ts'
export type { StepContext } from './step-context.service.ts'
