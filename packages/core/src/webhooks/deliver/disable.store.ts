import type { Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { DisableReason } from '../webhook/endpoint-queue.ts'

/** Missed events start with the first failure, or with the oldest event that waited. False: no enabled webhook has this id. */
export const disableWebhook = async (
  tx: Tx,
  org: string,
  { id, reason, oldest }: { id: string; reason: DisableReason; oldest: Date | null },
): Promise<boolean> => (await tx.query(disable({ org, id, reason, oldestWaitingAt: oldest }))).length > 0

const disable = statement<{ org: Uuid; id: Uuid; reason: DisableReason; oldestWaitingAt: Date | null }>(
  'webhooks.disable',
  sql`update webhooks w
      set disabled_at = app_now(), disabled_reason = :reason, updated_at = app_now(),
          missed_since = least(w.missed_since, coalesce(l.failing_since, app_now()), :oldestWaitingAt::timestamptz)
     from webhook_lanes l
    where w.org_id = :org and w.id = :id and w.disabled_at is null and l.org_id = w.org_id and l.webhook_id = w.id
   returning w.id`,
)
