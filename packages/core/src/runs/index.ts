import { createCoalesced } from '@ars/platform/coalesced'
import type { RunShareService } from '../access/index.ts'
import { type AgentService, createAgentLookup } from '../agents/index.ts'
import { storageLimitsOf } from '../config.ts'
import type { HistoryWatch } from '../events/index.ts'
import { Fault } from '../fault.ts'
import type { Guards } from '../guardrails/index.ts'
import type { GatewayParts, Parts } from '../parts.ts'
import type { Schemas } from '../schemas/index.ts'
import type { SecretService } from '../secrets/index.ts'
import type { StepService } from '../steps/index.ts'
import { createRunCreation } from './accept/create-run.service.ts'
import { createActions } from './control/action.service.ts'
import { budgetSweep } from './control/budget.sweep.ts'
import { createCancels } from './control/cancel.service.ts'
import { deadlineSweep } from './control/deadline.sweep.ts'
import { outboxLagMs } from './dispatch/dispatch.store.ts'
import { createDispatcher } from './dispatch/dispatcher.service.ts'
import { createEngineProbe } from './dispatch/engine-probe.sweep.ts'
import { engineProbeWorkflow } from './dispatch/engine-probe.workflow.ts'
import { lostSweep } from './dispatch/lost.sweep.ts'
import { reconcileSweep } from './dispatch/reconcile.sweep.ts'
import { createRegistration } from './dispatch/registration.service.ts'
import { relaySweep } from './dispatch/relay.sweep.ts'
import { createStopRequests, inFlightSweep } from './execute/in-flight.sweep.ts'
import { createInFlight } from './execute/in-flight.ts'
import { runWorkflow } from './execute/run.workflow.ts'
import { createSegments, type StepMetrics } from './execute/segment.service.ts'
import { createDeltas } from './feed/delta.service.ts'
import { createFeed } from './feed/feed.service.ts'
import { createStreams } from './feed/stream.service.ts'
import { createAdmission } from './queue/admission.service.ts'
import { admissionSweep, cellSweep } from './queue/admission.sweep.ts'
import { queueChannel, stopChannel } from './queue/queue.ts'
import { createReadRuns } from './read/read-runs.service.ts'
import { createRunAccess } from './read/run-access.service.ts'
import { countAdmitted, countRuns } from './read/run-count.store.ts'
import { createRunReader } from './read/run-reader.service.ts'
import { createViews } from './read/view.service.ts'
import { runOfPipeline } from './run/accessible-run.ts'
import { eraseRunData } from './run/erase.store.ts'
import { findRun } from './run/run.store.ts'
import { toWireRun } from './run/run.ts'
import { createEndNotes } from './run/run-end.service.ts'
import type { OnEnded } from './run/run-end.ts'
import { runApi, runReplays } from './run.api.ts'

export { engineProbeTarget } from './dispatch/engine-probe.ts'
export type { StepMetrics } from './execute/segment.service.ts'
export { stopChannel } from './queue/queue.ts'
export { listRuns } from './read/list.store.ts'
export { createPastRuns } from './read/past-runs.service.ts'
export type { ReadRuns } from './read/read-runs.service.ts'
export { readRunStates } from './read/run-state.store.ts'
export type { AccessibleRun } from './run/accessible-run.ts'
export { heldSecrets } from './run/held-secret.store.ts'
export { findRun } from './run/run.store.ts'
export type { OnEnded } from './run/run-end.ts'

/** The gateway's part of runs. */
export const createRunGateway = (
  parts: GatewayParts,
  {
    agents,
    schemas,
    guards,
    secrets,
    shares,
    onEnded,
    onBudgetRefusal,
    history,
  }: {
    agents: AgentService
    schemas: Schemas
    guards: Guards
    secrets: SecretService
    shares: RunShareService
    onEnded: OnEnded
    onBudgetRefusal?: (() => void) | undefined
    history?: Pick<HistoryWatch, 'onWentBack' | 'onClosed'> | undefined
  },
) => {
  const feed = createFeed({ ...parts, history })
  const dispatcher = createDispatcher(parts)
  const { relayAfterMs, cellSlots, cancelGraceMs, simulatedModels } = parts.config
  const onLeft = () => parts.pubSub.publish(queueChannel, '')
  const admission = createAdmission({ ...parts, db: parts.app, dispatcher, cellSlots, relayAfterMs, onLeft })
  const storageLimits = storageLimitsOf(parts.config)
  const deps = {
    ...parts,
    agents,
    schemas,
    guards,
    secrets,
    shares,
    onBudgetRefusal,
    feed,
    admission,
    relayAfterMs,
    cellSlots,
    cancelGraceMs,
    storageLimits,
    simulatedModels,
    noteEnd: createEndNotes({ log: parts.log, onEnded }),
  }
  const readRun = async (org: string, run: string) => {
    const found = await findRun(parts.app, org, run)
    return found && toWireRun(found)
  }
  const services = {
    creation: createRunCreation(deps),
    reader: createRunReader(deps),
    streams: createStreams({ ...deps, readRun }),
    actions: createActions(deps),
    cancels: createCancels(deps),
    views: createViews(deps),
    shares,
  }
  return {
    api: runApi(services),
    replays: runReplays(services),
    /** Resolves an id to a run that the caller may touch. */
    get: createRunAccess(deps),
    readRuns: createReadRuns(parts),
    /** Refuses an agent and an input that a run could not start with now. */
    requireStart: services.creation.requireStart,
    /** Erases the data of a run that has ended, and the copies of the events whose subject has this UUID. */
    eraseData: (org: string, id: string) => eraseRunData(parts.app, org, id),
    /** Requests that wait for the end of a run. */
    callsWaiting: services.creation.waiting,
    close: () => feed.close(),
  }
}

