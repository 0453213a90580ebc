import type { contract, Handlers, Operation } from '@ars/contract'
import { createAccess } from './access/index.ts'
import { agentApi, createAgents, createSteps } from './agents/index.ts'
import { connectorApi, createConnectors } from './connectors/index.ts'
import type { Ctx } from './ctx.ts'
import { createGuardrails } from './guardrails/index.ts'
import { createModels, createSchemas } from './models/index.ts'
import type { Parts } from './parts.ts'
import { createRunGateway, createRunWorker, type StepFigures } from './runs/index.ts'
import { createSecrets } from './secrets/index.ts'

export type { Parts } from './parts.ts'

/** One handler for each operation of the contract; one that is missing does not compile. */
export type ContractHandlers = { [Resource in keyof typeof contract]: Handlers<(typeof contract)[Resource], Ctx> }

/** The gateway's half of the product: one line per slice. */
export const createGatewayCore = (parts: Parts) => {
  const access = createAccess(parts)
  const agents = createAgents(parts)
  const schemas = createSchemas(parts.clock)
  const runs = createRunGateway(parts, { agents, schemas })
  const handlers: ContractHandlers = {
    runs: runs.api,
    agents: agentApi(agents),
    connectors: connectorApi(createConnectors(parts)),
  }
  return { access, agents, handlers, checks: [passRate, passGuardrails], close: () => runs.close() }
}

/** What stands between a parsed request and its handler; it refuses by throwing a fault. */
export type Check = (ctx: Ctx, operation: Operation, input: unknown) => Promise<void>

// Nothing is limited and nothing is forbidden until limits and policies exist; their checks take these two places.
const passRate: Check = () => Promise.resolve()
const passGuardrails: Check = () => Promise.resolve()

/** The worker's half. */
export const createWorkerCore = (parts: Parts, onStep: (figures: StepFigures) => void) => {
  const { config, steps: app } = parts
  const models = createModels({
    ...parts,
    modelsFile: config.modelsFile,
    testing: config.testStack ? { ledgerFile: config.testLedgerFile } : undefined,
  })
  const schemas = createSchemas(parts.clock)
  const steps = createSteps({
    ...parts,
    app,
    models,
    connectors: createConnectors({ ...parts, app }),
    secrets: createSecrets({ ...parts, app }),
    guardrails: createGuardrails(),
    checkOutput: schemas.check,
  })
  const runs = createRunWorker(parts, steps, onStep)
  return {
    ...runs,
    close: async () => {
      runs.close()
      await models.close()
    },
  }
}
