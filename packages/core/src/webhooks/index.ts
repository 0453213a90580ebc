import { createCoalesced } from '@ars/platform/coalesced'
import { createWorkLoop } from '@ars/platform/work/loop'
import type { WorkMetrics } from '@ars/platform/work/queue'
import type { EventListener, EventService } from '../events/index.ts'
import type { GatewayParts, Parts } from '../parts.ts'
import { createSecrets } from '../secrets/index.ts'
import { createDisable } from './deliver/disable.service.ts'
import { countWaiting } from './deliver/endpoint-queue.store.ts'
import { fanOutEvents } from './deliver/fan-out.store.ts'
import { leaseSweep } from './deliver/lease.sweep.ts'
import { createOldDeliveryEnd, deletedSweep, disabledSweep, queueRepairSweep } from './deliver/orphans.sweep.ts'
import { type AttemptMetrics, createSender, deliveryBounds } from './deliver/sender.service.ts'
import { createHistory } from './manage/history.service.ts'
import { createWebhookService } from './manage/webhook.service.ts'
import { createMissed } from './recover/missed.service.ts'
import { createRecoveries } from './recover/recovery.service.ts'
import { createRecoveryQueue, recoveryBounds } from './recover/recovery-queue.service.ts'
import { deliveryChannel } from './webhook/delivery.ts'
import { webhookApi, webhookReplays } from './webhook.api.ts'

export type { AttemptMetrics } from './deliver/sender.service.ts'
export { webhookSecrets } from './webhook/webhook-secret.store.ts'

/** The gateway's part of webhooks. Workers send the deliveries. */
export const createWebhooks = (parts: GatewayParts, { events }: { events: EventService }) => {
  const ownUrl = new URL(parts.config.publicUrl)
  const webhooks = createWebhookService({
    ...parts,
    secrets: createSecrets(parts),
    ownUrl,
    maxWebhooks: parts.config.webhooksPerOrganisation,
  })
  const deps = { ...parts, events }
  const services = {
    webhooks,
    history: createHistory(deps),
    missed: createMissed(deps),
    recoveries: createRecoveries(deps),
  }
  return { api: webhookApi(services), replays: webhookReplays(services) }
}

const nudgesEveryMs = 20

/** The worker's part of webhooks: fan-out, sender and periodic jobs. */
export const createWebhookWorker = (
  parts: Parts,
  {
    events,
    onAttempt,
    metrics,
  }: { events: Pick<EventService, 'bodyOf'>; onAttempt(metrics: AttemptMetrics): void; metrics: WorkMetrics },
) => {
  const { config, deliveries, log, pubSub } = parts
  const own = { ...parts, app: parts.steps }
  const sender = createSender({
    ...parts,
    secrets: createSecrets(own),
    disable: createDisable(own),
    bodyOf: events.bodyOf,
    maxAttempts: config.deliveryAttempts,
    onAttempt,
  })
  const loop = createWorkLoop(sender.queue, deliveryBounds(config.webhookPlaces), { ...parts, metrics })
  const { nudge } = loop
  const nudges = createCoalesced({
    work: nudge,
    everyMs: nudgesEveryMs,
    onError: (error) => log.warn('deliveries could not be looked for', { error }),
  })
  const onCreated = (): void => {
    nudge()
    pubSub.publish(deliveryChannel, '')
  }
  const onEvents: EventListener = async (tx, batch) =>
    (await fanOutEvents(tx, batch)).some(({ deliveries: created }) => created > 0) ? onCreated : undefined
  return {
    onEvents,
    sweeps: [
      leaseSweep({ deliveries, sender, log }),
      disabledSweep({ deliveries, log }),
      deletedSweep({ deliveries, log }),
      queueRepairSweep({ deliveries, log }),
    ],
    loops: [loop, createWorkLoop(createRecoveryQueue(parts), recoveryBounds, { ...parts, metrics })],
    endOldDeliveries: createOldDeliveryEnd({ deliveries, log }),
    // Messages over Redis may be forged, so a flood of them must not become a flood of queries.
    listen: () => pubSub.subscribe(deliveryChannel, nudges.call),
    drain: () => nudges.close(),
    countWaiting: () => countWaiting(deliveries),
  }
}
