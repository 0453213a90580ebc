import { createLlmStep, type LlmDeps } from './llm-step.service.ts'
import { createRemoteStep, type RemoteDeps } from './remote-step.service.ts'
import type { StepOutcome } from './step.ts'
import type { StepRequest } from './step-context.service.ts'

export type StepService = { take(request: StepRequest): Promise<StepOutcome> }

/** Executes one unit of an agent's work, by the agent's kind. */
export const createSteps = (deps: LlmDeps & RemoteDeps): StepService => {
  const kinds = { llm: createLlmStep(deps), remote: createRemoteStep(deps) }
  return { take: (request) => kinds[request.agent.kind](request) }
}
