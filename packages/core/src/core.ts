import type { contract, Handlers, Operation } from '@ars/contract'
import { createAccess } from './access/index.ts'
import { agentApi, createAgents } from './agents/index.ts'
import type { Ctx } from './ctx.ts'
import type { Parts } from './parts.ts'
import { createRunGateway, createRunWorker, type StepFigures } from './runs/index.ts'

export type { Parts } from './parts.ts'

/** One handler for each operation of the contract; one that is missing does not compile. */
export type ContractHandlers = { [Resource in keyof typeof contract]: Handlers<(typeof contract)[Resource], Ctx> }

/** The gateway's half of the product: one line per slice. */
export const createGatewayCore = (parts: Parts) => {
  const access = createAccess(parts)
  const agents = createAgents(parts)
  const runs = createRunGateway(parts, agents)
  const handlers: ContractHandlers = {
    runs: runs.api,
    agents: agentApi(agents),
  }
  return { access, agents, handlers, checks: [passRate, passGuardrails], close: () => runs.close() }
}

/** What stands between a parsed request and its handler; it refuses by throwing a fault. */
export type Check = (ctx: Ctx, operation: Operation, input: unknown) => Promise<void>

// Nothing is limited and nothing is forbidden until limits and policies exist; their checks take these two places.
const passRate: Check = () => Promise.resolve()
const passGuardrails: Check = () => Promise.resolve()

/** The worker's half. */
export const createWorkerCore = (parts: Parts, onStep: (figures: StepFigures) => void) => createRunWorker(parts, onStep)
