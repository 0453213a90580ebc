import type {
  ApiKeyId,
  CreateAgent,
  CreateApiKey,
  CreateConnector,
  contract,
  Handlers,
  HireAgent,
  Named,
} from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { fromUuid, toUuid } from '@ars/platform/id'
import { createWorkLoop } from '@ars/platform/work/loop'
import type { WorkMetrics } from '@ars/platform/work/queue'
import {
  apiKeyApi,
  apiKeySweep,
  createAccess,
  createCallerOf,
  createOrganisationDetails,
  organisationApi,
  sessionTokenApi,
  storageSweep,
} from './access/index.ts'
import type { AllowedAgents } from './agent-access.ts'
import { type AccessibleAgent, agentApi, createAgents, createAgentWatch, createPrompts } from './agents/index.ts'
import {
  alertApi,
  alertReplays,
  alertRuleApi,
  alertSweep,
  createAlertRules,
  createAlerts,
  readRuleMetrics,
} from './alerts/index.ts'
import { auditApi, createAudit, createRefusalNotes } from './audit/index.ts'
import { batchApi, batchReplays, createBatches, createBatchStart, createBatchWorker } from './batches/index.ts'
import {
  budgetApi,
  chargeBudgets,
  createBudgets,
  findBudgetRefusal,
  listUsedUp,
  reachedSweep,
} from './budgets/index.ts'
import { builtInCatalogFolder, catalogApi, createCatalog } from './catalog/index.ts'
import { type Config, storageLimitsOf } from './config.ts'
import { connectorApi, countToolsOff, createConnectors, type ToolChange } from './connectors/index.ts'
import type { Ctx } from './ctx.ts'
import { type AccessibleDeployment, createDeployments, deploymentApi, rollbackSweep } from './deployments/index.ts'
import {
  countUnassigned,
  createEvents,
  createHistoryWatch,
  eventApi,
  eventEpochSweep,
  eventPositionSweep,
} from './events/index.ts'
import {
  createAttachments,
  createChecks,
  createExpressions,
  createGuardrails,
  createPolicies,
  createTextGuard,
  createTrialQueue,
  createTrials,
  type Guards,
  policyApi,
  policyReplays,
  policyTemplateApi,
  type RemoteCheckCall,
  shadowSweep,
  trialApi,
  trialBounds,
  trialReplays,
} from './guardrails/index.ts'
import { createLimits } from './limits/index.ts'
import {
  createAlertDestinations,
  createDesk,
  createMailChoices,
  createMailWorker,
  destinationApi,
  type OnMailEnded,
  type OnMailHeld,
} from './mail/index.ts'
import {
  createModelList,
  createModels,
  createOwnKeys,
  createProviderKeys,
  type ModelCallMetrics,
  modelApi,
  type OnFallback,
  type OutsideFile,
  providerKeyApi,
} from './models/index.ts'
import { createResolve } from './named.ts'
import type { GatewayParts, Parts } from './parts.ts'
import { authApi, createPeople, memberApi, scopesOfRole, sessionApi } from './people/index.ts'
import {
  createItemStart,
  createPipelineExpressions,
  createPipelineReader,
  createPipelineRuns,
  createPipelineRunView,
  createPipelineStartCheck,
  createPipelineStreams,
  createPipelines,
  createPipelineWorker,
  type PipelineMetrics,
  pipelineApi,
  pipelineReplays,
  pipelineRunApi,
  pipelineRunReplays,
  readPipelineStates,
} from './pipelines/index.ts'
import { createInputTemplates } from './prompts/index.ts'
import type { Replays } from './replay.ts'
import { oldRowsSweep, partitionSweep, readDays, retentionSweep } from './retention/index.ts'
import {
  type AccessibleRun,
  createPastRuns,
  createRunGateway,
  createRunWorker,
  type OnEnded,
  type ReadRuns,
  readRunStates,
  type StepMetrics,
} from './runs/index.ts'
import {
  createSchedules,
  createScheduleWorker,
  createTargetStart,
  type FiringOutcome,
  type ScheduleTarget,
  scheduleApi,
  scheduleReplays,
} from './schedules/index.ts'
import { createSchemas, createValidator, type Schemas } from './schemas/index.ts'
import { createSecrets } from './secrets/index.ts'
import { createStepChecks, createSteps } from './steps/index.ts'
import { unattended } from './unattended.ts'
import {
  analyticsApi,
  countEndedRuns,
  createAnalytics,
  createUsage,
  createWorkUses,
  findAsOf,
  noteBlocked,
  readUsageLag,
  rollupSweep,
  usageApi,
} from './usage/index.ts'
import { type AttemptMetrics, createWebhooks, createWebhookWorker } from './webhooks/index.ts'

