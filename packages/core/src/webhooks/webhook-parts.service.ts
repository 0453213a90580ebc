import type { Database } from '@ars/platform/db/database'
import type { Egress } from '@ars/platform/egress/egress'
import type { IdMaker } from '@ars/platform/id'
import type { Wakeups } from '@ars/platform/redis/redis'
import type { Ctx } from '../ctx.ts'
import type { SecretService } from '../secrets/index.ts'

/** What the services of endpoints stand on. */
export type WebhookDeps = {
  app: Database
  newId: IdMaker
  secrets: SecretService
  egress: Pick<Egress, 'checkTarget'>
  /** The service's own address: events are not delivered to it. */
  ownUrl: URL
  wakeups: Pick<Wakeups, 'publish'>
}

export type Admin = Pick<Ctx, 'org' | 'actor' | 'address' | 'requestId'>
export type Author = Admin & Pick<Ctx, 'idempotencyKey'>
