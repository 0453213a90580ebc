import type { CreateWebhook } from '@ars/contract'
import type { EventService } from '../events/index.ts'
import type { Parts } from '../parts.ts'
import type { Replays } from '../replay.ts'
import { createSecrets } from '../secrets/index.ts'
import { requireWholeOrganisation } from '../whole-organisation.ts'
import { deliveryChannel } from './delivery-channel.ts'
import { createDisable } from './disable.service.ts'
import { countUntold } from './fan-out.store.ts'
import { fanOutSweep } from './fan-out.sweep.ts'
import { createHistory } from './history.service.ts'
import { countWaiting } from './lane.store.ts'
import { leaseSweep } from './lease.sweep.ts'
import { deletedSweep, disabledSweep, laneRepairSweep } from './leftovers.sweep.ts'
import { createRecoveries } from './recovery.service.ts'
import { recoverySweep } from './recovery.sweep.ts'
import { type AttemptFigures, createSender } from './sender.service.ts'
import { senderSweep } from './sender.sweep.ts'
import { webhookApi } from './webhook.api.ts'
import { createWebhookService } from './webhook.service.ts'

export type { AttemptFigures } from './sender.service.ts'

/** What a gateway needs of webhooks. Nothing is sent here: the worker does that. */
export const createWebhooks = (parts: Parts, { events }: { events: EventService }) => {
  const ownUrl = new URL(parts.config.publicUrl)
  const webhooks = createWebhookService({ ...parts, secrets: createSecrets(parts), ownUrl })
  const deps = { ...parts, events }
  const replays: Replays = {
    'webhooks.create': async (ctx, body: CreateWebhook) => {
      requireWholeOrganisation(ctx)
      return webhooks.findReplay(ctx, body)
    },
  }
  return { api: webhookApi({ webhooks, history: createHistory(deps), recoveries: createRecoveries(deps) }), replays }
}

/** What a worker needs of webhooks: the relay, the senders, and what comes round by itself. */
export const createWebhookWorker = (
  parts: Parts,
  { events, onAttempt }: { events: Pick<EventService, 'bodyOf'>; onAttempt(figures: AttemptFigures): void },
) => {
  const { config, deliveries, log, wakeups } = parts
  const own = { ...parts, app: parts.steps }
  const sender = createSender({
    ...parts,
    secrets: createSecrets(own),
    disable: createDisable(own),
    bodyOf: events.bodyOf,
    places: config.webhookPlaces,
    onAttempt,
  })
  const { nudge } = sender
  return {
    sweeps: [
      fanOutSweep({ deliveries, wakeups, nudge }),
      senderSweep({ sender }),
      leaseSweep({ deliveries, sender, log }),
      disabledSweep({ deliveries }),
      deletedSweep({ deliveries }),
      laneRepairSweep({ deliveries, log }),
      recoverySweep(parts),
    ],
    listen: () => wakeups.subscribe(deliveryChannel, nudge),
    /** Nothing more is begun. What is under way has 10 s to end. */
    drain: sender.drain,
    isIdle: sender.isIdle,
    countWaiting: () => countWaiting(deliveries),
    countUntold: () => countUntold(deliveries),
  }
}