export type { ResolveNamed } from './named.ts'
export { type GatewayParts, type Parts, threadProgram } from './parts.ts'
export type { Replays } from './replay.ts'
/** Here all slices are loaded, so that it knows all queues. */
export { readWork, type WorkShare } from './usage/index.ts'

/** One handler per operation of the contract; a missing one does not compile. */
export type ContractHandlers = {
  [Resource in keyof typeof contract]: Handlers<(typeof contract)[Resource], Ctx, Things>
}

/** What each name of the contract is resolved to, under the caller's access. */
type Things = {
  agent: AccessibleAgent
  run: AccessibleRun
  deployment: AccessibleDeployment
  agents: AllowedAgents
} & Record<Named, unknown>

/** The gateway's part of the product: one line per slice. */
export const createGatewayCore = (
  parts: GatewayParts,
  { onEnded, onBudgetRefusal, onRemoteCheck, onMailHeld }: GatewayMetrics = unmeasured,
) => {
  // First, because a broken file throws: nothing is open yet that would have to be closed.
  const { modelsFile, simulatedModels } = parts.config
  const outside = outsideOf(parts)
  const models = createModelList({ modelsFile, simulatedModels, outside })
  const access = createAccess({ ...parts, scopesOfRole, ...accessSettings(parts.config) })
  const people = createPeople({
    ...parts,
    keys: access.tree,
    forgetTokens: access.forget,
    mail: createDesk(parts, onMailHeld),
  })
  const limits = createLimits(parts)
  const refusals = createRefusalNotes(parts)
  const schemas = createSchemas(parts)
  const catalog = createCatalog({
    ...parts,
    ...catalogOf(parts.config),
    // The built-in entries may name simulated models, even if no agent may use them.
    models: createModelList({ modelsFile, outside }),
    validator: createValidator(),
  })
  const templates = createInputTemplates(parts)
  const secrets = createSecrets(parts)
  const providerKeys = createProviderKeys({ ...parts, secrets })
  const modelsOf = async (org: string) => models.withKeysOf(await providerKeys.providersOf(org))
  const agents = createAgents({ ...parts, catalog, models, modelsOf, schemas, templates })
  const deployments = createDeployments({ ...parts, agents, watchAgent: createAgentWatch(parts) })
  const connectors = createConnectors(parts)
  // For rules that ask a model. Most gateways have no such rule, and need no key of a provider.
  const judges = createModels({ ...parts, ...parts.config, modelsFile, needsKeys: false })
  const guards = createGuardrails({ ...parts, models: judges, secrets, onRemoteCheck })
  const history = createHistoryWatch(parts)
  const runs = createRunGateway(parts, {
    agents,
    schemas,
    guards,
    secrets,
    shares: access.shares,
    onEnded,
    onBudgetRefusal,
    history,
  })
  const texts = textGuardOf({ app: parts.app, guards, onBudgetRefusal })
  const readPipelineRuns = createPipelineReader(parts)
  const events = createEvents({ ...parts, history, readRuns: runs.readRuns, readPipelineRuns })
  const pipelines = createPipelines({ ...parts, schemas, check: createPipelineExpressions(parts).check })
  const pipelineRunView = pipelineRunViewOf({ ...parts, readRuns: runs.readRuns })
  const pipelineRuns = pipelineRunsOf({ ...parts, schemas, texts, view: pipelineRunView, eraseRun: runs.eraseData })
  const pipelineStreams = createPipelineStreams({ ...parts, view: pipelineRunView })
  const requirePipeline = createPipelineStartCheck(parts)
  const schedules = createSchedules({
    ...parts,
    texts,
    requireTarget: async (caller, { kind, id }, input) => {
      if (kind === 'pipeline') return requirePipeline(caller, id)
      return runs.requireStart(unattended(caller, { requestId: '' }), { agent_id: fromUuid('ag', id), input })
    },
  })
  const batches = createBatches({ ...parts, texts, agents, storageLimits: storageLimitsOf(parts.config) })
  const webhooks = createWebhooks(parts, { events })
  const alertRules = createAlertRules({ ...parts, agents })
  const destinations = createAlertDestinations(parts)
  // Callers are cached with the policies in force.
  const onChanged = (org: string): void => {
    access.forget(org)
    people.forgetOrganisation(org)
  }
  const policies = createPolicies({
    ...parts,
    models,
    schemas,
    secrets,
    expressions: createExpressions(parts),
    ownUrl: new URL(parts.config.publicUrl),
    onChanged,
  })
  const attachments = createAttachments({ ...parts, agents, keys: access.keys, onChanged })
  const trials = createTrials({ ...parts, agents })
  const handlers: ContractHandlers = {
    runs: runs.api,
    agents: agentApi(agents, createPrompts({ agents, schemas, templates, texts })),
    catalog: catalogApi(catalog),
    models: modelApi(models, providerKeys),
    providerKeys: providerKeyApi(providerKeys),
    deployments: deploymentApi(deployments),
    connectors: connectorApi(connectors),
    webhooks: webhooks.api,
    events: eventApi(events),
    apiKeys: apiKeyApi(access.keys),
    sessionTokens: sessionTokenApi(access.tokens),
    auth: authApi(people),
    sessions: sessionApi(people),
    organisation: organisationApi(createOrganisationDetails({ ...parts, forget: access.forget })),
    members: memberApi(people, createMailChoices(parts)),
    alertDestinations: destinationApi(destinations),
    auditLog: auditApi(createAudit(parts)),
    usage: usageApi(createUsage({ ...parts, storageBytes: storageLimitsOf(parts.config) })),
    analytics: analyticsApi(createAnalytics(parts)),
    alertRules: alertRuleApi(alertRules),
    alerts: alertApi(createAlerts({ ...parts, agents })),
    budgets: budgetApi(createBudgets(parts)),
    policies: policyApi(policies, attachments),
    policyTemplates: policyTemplateApi(),
    policyTrials: trialApi(trials),
    pipelines: pipelineApi(pipelines),
    pipelineRuns: pipelineRunApi({ runs: pipelineRuns, streams: pipelineStreams }),
    schedules: scheduleApi(schedules),
    batches: batchApi(batches),
  }
  const resolve = createResolve<Things>({
    agent: agents.get,
    run: runs.get,
    deployment: deployments.get,
    agents: agents.allowedAgents,
  })
  const replays: Replays = {
    ...runs.replays,
    ...webhooks.replays,
    ...alertReplays(alertRules),
    ...policyReplays(policies, attachments),
    ...trialReplays(trials),
    ...pipelineReplays(pipelines),
    ...pipelineRunReplays(pipelineRuns),
    ...scheduleReplays(schedules),
    ...batchReplays(batches),
    'alertDestinations.create': (ctx, body: Parameters<typeof destinations.findReplay>[1]) =>
      destinations.findReplay(ctx, body),
    'agents.create': (ctx, body: CreateAgent) => agents.findReplay(ctx, { way: 'create', body }),
    'agents.hire': (ctx, body: AskedHire) => agents.findReplay(ctx, { way: 'hire', body }),
    'agents.rotateSigningSecret': (ctx, body: { overlap_hours?: number }, agent: AccessibleAgent) =>
      agents.findRotation(ctx, body, agent),
    'connectors.create': (ctx, body: CreateConnector) => connectors.findReplay(ctx, body),
    'apiKeys.create': (ctx, body: CreateApiKey) => access.keys.findReplay(ctx, body),
    'apiKeys.rotate': (ctx, body: { id: ApiKeyId }) => access.keys.findReplay(ctx, body),
  }
  return {
    callsWaiting: runs.callsWaiting,
    access,
    people,
    limits,
    agents,
    handlers,
    resolve,
    replays,
    /** Records a sample of the requests that were refused for lack of permission. */
    noteRefusal: refusals.note,
    close: async () => {
      history.close()
      runs.close()
      events.close()
      pipelineStreams.close()
      await Promise.all([judges.close(), access.close(), people.close(), limits.close(), refusals.close()])
    },
  }
}

