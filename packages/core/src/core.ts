import type {
  ApiKeyId,
  CreateAgent,
  CreateApiKey,
  CreateConnector,
  contract,
  Handlers,
  HireAgent,
  Operation,
} from '@ars/contract'
import { apiKeyApi, createAccess, sessionTokenApi, sessionTokenSweep } from './access/index.ts'
import { agentApi, createAgents, createSteps } from './agents/index.ts'
import { auditApi, createAudit } from './audit/index.ts'
import { builtInCatalogFolder, catalogApi, catalogLimits, createCatalog } from './catalog/index.ts'
import type { Config } from './config.ts'
import { connectorApi, createConnectors } from './connectors/index.ts'
import type { Ctx } from './ctx.ts'
import { createDeployments, deploymentApi, rollbackSweep } from './deployments/index.ts'
import { createEvents, eventApi } from './events/index.ts'
import { createGuardrails } from './guardrails/index.ts'
import { createLimits } from './limits/index.ts'
import { createModelList, createModels, createSchemas } from './models/index.ts'
import type { Parts } from './parts.ts'
import { authApi, createPeople, memberApi, peopleSweep, scopesOfRole, sessionApi } from './people/index.ts'
import type { Replays } from './replay.ts'
import { createRunGateway, createRunWorker, type StepFigures } from './runs/index.ts'
import { createSecrets } from './secrets/index.ts'
import { type AttemptFigures, createWebhooks, createWebhookWorker } from './webhooks/index.ts'

export type { Parts } from './parts.ts'
export type { Replays } from './replay.ts'

/** One handler for each operation of the contract; one that is missing does not compile. */
export type ContractHandlers = { [Resource in keyof typeof contract]: Handlers<(typeof contract)[Resource], Ctx> }

/** The gateway's half of the product: one line per slice. */
export const createGatewayCore = (parts: Parts) => {
  const access = createAccess({ ...parts, scopesOfRole, plainHttpKey: parts.config.plainHttpKey })
  const people = createPeople({ ...parts, forgetTokens: access.forget })
  const limits = createLimits(parts)
  const schemas = createSchemas(parts.clock)
  const models = createModelList({ modelsFile: parts.config.modelsFile })
  const patient = createSchemas(parts.clock, catalogLimits)
  const catalog = createCatalog({ ...parts, ...catalogOf(parts.config), models, schemas: patient })
  const agents = createAgents({ ...parts, catalog, models, schemas })
  const deployments = createDeployments({ ...parts, agents })
  const connectors = createConnectors(parts)
  const runs = createRunGateway(parts, { agents, schemas })
  const events = createEvents({ ...parts, readRuns: runs.readRuns })
  const webhooks = createWebhooks(parts, { events })
  const handlers: ContractHandlers = {
    runs: runs.api,
    agents: agentApi(agents),
    catalog: catalogApi(catalog),
    deployments: deploymentApi(deployments),
    connectors: connectorApi(connectors),
    webhooks: webhooks.api,
    events: eventApi(events),
    apiKeys: apiKeyApi(access.keys),
    sessionTokens: sessionTokenApi(access.tokens),
    auth: authApi(people),
    sessions: sessionApi(people),
    members: memberApi(people),
    auditLog: auditApi(createAudit(parts)),
  }
  const replays: Replays = {
    ...runs.replays,
    ...webhooks.replays,
    'agents.create': (ctx, body: CreateAgent) => agents.findReplay(ctx, { way: 'create', body }),
    'agents.hire': (ctx, body: AskedHire) => agents.findReplay(ctx, { way: 'hire', body }),
    'connectors.create': (ctx, body: CreateConnector) => connectors.findReplay(ctx, body),
    'apiKeys.create': (ctx, body: CreateApiKey) => access.keys.findReplay(ctx, body),
    'apiKeys.rotate': (ctx, body: { id: ApiKeyId }) => access.keys.findReplay(ctx, body),
  }
  return {
    access,
    people,
    limits,
    agents,
    handlers,
    replays,
    checks: [passGuardrails],
    close: async () => {
      runs.close()
      events.close()
      await Promise.all([access.close(), people.close(), limits.close()])
    },
  }
}

type AskedHire = HireAgent & { catalog_key: string }

/** Ours first, then the operator's own. */
const catalogOf = ({ catalogFolder, catalogModel }: Config) => ({
  folders: [builtInCatalogFolder, ...(catalogFolder === undefined ? [] : [catalogFolder])],
  catalogModel,
})

/** What stands between a parsed request and its handler; it refuses by throwing a fault. */
export type Check = (ctx: Ctx, operation: Operation, input: unknown) => Promise<void>

// Nothing is forbidden until policies exist; their check takes this place.
const passGuardrails: Check = () => Promise.resolve()

/** What a worker tells its metrics. */
export type WorkerFigures = { onStep(figures: StepFigures): void; onAttempt(figures: AttemptFigures): void }

/** The worker's half. */
export const createWorkerCore = (parts: Parts, { onStep, onAttempt }: WorkerFigures) => {
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
  const events = createEvents({ ...parts, app, readRuns: runs.readRuns })
  const webhooks = createWebhookWorker(parts, { events, onAttempt })
  return {
    ...runs,
    webhooks,
    sweeps: [...runs.sweeps, ...webhooks.sweeps, peopleSweep(parts), sessionTokenSweep(parts), rollbackSweep(parts)],
    listen: async () => {
      await Promise.all([runs.listen(), webhooks.listen()])
    },
    drain: () => {
      runs.drain()
      webhooks.drain()
    },
    isIdle: () => runs.isIdle() && webhooks.isIdle(),
    close: async () => {
      runs.close()
      events.close()
      await models.close()
    },
  }
}
