import type { Tx } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import type { DisableReason } from './lane.ts'

/** False: it is disabled already, or gone. What was missed began with the failures, or with the oldest that was waiting. */
export const disableWebhook = async (
  tx: Tx,
  org: string,
  { id, reason, oldest }: { id: string; reason: DisableReason; oldest: Date | null },
): Promise<boolean> => (await tx.query(disable(org, id, reason, oldest))).length > 0

const disable = statement(
  'webhooks.disable',
  `update webhooks w
      set disabled_at = app_now(), disabled_reason = $3, updated_at = app_now(),
          missed_since = least(w.missed_since, coalesce(l.failing_since, app_now()), $4::timestamptz)
     from webhook_lanes l
    where w.org_id = $1 and w.id = $2 and w.disabled_at is null and l.org_id = w.org_id and l.webhook_id = w.id
   returning w.id`,
)