/** Judges text that belongs to no run. */
const textGuardOf = ({
  app,
  guards,
  onBudgetRefusal,
}: {
  app: Database
  guards: Guards
  onBudgetRefusal?: (() => void) | undefined
}) =>
  createTextGuard({
    guards,
    onRefused: (org) => noteBlocked(app, org),
    onBudgetRefusal,
    budgets: {
      // The answer is stored with a pipeline run, where others read it.
      findRefusal: (org, ids, actions) => findBudgetRefusal(app, org, { ids, actions, amounts: () => false }),
      charge: (org, { subjectIds, costUsd }) =>
        app.transaction(org, (tx) => chargeBudgets(tx, org, { subjectIds, costUsd })),
    },
  })

const pipelineRunViewOf = ({ app, readRuns }: { app: Database; readRuns: ReadRuns }) =>
  createPipelineRunView({
    app,
    actionsOfRuns: async (org, ids) =>
      new Map([...(await readRuns(org, ids))].map(([id, run]) => [id, run.required_actions])),
  })

/** Of the gateway, and of a worker, in which schedules start them. */
const pipelineRunsOf = (
  deps: Omit<Parameters<typeof createPipelineRuns>[0], 'checkPayload' | 'storageLimits'> & {
    config: Config
    schemas: Schemas
  },
) =>
  createPipelineRuns({
    ...deps,
    storageLimits: storageLimitsOf(deps.config),
    checkPayload: (org, schema, value) => deps.schemas.faultsOf(org, schema, { value, field: 'payload' }),
  })

