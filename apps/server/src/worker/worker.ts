import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '@ars/contract'
import { createWorkerCore, type Parts } from '@ars/core'
import { serveWorker } from '@ars/platform/durable/worker'
import { startSweeps } from '@ars/platform/periodic'
import type { Shutdown } from '@ars/platform/shutdown'
import { serverBounds } from '../bounds.ts'
import type { Instruments } from '../instruments.ts'
import type { Metrics } from '../metrics.ts'
import { observeWorker } from './observe.ts'

const maxDrainMs = serverBounds.drain.ms
const registerTries = serverBounds.registrationTries.count

/** The worker: handlers for the engine, the relay and the sweeps. */
export const startWorker = async ({
  parts,
  metrics,
  instruments,
  shutdown,
}: {
  parts: Parts
  metrics: Metrics
  instruments: Instruments
  shutdown: Shutdown
}): Promise<void> => {
  const { config, log } = parts
  const worker = createWorkerCore(parts, {
    onStep: ({ durationMs, queueMs, word }) => {
      metrics.step(durationMs / 1_000, word)
      if (queueMs !== undefined) metrics.queueToStart(queueMs / 1_000)
    },
    onLost: metrics.invocationLost,
    onEnded: metrics.runEnded,
    onModelCall: metrics.modelCall,
    onModelFallback: metrics.modelFallback,
    onRemoteCheck: metrics.guardrailAsked,
    onAttempt: ({ outcome, durationMs, lagMs }) => {
      metrics.deliveryAttempt(outcome, durationMs === null ? undefined : durationMs / 1_000)
      if (lagMs !== undefined) metrics.deliveryLag(lagMs / 1_000)
    },
    onMailEnded: metrics.mailEnded,
    onToolsOff: (changes) => {
      for (const { change } of changes) metrics.toolOff(change)
    },
    onRulesEvaluated: metrics.rulesEvaluated,
    onFired: (outcome) => metrics.scheduleFired(outcome),
    onPipelineRunEnded: (status) => metrics.pipelineRunEnded(status),
    onTurn: metrics.workTurn,
  })
  // A counter that is absent until the first firing would hide it from `increase()`.
  for (const outcome of ['started', 'skipped', 'failed'] as const) metrics.scheduleFired(outcome, 0)
  for (const status of ['completed', 'failed', 'cancelled'] as const) metrics.pipelineRunEnded(status, 0)
  observeWorker(instruments, worker, parts)
  const endpoint = await serveWorker({
    services: worker.workflows,
    host: config.workerHost,
    port: config.workerPort,
    identityKeys: config.engineIdentityKey ?? [],
    maxInvocationMs: limits.runTimeoutMaxSeconds * 1_000,
    log,
  })
  await worker.listen()
  await registerWithRetries(worker.registration, log)
  const succeeded = new Map<string, number>()
  instruments.gauge('ars_sweep_last_success_timestamp_seconds', (observe) => {
    for (const [sweep, atMs] of succeeded) observe(atMs / 1_000, { sweep })
  })
  instruments.gauge('ars_sweep_interval_seconds', (observe) => {
    for (const { name: sweep, everyMs } of worker.sweeps) observe(everyMs / 1_000, { sweep })
  })
  const sweeps = startSweeps(worker.sweeps, log, ({ name }, outcome) => {
    if (outcome === 'failed') metrics.sweepFailed(name)
    else succeeded.set(name, parts.clock.now().getTime())
  })
  for (const loop of worker.loops) loop.start()

  shutdown.add('worker', async () => {
    await sweeps.close()
    // Segments stop after their current step, and deliveries after their current attempt. Other workers continue.
    worker.drain()
    const deadlineMs = parts.clock.monotonicMs() + maxDrainMs
    while (!worker.isIdle() && parts.clock.monotonicMs() < deadlineMs) await sleep(50)
    await endpoint.close()
    await worker.close()
  })
}

/** The engine may start later than the worker. After these attempts the engine probe continues to register. */
const registerWithRetries = async (registration: { ensure(): Promise<void> }, log: Parts['log']): Promise<void> => {
  for (let tries = 0; tries < registerTries; tries++) {
    try {
      return await registration.ensure()
    } catch (error) {
      log.warn('engine does not accept the registration yet', { error })
      await sleep(500)
    }
  }
}
