import { createWorkLoop } from '@ars/platform/work/loop'
import {
  type ClaimedItem,
  usualBounds,
  type WorkBounds,
  type WorkMetrics,
  type WorkQueue,
} from '@ars/platform/work/queue'
import { wakingListener } from '../events/index.ts'
import type { GatewayParts, Parts } from '../parts.ts'
import { createSecrets } from '../secrets/index.ts'
import { mailBounds } from './bounds.ts'
import { createChoices } from './choice.service.ts'
import { createDestinations } from './destination.service.ts'
import { createMailDesk, type MailDesk, type OnMailHeld } from './mail-desk.service.ts'
import { fanOutMails } from './mail-fan-out.store.ts'
import { createMailQueues, type OnMailEnded } from './mail-post.service.ts'
import { countWaitingMails } from './mail-send.store.ts'

export type { ChoiceService } from './choice.service.ts'
export { destinationApi } from './destination.api.ts'
export { destinationSecrets } from './destination.store.ts'
export type { MailDesk, OnMailHeld } from './mail-desk.service.ts'
export type { OnMailEnded } from './mail-post.service.ts'

type DeskParts = Pick<GatewayParts, 'app' | 'config' | 'keyring' | 'clock' | 'newId'>

/** Undefined: the operator has turned mail off, or has configured no key to seal links with. */
export const createDesk = (parts: DeskParts, onMailHeld?: OnMailHeld): MailDesk | undefined => {
  const { config, keyring, newId } = parts
  if (config.mailFrom === undefined || keyring === undefined) return undefined
  return createMailDesk({ newId, keyring, secrets: createSecrets(parts), onMailHeld })
}

export const createMailChoices = (parts: Pick<GatewayParts, 'app' | 'config' | 'newId'>) =>
  createChoices({ ...parts, isMailOn: parts.config.mailFrom !== undefined })

export const createAlertDestinations = (parts: GatewayParts) =>
  createDestinations({ ...parts, secrets: createSecrets(parts) })

// An attempt has the time limit of the server or of the channel, and is one turn.
const turnMs = mailBounds.turn.ms
const linkBounds = {
  ...usualBounds,
  turnMs,
  places: mailBounds.linkTurns.count,
  keptPlaces: mailBounds.linkTurnsKept.count,
  perOrg: mailBounds.linkTurnsOfOrganisation.count,
} as const
// Those that are new are nudged for.
const eventBounds = {
  ...usualBounds,
  ...{ turnMs, idleMs: 5_000 },
  places: mailBounds.eventTurns.count,
  keptPlaces: mailBounds.eventTurnsKept.count,
  perOrg: mailBounds.eventTurnsOfOrganisation.count,
} as const
const messageBounds = {
  ...usualBounds,
  ...{ turnMs, idleMs: 5_000 },
  places: mailBounds.messageTurns.count,
  keptPlaces: mailBounds.messageTurnsKept.count,
  perOrg: mailBounds.messageTurnsOfOrganisation.count,
} as const

/** The worker's part of mail. Without a mail server it sends messages to destinations of alerts only. */
export const createMailWorker = (parts: Parts, metrics: { onMailEnded: OnMailEnded } & WorkMetrics) => {
  const { smtp, deliveries, clock, log } = parts
  const secrets = createSecrets({ ...parts, app: parts.steps })
  const queues = createMailQueues({ ...parts, secrets, onMailEnded: metrics.onMailEnded })
  const loopOf = (queue: WorkQueue<ClaimedItem>, bounds: WorkBounds) =>
    createWorkLoop(queue, bounds, { clock, log, metrics })
  const links = loopOf(queues.links, linkBounds)
  const aboutEvents = [loopOf(queues.events, eventBounds), loopOf(queues.messages, messageBounds)]
  return {
    /** Mails about the events of each batch. */
    onEvents: wakingListener(
      (tx, batch) => fanOutMails(tx, batch, { isMailOn: smtp !== undefined }),
      () => {
        for (const loop of aboutEvents) loop.nudge()
      },
    ),
    loops: [links, ...aboutEvents],
    countWaiting: () => countWaitingMails(deliveries),
  }
}