/** What became of the runs and pipeline runs that schedules have started. */
const readTargetStates = async (app: Database, org: string, started: readonly ScheduleTarget[]) => {
  const idsOf = (kind: ScheduleTarget['kind']): string[] =>
    started.flatMap((target) => (target.kind === kind ? [target.id] : []))
  const states = await Promise.all([
    readRunStates(app, org, idsOf('agent')),
    readPipelineStates(app, org, idsOf('pipeline')),
  ])
  return new Map(states.flat().map((state) => [state.id, state]))
}

/** The models that the settings enable beside `models.yaml`. */
export const outsideOf = ({ config, environment }: Pick<GatewayParts, 'config' | 'environment'>): OutsideFile => ({
  environment,
  vendorKeys: config.modelKeysFromEnvironment === 'on',
  localUrl: config.localModelUrl,
})

const accessSettings = ({ plainHttpKey, sessionTokens, publicUrl }: Config) => ({
  plainHttpKey,
  sessionTokens,
  publicUrl,
})

type AskedHire = HireAgent & { catalog_key: string }

/** The built-in catalog first, then the operator's. */
const catalogOf = ({ catalogFolder, catalogModel }: Config) => ({
  folders: [builtInCatalogFolder, ...(catalogFolder === undefined ? [] : [catalogFolder])],
  catalogModel,
})

/** What a gateway reports to its metrics. */
export type GatewayMetrics = {
  onEnded: OnEnded
  onBudgetRefusal?: () => void
  onRemoteCheck?: (call: RemoteCheckCall) => void
  onMailHeld?: OnMailHeld
}

const unmeasured: GatewayMetrics = { onEnded: () => undefined }

/** What a worker reports to its metrics. */
export type WorkerMetrics = GatewayMetrics & {
  onStep(metrics: StepMetrics): void
  onLost(): void
  onModelCall(call: ModelCallMetrics): void
  onModelFallback: OnFallback
  onAttempt(metrics: AttemptMetrics): void
  onToolsOff(changes: readonly ToolChange[]): void
  onMailEnded: OnMailEnded
  onRulesEvaluated(rules: number): void
  onFired(outcome: FiringOutcome): void
} & PipelineMetrics &
  WorkMetrics

