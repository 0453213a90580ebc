import { isEventType, isPlannedEvent, limits, subscribable, type Webhook as WireWebhook } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import { Fault } from '../../fault.ts'

/** An endpoint as stored, with its health; its secrets are sealed. */
export type Webhook = {
  id: string
  url: string
  events: readonly string[]
  description: string | null
  secret: Buffer
  secret_hint: string
  disabled_at: Date | null
  disabled_reason: WireWebhook['disabled_reason']
  missed_since: Date | null
  failing_since: Date | null
  /** Deliveries that ended in the last 24 hours. */
  succeeded_last_day: number
  failed_last_day: number
  created_at: Date
}

export const toWireWebhook = (webhook: Webhook): WireWebhook => ({
  id: fromUuid('wh', webhook.id),
  object: 'webhook',
  url: webhook.url,
  events: [...webhook.events],
  planned_events: webhook.events.filter(isPlannedEvent),
  active: webhook.disabled_at === null,
  description: webhook.description,
  secret_hint: webhook.secret_hint,
  status: statusOf(webhook),
  disabled_at: webhook.disabled_at?.toISOString() ?? null,
  disabled_reason: webhook.disabled_reason,
  failing_since: webhook.failing_since?.toISOString() ?? null,
  missed_since: webhook.missed_since?.toISOString() ?? null,
  last_day: activityOf(webhook),
  created_at: webhook.created_at.toISOString(),
})

const activityOf = ({ succeeded_last_day: succeeded, failed_last_day: failed }: Webhook): WireWebhook['last_day'] => {
  const deliveries = succeeded + failed
  return { deliveries, succeeded, failed, success_rate: deliveries === 0 ? null : succeeded / deliveries }
}

const statusOf = ({ disabled_at, failing_since }: Webhook): WireWebhook['status'] => {
  if (disabled_at !== null) return 'disabled'
  return failing_since === null ? 'healthy' : 'failing'
}

/** The seal context of a secret. Secrets are never sent anywhere, so they need not be bound to the URL. */
export const secretSealContext = (id: string): string => JSON.stringify(['webhooks', id])

export const secretHintOf = (secret: string): string => secret.slice(-hintChars)

const hintChars = 4

/** The fault of a customer's own secret, without repeating it. Null: it is valid. */
export const faultOfSecret = (secret: string): string | null => {
  const { webhookSecretMinChars: least, webhookSecretMaxChars: most } = limits
  if (!secret.startsWith('whsec_')) return 'The secret must begin with whsec_'
  if (secret.length < least || secret.length > most) {
    return `The secret must have ${least} to ${most} characters, whsec_ among them`
  }
  return printable.test(secret) ? null : 'The secret must hold printable ASCII characters without spaces'
}

const printable = /^[\x21-\x7e]+$/

/** The fault of the event names and its position. Null: they are valid. */
export const faultOfEvents = (names: readonly string[]): { param: string; message: string } | null => {
  if (names.length === 0)
    return { param: 'events', message: `Name at least one type of event, or ${everything} for all` }
  const at = names.findIndex((name) => name !== everything && !subscribable.includes(name))
  if (at < 0) return null
  const name = names[at] ?? ''
  const message = isEventType(name)
    ? `Nobody can subscribe to ${name}: a test goes to the webhook that it was asked for`
    : `There is no event ${JSON.stringify(name)}; there are ${subscribable.join(', ')}, and ${everything} for all`
  return { param: `events.${at}`, message }
}

const everything = '*'

/** Whether this is the service's own address. An event that it delivers to itself would create the next. */
export const isSameServer = (url: URL, own: URL): boolean =>
  url.hostname.toLowerCase() === own.hostname.toLowerCase() && portOf(url) === portOf(own)

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80')

/** The content before and after a change. */
export type WebhookContent = Pick<Webhook, 'url' | 'events' | 'description'> & { active: boolean }

export const webhookContentOf = ({ url, events, description, disabled_at }: Webhook): WebhookContent => ({
  url,
  events,
  description,
  active: disabled_at === null,
})

/** The names of the fields that differ. */
export const changedFields = (before: WebhookContent, after: WebhookContent): (keyof WebhookContent)[] =>
  (Object.keys(before) as (keyof WebhookContent)[]).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  )

/** The facts for the audit log, which are kept for ever: no secret, and no query string, which may contain one. */
export const webhookAuditFacts = (content: WebhookContent): Readonly<Record<string, unknown>> => ({
  ...content,
  url: content.url.replace(/[?#].*$/s, ''),
})

export const requireActive = (webhook: Pick<Webhook, 'id' | 'disabled_at'>): void => {
  if (webhook.disabled_at === null) return
  throw new Fault('webhook_inactive', `Webhook ${fromUuid('wh', webhook.id)} is not active, so nothing is sent to it`)
}

/** The webhook, unless the organisation has none with this id (404). */
export const requireWebhook = (webhook: Webhook | null, id: string): Webhook => {
  if (!webhook) throw new Fault('not_found', `No webhook ${id}`)
  return webhook
}
