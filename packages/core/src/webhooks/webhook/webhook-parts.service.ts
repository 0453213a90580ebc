import type { Database } from '@ars/platform/db/database'
import type { Egress } from '@ars/platform/egress/egress'
import type { IdMaker } from '@ars/platform/id'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import type { Ctx } from '../../ctx.ts'
import type { SecretService } from '../../secrets/index.ts'
import type { RunSight } from '../../whole-organisation.ts'

/** The dependencies of the endpoint services. */
export type WebhookDeps = {
  app: Database
  newId: IdMaker
  secrets: SecretService
  egress: Pick<Egress, 'checkTarget'>
  /** The service's own address: events are not delivered to it. */
  ownUrl: URL
  pubSub: Pick<PubSub, 'publish'>
  /** Webhooks of one organisation. */
  maxWebhooks: number
}

export type Admin = Pick<Ctx, 'org' | 'actor' | 'address' | 'requestId'>
export type KeyedAdmin = Admin & Pick<Ctx, 'idempotencyKey'>
export type WebhookChanger = Admin & RunSight
export type WebhookAuthor = WebhookChanger & Pick<Ctx, 'idempotencyKey'>
