import { setTimeout as sleep } from 'node:timers/promises'
import { createWorkerCore, type Parts } from '@ars/core'
import { serveWorker } from '@ars/platform/durable/worker'
import { startSweeps } from '@ars/platform/periodic'
import type { Shutdown } from '@ars/platform/shutdown'
import type { Meter } from '@opentelemetry/api'
import type { Figures } from '../figures.ts'
import { observeWorker } from './observe.ts'

const drainMostMs = 20_000
const registerTries = 20

/** The hands: handlers for the engine, relay and sweepers. */
export const startWorker = async ({
  parts,
  figures,
  meter,
  shutdown,
}: {
  parts: Parts
  figures: Figures
  meter: Meter
  shutdown: Shutdown
}): Promise<void> => {
  const { config, log } = parts
  const worker = createWorkerCore(parts, {
    onStep: ({ durationMs, queueMs, word }) => {
      figures.step(durationMs / 1_000, word)
      if (queueMs !== undefined) figures.queueToStart(queueMs / 1_000)
    },
    onAttempt: ({ outcome, durationMs, lagMs }) => {
      figures.deliveryAttempt(outcome, durationMs === null ? undefined : durationMs / 1_000)
      if (lagMs !== undefined) figures.deliveryLag(lagMs / 1_000)
    },
  })
  observeWorker(meter, worker)
  const endpoint = await serveWorker({
    services: worker.workflows,
    host: config.workerHost,
    port: config.workerPort,
    identityKey: config.engineIdentityKey,
    log,
  })
  await worker.listen()
  await registerPatiently(worker.registration, log)
  const sweeps = startSweeps(worker.sweeps, log)

  shutdown.add('worker', async () => {
    await sweeps.close()
    // Segments end after their present step, and deliveries with their present attempt; others carry on with the rest.
    worker.drain()
    const deadlineMs = parts.clock.monotonicMs() + drainMostMs
    while (!worker.isIdle() && parts.clock.monotonicMs() < deadlineMs) await sleep(50)
    await endpoint.close()
    await worker.close()
  })
}

/** The engine may come up later than we do. After these tries the canary goes on trying. */
const registerPatiently = async (registration: { ensure(): Promise<void> }, log: Parts['log']): Promise<void> => {
  for (let tries = 0; tries < registerTries; tries++) {
    try {
      return await registration.ensure()
    } catch (error) {
      log.warn('engine does not take the registration yet', { error })
      await sleep(500)
    }
  }
}
