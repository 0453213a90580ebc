import type { AgentService } from '../agents/index.ts'
import { createSteps } from '../agents/index.ts'
import type { Parts } from '../parts.ts'
import { createCanary } from './canary.sweep.ts'
import { canaryWorkflow } from './canary.workflow.ts'
import { deadlineSweep, stopChannel } from './deadline.sweep.ts'
import { executingSweep } from './executing.sweep.ts'
import { createExecuting } from './executing.ts'
import { createFeed } from './feed.service.ts'
import { expiredKeySweep, partitionSweep } from './housekeeping.sweep.ts'
import { reconcileSweep } from './reconcile.sweep.ts'
import { createRegistration } from './registration.service.ts'
import { relaySweep } from './relay.sweep.ts'
import { runApi } from './run.api.ts'
import { createRuns } from './run.service.ts'
import { runWorkflow } from './run.workflow.ts'
import { createSegments, type StepFigures } from './segment.service.ts'
import { createSender } from './sender.service.ts'
import { countRuns, outboxLagMs } from './sweep.store.ts'

export { canaryTarget } from './canary.ts'
export type { StepFigures } from './segment.service.ts'

/** What a gateway needs of runs. */
export const createRunGateway = (parts: Parts, agents: AgentService) => {
  const feed = createFeed(parts)
  const runs = createRuns({
    ...parts,
    agents,
    feed,
    sender: createSender(parts),
    relayAfterMs: parts.config.relayAfterMs,
  })
  return { api: runApi(runs), close: () => feed.close() }
}

/** What a worker needs of runs: handlers for the engine, and what comes round by itself. */
export const createRunWorker = (parts: Parts, onStep: (figures: StepFigures) => void) => {
  const { config } = parts
  const feed = createFeed(parts)
  const sender = createSender(parts)
  const executing = createExecuting()
  const registration = createRegistration({ ...parts, workerUrl: config.workerUrl })
  const testing = config.testStack ? { ledgerFile: config.testLedgerFile } : undefined
  const segments = createSegments({
    ...parts,
    app: parts.steps,
    steps: createSteps(testing),
    feed,
    sender,
    executing,
    onStep,
  })
  const canary = createCanary({ ...parts, registration, partitionCount: config.enginePartitions })
  return {
    workflows: [runWorkflow(segments), canaryWorkflow()],
    sweeps: [
      relaySweep({ ...parts, sender, registration, relayAfterMs: config.relayAfterMs }),
      deadlineSweep({ ...parts, feed }),
      executingSweep({ ...parts, executing }),
      canary.sweep,
      reconcileSweep({
        ...parts,
        sender,
        health: canary.health,
        partitionCount: config.enginePartitions,
        quietMs: config.reconcileAfterMs,
      }),
      partitionSweep(parts),
      expiredKeySweep(parts),
    ],
    registration,
    health: canary.health,
    listenForStops: () => parts.wakeups.subscribe(stopChannel, (runId) => executing.stop(runId)),
    drain: () => segments.drain(),
    isIdle: () => executing.list().length === 0,
    countRuns: () => countRuns(parts.system),
    outboxLagMs: () => outboxLagMs(parts.system),
    close: () => feed.close(),
  }
}
