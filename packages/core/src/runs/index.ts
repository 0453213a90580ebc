import type { AgentService, StepService } from '../agents/index.ts'
import type { Schemas } from '../models/index.ts'
import type { Parts } from '../parts.ts'
import { createActions } from './action.service.ts'
import { createAdmission } from './admission.service.ts'
import { admissionSweep, slotSweep } from './admission.sweep.ts'
import { createCanary } from './canary.sweep.ts'
import { canaryWorkflow } from './canary.workflow.ts'
import { createCancels } from './cancel.service.ts'
import { deadlineSweep } from './deadline.sweep.ts'
import { createDeltas } from './delta.service.ts'
import { executingSweep } from './executing.sweep.ts'
import { createExecuting } from './executing.ts'
import { createFeed } from './feed.service.ts'
import { expiredKeySweep, partitionSweep, retentionSweep } from './housekeeping.sweep.ts'
import { mismatchSweep } from './mismatch.sweep.ts'
import { queueChannel, stopChannel } from './queue.ts'
import { createReadRuns } from './read-runs.service.ts'
import { reconcileSweep } from './reconcile.sweep.ts'
import { createRegistration } from './registration.service.ts'
import { relaySweep } from './relay.sweep.ts'
import { runApi, runReplays } from './run.api.ts'
import { createRuns } from './run.service.ts'
import { findRun } from './run.store.ts'
import { toWire } from './run.ts'
import { runWorkflow } from './run.workflow.ts'
import { createRunReach } from './run-reach.service.ts'
import { createSegments, type StepFigures } from './segment.service.ts'
import { createSender } from './sender.service.ts'
import { createStreams } from './stream.service.ts'
import { countRuns, outboxLagMs } from './sweep.store.ts'
import { createViews } from './view.service.ts'

export { canaryTarget } from './canary.ts'
export { listRuns } from './list.store.ts'
export { findRun } from './run.store.ts'
export type { StepFigures } from './segment.service.ts'

/** What a gateway needs of runs. */
export const createRunGateway = (parts: Parts, { agents, schemas }: { agents: AgentService; schemas: Schemas }) => {
  const feed = createFeed(parts)
  const sender = createSender(parts)
  const { relayAfterMs, cellSlots, cancelGraceMs } = parts.config
  const deps = { ...parts, agents, schemas, feed, sender, relayAfterMs, cellSlots, cancelGraceMs }
  const readRun = async (org: string, run: string) => {
    const found = await findRun(parts.app, org, run)
    return found && toWire(found)
  }
  const services = {
    runs: createRuns(deps),
    streams: createStreams({ ...deps, readRun }),
    actions: createActions(deps),
    cancels: createCancels(deps),
    views: createViews(deps),
    checkReach: createRunReach(deps),
  }
  return {
    api: runApi(services),
    replays: runReplays(services),
    readRuns: createReadRuns(parts),
    close: () => feed.close(),
  }
}

/** What a worker needs of runs: handlers for the engine, and what comes round by itself. */
export const createRunWorker = (parts: Parts, steps: StepService, onStep: (figures: StepFigures) => void) => {
  const { config } = parts
  const { cellSlots } = config
  const feed = createFeed(parts)
  const sender = createSender(parts)
  const executing = createExecuting()
  const registration = createRegistration({ ...parts, workerUrl: config.workerUrl })
  const admission = createAdmission({ ...parts, sender, cellSlots })
  const deltas = createDeltas({ ...parts, app: parts.steps, feed })
  const segments = createSegments({
    ...parts,
    app: parts.steps,
    steps,
    feed,
    deltas,
    sender,
    admission,
    executing,
    onStep,
  })
  const canary = createCanary({ ...parts, registration, partitionCount: config.enginePartitions })
  return {
    workflows: [runWorkflow(segments), canaryWorkflow()],
    sweeps: [
      slotSweep({ ...parts, cellSlots }),
      admissionSweep({ admission }),
      relaySweep({ ...parts, sender, registration, relayAfterMs: config.relayAfterMs }),
      deadlineSweep({ ...parts, feed, admission }),
      executingSweep({ ...parts, executing }),
      canary.sweep,
      reconcileSweep({
        ...parts,
        sender,
        health: canary.health,
        partitionCount: config.enginePartitions,
        quietMs: config.reconcileAfterMs,
      }),
      mismatchSweep(parts),
      partitionSweep(parts),
      retentionSweep({ ...parts, keep: { days: config.retentionDays, deltaHours: config.deltaRetentionHours } }),
      expiredKeySweep(parts),
    ],
    readRuns: createReadRuns({ app: parts.steps }),
    registration,
    health: canary.health,
    listen: async () => {
      await parts.wakeups.subscribe(stopChannel, (runId) => executing.stop(runId))
      await parts.wakeups.subscribe(queueChannel, () => admission.nudge())
    },
    drain: () => segments.drain(),
    isIdle: () => executing.list().length === 0,
    countRuns: () => countRuns(parts.system),
    outboxLagMs: () => outboxLagMs(parts.system),
    close: () => feed.close(),
  }
}
