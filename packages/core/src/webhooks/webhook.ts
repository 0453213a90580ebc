import { isEventType, limits, subscribable, type Webhook as WireWebhook } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'

/** An endpoint as the database keeps it, with how it fares; its secrets are sealed. */
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
  created_at: Date
}

export const toWire = (webhook: Webhook): WireWebhook => ({
  id: fromUuid('wh', webhook.id),
  object: 'webhook',
  url: webhook.url,
  events: [...webhook.events],
  active: webhook.disabled_at === null,
  description: webhook.description,
  secret_hint: webhook.secret_hint,
  status: statusOf(webhook),
  disabled_at: webhook.disabled_at?.toISOString() ?? null,
  disabled_reason: webhook.disabled_reason,
  failing_since: webhook.failing_since?.toISOString() ?? null,
  missed_since: webhook.missed_since?.toISOString() ?? null,
  created_at: webhook.created_at.toISOString(),
})

const statusOf = ({ disabled_at, failing_since }: Webhook): WireWebhook['status'] => {
  if (disabled_at !== null) return 'disabled'
  return failing_since === null ? 'healthy' : 'failing'
}

/** What a secret is sealed for. It never leaves us, so it need not be tied to the address that it signs for. */
export const secretPlaceOf = (id: string): string => JSON.stringify(['webhooks', id])

export const hintOf = (secret: string): string => secret.slice(-hintChars)

const hintChars = 4

/** What is wrong with a customer's own secret, in words that do not repeat it; null: nothing is. */
export const faultOfSecret = (secret: string): string | null => {
  const { webhookSecretMinChars: least, webhookSecretMaxChars: most } = limits
  if (!secret.startsWith('whsec_')) return 'The secret must begin with whsec_'
  if (secret.length < least || secret.length > most) {
    return `The secret must have ${least} to ${most} characters, whsec_ among them`
  }
  return printable.test(secret) ? null : 'The secret must hold printable ASCII characters without spaces'
}

const printable = /^[\x21-\x7e]+$/

/** What is wrong with the names of events, and where; null: nothing is. */
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

/** Is this the service's own address? An event that it delivers to itself would make the next. */
export const isSameServer = (url: URL, own: URL): boolean =>
  url.hostname.toLowerCase() === own.hostname.toLowerCase() && portOf(url) === portOf(own)

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80')

/** What a change leaves and what it replaces. */
export type WebhookContent = Pick<Webhook, 'url' | 'events' | 'description'> & { active: boolean }

export const contentOf = ({ url, events, description, disabled_at }: Webhook): WebhookContent => ({
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

/** What the audit log keeps, for ever: nothing of the secret, nor what people put into a query instead. */
export const auditFactsOf = (content: WebhookContent): Readonly<Record<string, unknown>> => ({
  ...content,
  url: content.url.replace(/[?#].*$/s, ''),
})