/** The worker's part of the product. */
export const createWorkerCore = (parts: Parts, given: WorkerMetrics) => {
  const workUses = createWorkUses(parts)
  const metrics: WorkerMetrics = {
    ...given,
    onTurn: (...turn) => {
      given.onTurn(...turn)
      workUses.onTurn(...turn)
    },
  }
  const { onStep, onLost, onEnded, onModelCall, onModelFallback, onAttempt, onToolsOff, onRulesEvaluated } = metrics
  const { config, steps: app } = parts
  const models = createModels({
    ...parts,
    ...config,
    modelsFile: config.modelsFile,
    onCall: onModelCall,
    onFallback: onModelFallback,
    testing: config.testStack ? { ledgerFile: config.testLedgerFile } : undefined,
  })
  const schemas = createSchemas(parts)
  const secrets = createSecrets({ ...parts, app })
  const guards = createGuardrails({ ...parts, app, models, secrets, onRemoteCheck: metrics.onRemoteCheck })
  const steps = createSteps({
    ...parts,
    app,
    models,
    connectors: createConnectors({ ...parts, app, onToolsOff }),
    secrets,
    ownKeys: createOwnKeys({ app, secrets }),
    checks: createStepChecks(schemas, createInputTemplates(parts)),
  })
  const runs = createRunWorker(parts, steps, { guards, schemas, secrets, onStep, onLost, onEnded })
  const texts = textGuardOf({ app, guards })
  const callerOf = createCallerOf({ app, scopesOfRole })
  const pipelines = createPipelineWorker(parts, {
    expressions: createPipelineExpressions(parts),
    startRun: createItemStart({ ...runs.ofPipelines, callerOf }),
    cancelRun: runs.ofPipelines.cancel,
    texts,
    metrics,
  })
  const pipelineRuns = pipelineRunsOf({
    ...parts,
    ...{ app, schemas, texts },
    view: pipelineRunViewOf({ app, readRuns: runs.readRuns }),
    eraseRun: runs.ofPipelines.erase,
  })
  const schedules = createScheduleWorker(parts, {
    start: createTargetStart({
      acceptRun: runs.ofPipelines.accept,
      acceptPipelineRun: async (ctx, body) => ({
        pipelineRunId: toUuid((await pipelineRuns.create(ctx, body)).body.id),
      }),
    }),
    callerOf,
    statesOf: (org, started) => readTargetStates(app, org, started),
    onFired: metrics.onFired,
    metrics,
  })
  const batches = createBatchWorker(parts, {
    callerOf,
    start: createBatchStart({ acceptRun: runs.ofPipelines.accept }),
    cancelRun: runs.ofPipelines.cancel,
    eraseRun: runs.ofPipelines.erase,
    metrics,
  })
  const events = createEvents({
    ...parts,
    app,
    readRuns: runs.readRuns,
    readPipelineRuns: createPipelineReader({ app }),
  })
  const webhooks = createWebhookWorker(parts, { events, onAttempt, metrics })
  const mail = createMailWorker(parts, metrics)
  const trials = createTrialQueue({
    ...parts,
    app,
    checks: createChecks({ ...parts, app, models, secrets, onRemoteCheck: metrics.onRemoteCheck }),
    pastRuns: createPastRuns({ app }),
    countEnded: (org, period) => countEndedRuns(app, org, period),
    retentionDays: config.retentionDays,
    budgets: {
      charge: chargeBudgets,
      isUsedUp: async (org, ids) => (await listUsedUp(app, org, { ids, actions: ['refuse', 'park'] })).length > 0,
    },
  })
  /** Work of many organisations, which takes as long as a customer's rules and servers make it. */
  const loops = [
    pipelines.loop,
    schedules.loop,
    batches.loop,
    ...mail.loops,
    ...webhooks.loops,
    createWorkLoop(trials, trialBounds, { ...parts, metrics }),
  ]
  return {
    ...runs,
    webhooks,
    countWaitingMails: mail.countWaiting,
    usageLagSeconds: () => readUsageLag(parts.system),
    countUnassignedEvents: () => countUnassigned(parts.deliveries),
    readPipelineGauges: pipelines.readGauges,
    scheduleLagSeconds: schedules.lagSeconds,
    countWaitingItems: batches.countWaitingItems,
    countToolsOff: () => countToolsOff(parts.system),
    readRuleMetrics: () => readRuleMetrics(parts.system),
    readDays: () => readDays(parts.system),
    sweeps: [
      ...runs.sweeps,
      eventEpochSweep(parts),
      eventPositionSweep({
        ...parts,
        listeners: [webhooks, mail, pipelines, batches, schedules].map(({ onEvents }) => onEvents),
      }),
      ...schedules.sweeps,
      ...webhooks.sweeps,
      storageSweep({ ...parts, retentionDays: config.retentionDays }),
      apiKeySweep(parts),
      rollbackSweep({ ...parts, watchAgent: createAgentWatch(parts) }),
      alertSweep({ ...parts, onEvaluated: onRulesEvaluated }),
      oldRowsSweep({ ...parts, retentionDays: config.retentionDays }),
      partitionSweep({ ...parts, retentionDays: config.retentionDays }),
      retentionSweep({
        ...parts,
        keep: { days: config.retentionDays, deltaHours: config.deltaRetentionHours },
        endOldDeliveries: webhooks.endOldDeliveries,
        countedUntil: () => findAsOf(parts.system, null),
      }),
      rollupSweep(parts),
      workUses.sweep,
      reachedSweep(parts),
      shadowSweep(parts),
    ],
    loops,
    listen: async () => {
      await Promise.all([runs.listen(), webhooks.listen(), pipelines.listen()])
    },
    drain: () => {
      runs.drain()
      webhooks.drain()
      pipelines.drain()
      for (const loop of loops) loop.drain()
    },
    isIdle: () => runs.isIdle() && loops.every((loop) => loop.isIdle()),
    close: async () => {
      runs.close()
      events.close()
      await models.close()
    },
  }
}