/** Messages over Redis may be forged, so a flood of them must not become a flood of queries. */
const nudgesEveryMs = 20

/** The worker's part of runs: handlers for the engine, and periodic jobs. */
export const createRunWorker = (
  parts: Parts,
  steps: StepService,
  {
    guards,
    schemas,
    secrets,
    onStep,
    onLost,
    onEnded,
  }: {
    guards: Guards
    schemas: Schemas
    secrets: SecretService
    onStep: (metrics: StepMetrics) => void
    onLost: () => void
    onEnded: OnEnded
  },
) => {
  const { config } = parts
  const { cellSlots, relayAfterMs } = config
  const feed = createFeed(parts)
  const dispatcher = createDispatcher(parts)
  const inFlight = createInFlight()
  const noteEnd = createEndNotes({ log: parts.log, onEnded })
  const registration = createRegistration({ ...parts, workerUrl: config.workerUrl })
  const admission = createAdmission({ ...parts, db: parts.system, dispatcher, cellSlots, relayAfterMs })
  const stopRequests = createStopRequests({ ...parts, inFlight })
  const nudges = createCoalesced({
    work: admission.nudge,
    everyMs: nudgesEveryMs,
    onError: (error) => parts.log.warn('runs could not be admitted', { error }),
  })
  const deltas = createDeltas({ ...parts, app: parts.steps, feed })
  const segments = createSegments({
    ...parts,
    app: parts.steps,
    steps,
    guards,
    secrets,
    feed,
    deltas,
    dispatcher,
    admission,
    inFlight,
    historyBytesMax: config.historyBytesMax,
    onStep,
    noteEnd,
  })
  const ofPipelines = createPipelineRuns({
    ...parts,
    app: parts.steps,
    ...{ schemas, guards, secrets, feed, admission, relayAfterMs, cellSlots, noteEnd },
    agents: createAgentLookup({ app: parts.steps }),
    storageLimits: storageLimitsOf(config),
    ...{ cancelGraceMs: config.cancelGraceMs, simulatedModels: config.simulatedModels },
  })
  const engineProbe = createEngineProbe({ ...parts, registration, partitionCount: config.enginePartitions })
  return {
    workflows: [runWorkflow(segments), engineProbeWorkflow()],
    sweeps: [
      cellSweep(parts),
      admissionSweep({ admission }),
      relaySweep({ ...parts, dispatcher, registration, relayAfterMs }),
      deadlineSweep({ ...parts, feed, admission, noteEnd, retentionDays: config.retentionDays }),
      inFlightSweep({ ...parts, inFlight }),
      budgetSweep({ ...parts, feed, admission }),
      engineProbe.sweep,
      reconcileSweep({
        ...parts,
        dispatcher,
        health: engineProbe.health,
        partitionCount: config.enginePartitions,
        quietMs: config.reconcileAfterMs,
      }),
      lostSweep({ ...parts, dispatcher, health: engineProbe.health, onLost }),
    ],
    readRuns: createReadRuns({ app: parts.steps }),
    ofPipelines,
    registration,
    health: engineProbe.health,
    listen: async () => {
      await parts.pubSub.subscribe(stopChannel, stopRequests.hear)
      await parts.pubSub.subscribe(queueChannel, nudges.call)
    },
    drain: () => segments.drain(),
    isIdle: () => inFlight.list().length === 0,
    keptHistoryBytes: segments.keptHistoryBytes,
    countRuns: () => countRuns(parts.system),
    countAdmitted: () => countAdmitted(parts.system),
    outboxLagMs: () => outboxLagMs(parts.system),
    close: () => {
      stopRequests.close()
      nudges.close()
      feed.close()
    },
  }
}

/** What pipeline runs, schedules and batches do with runs. */
const createPipelineRuns = (deps: Parameters<typeof createRunCreation>[0] & Parameters<typeof createCancels>[0]) => {
  const { acceptItem, accept } = createRunCreation(deps)
  const { cancel } = createCancels(deps)
  return {
    acceptItem,
    /** Answers the UUID of the run. */
    accept: async (...asked: Parameters<typeof accept>): Promise<{ runId: string }> => ({
      runId: (await accept(...asked)).run.uuid,
    }),
    erase: (org: string, runId: string): Promise<void> => eraseRunData(deps.app, org, runId),
    /** Idempotent. A run that is no longer kept has ended. */
    cancel: async (org: string, runId: string): Promise<void> => {
      try {
        await cancel({ org }, runOfPipeline(runId))
      } catch (error) {
        if (!(error instanceof Fault && error.code === 'not_found')) throw error
      }
    },
  }
}
