import type { Webhook } from '@agent-run-service/sdk'
import { localTime } from '../moment.ts'
import { fields } from '../table.ts'
import { statusStyle, type Terminal } from '../terminal.ts'
import { clean } from '../text.ts'

export const describeWebhook = (terminal: Terminal, webhook: Webhook & { secret?: string | null }): string =>
  fields([
    ['id', webhook.id],
    ['url', clean(webhook.url)],
    ['events', webhook.events.join(', ')],
    ['status', terminal.paint(statusStyle(webhook.status), webhook.status)],
    ['reason', webhook.disabled_reason],
    ['last day', activityOf(webhook)],
    ['failing since', webhook.failing_since && localTime(webhook.failing_since)],
    ['missed since', webhook.missed_since && localTime(webhook.missed_since)],
    ['description', webhook.description === null ? null : clean(webhook.description)],
    // The secret is shown once and in full, so that it can be copied.
    ['secret', webhook.secret ?? `…${webhook.secret_hint.replace(/^…/, '')}`],
    ['created', localTime(webhook.created_at)],
  ])

/** Such as `19 of 20 deliveries succeeded`. Nothing without deliveries. */
const activityOf = ({ last_day: { deliveries, succeeded } }: Webhook): string | null =>
  deliveries === 0 ? null : `${succeeded} of ${deliveries} deliveries succeeded`

export const offerRecovery = (terminal: Terminal, { id, missed_since: since }: Webhook): void => {
  if (since === null || terminal.isJson) return
  terminal.note(`Events since ${localTime(since)} may not have been delivered. Send them with:`)
  terminal.note(`  ars webhooks recover ${id} --since ${since}`)
}
