import { z } from 'zod'
import { eventTypeNames } from './event-data.ts'
import { EventList } from './events.ts'
import { DeliveryId, EventId, RecoveryId, WebhookId } from './ids.ts'
import { limits } from './limits.ts'
import { listOf, moment, Paging } from './list.ts'
import { operation } from './operation.ts'
import { Webhook } from './webhook.ts'

/** Where it is created, and where its secret is rotated, the secret is shown; nowhere else. */
export const WebhookWithSecret = Webhook.extend({
  secret: z.string().nullable().meta({ description: 'Shown once. Null in a replayed answer.' }),
}).meta({ id: 'WebhookWithSecret' })

export type WebhookWithSecret = z.infer<typeof WebhookWithSecret>

const Url = z.string().min(1).max(limits.webhookUrlChars).meta({
  description: 'HTTPS, port 443 or one that the operator allows, and a host of the public Internet.',
})
const Subscription = z
  .array(z.string().min(1).max(64))
  .max(limits.webhookEvents)
  // None at all is understood and refused (422), as an unknown one is.
  .meta({ minItems: 1, description: 'Types of events; `*` stands for all.' })
const Description = z.string().max(500).nullable()
// What it must look like is decided with words, because a wrong one is well formed: 422.
const Secret = z.string().max(10_240).meta({
  writeOnly: true,
  description: 'Your own signing secret, `whsec_…`. Left out: the service makes one.',
})

export const CreateWebhook = z
  .strictObject({
    url: Url,
    events: Subscription,
    secret: Secret.optional(),
    active: z.boolean().optional(),
    description: Description.optional(),
  })
  .meta({ id: 'CreateWebhook' })

export type CreateWebhook = z.infer<typeof CreateWebhook>

export const UpdateWebhook = z
  .strictObject({
    id: WebhookId,
    url: Url.optional(),
    events: Subscription.optional(),
    active: z.boolean().optional().meta({ description: 'True also enables one that the service has disabled.' }),
    description: Description.optional(),
  })
  .meta({ id: 'UpdateWebhook', minProperties: 1 })

export type UpdateWebhook = z.infer<typeof UpdateWebhook>

const Headers = z.record(z.string(), z.string())

const DeliveryAttempt = z
  .object({
    number: z.int(),
    at: z.iso.datetime(),
    duration_ms: z.int().nullable().meta({ description: 'Null when nobody saw its end.' }),
    http_status: z.int().nullable(),
    error: z.string().nullable().meta({ description: 'Why it failed, in words; null when it was acknowledged.' }),
    request: z.object({
      headers: Headers.nullable(),
      body: z.string().nullable().meta({ description: 'The bytes that were signed. Null in lists, and once erased.' }),
    }),
    response: z.object({ headers: Headers, body: z.string().meta({ description: 'Up to 16 KB of it.' }) }).nullable(),
  })
  .meta({ id: 'DeliveryAttempt' })

export const Delivery = z
  .object({
    id: DeliveryId,
    object: z.literal('delivery'),
    webhook_id: WebhookId,
    event_id: EventId,
    event_type: z.string(),
    status: z.enum(['pending', 'succeeded', 'failed']),
    source: z.enum(['event', 'test', 'redelivery', 'recovery']),
    attempts: z.array(DeliveryAttempt),
    next_attempt_at: z.iso.datetime().nullable(),
    error: z.string().nullable().meta({ description: 'Why it ended without a further attempt, where it did.' }),
    created_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Delivery' })

export type Delivery = z.infer<typeof Delivery>

export const Recovery = z
  .object({
    id: RecoveryId,
    object: z.literal('recovery'),
    webhook_id: WebhookId,
    since: z.iso.datetime(),
    until: z.iso.datetime(),
    status: z.enum(['running', 'completed', 'cancelled']),
    progress: z.object({
      found: z.int().meta({ description: 'Events that had not been acknowledged; each has become a delivery.' }),
      delivered: z.int(),
      failed: z.int(),
      scanned_until: z.iso.datetime().nullable().meta({ description: 'Events up to then were looked at.' }),
    }),
    created_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Recovery' })

export type Recovery = z.infer<typeof Recovery>

const one = z.strictObject({ id: WebhookId })
const ofDelivery = z.strictObject({ id: WebhookId, delivery_id: DeliveryId })
const ofRecovery = z.strictObject({ id: WebhookId, recovery_id: RecoveryId })
const reading = { method: 'GET', scope: 'webhooks:read', status: 200 } as const
const refusals = ['event_unknown', 'url_not_allowed'] as const

export const webhooks = {
  list: operation({
    ...reading,
    path: '/webhooks',
    summary: 'List webhooks',
    input: z.strictObject({ ...Paging(WebhookId), status: Webhook.shape.status.optional() }),
    output: listOf(Webhook, 'WebhookList'),
    errors: ['not_found'],
  }),
  create: operation({
    method: 'POST',
    path: '/webhooks',
    summary: 'Register a webhook',
    scope: 'webhooks:write',
    status: 201,
    input: CreateWebhook,
    output: WebhookWithSecret,
    errors: [...refusals, 'not_found', 'secret_invalid', 'secrets_disabled', 'limit_reached', 'idempotency_key_reused'],
    idempotent: true,
  }),
  get: operation({
    ...reading,
    path: '/webhooks/{id}',
    summary: 'Get a webhook by id',
    input: one,
    output: Webhook,
    errors: ['not_found'],
  }),
  update: operation({
    method: 'PATCH',
    path: '/webhooks/{id}',
    summary: 'Change, pause or enable a webhook',
    scope: 'webhooks:write',
    status: 200,
    input: UpdateWebhook,
    output: Webhook,
    errors: [...refusals, 'not_found'],
  }),
  delete: operation({
    method: 'DELETE',
    path: '/webhooks/{id}',
    summary: 'Delete a webhook',
    description: 'Nothing is sent to it from now on. Its deliveries go with it.',
    scope: 'webhooks:write',
    status: 200,
    input: one,
    output: Webhook,
    errors: ['not_found'],
  }),
  rotateSecret: operation({
    method: 'POST',
    path: '/webhooks/{id}/rotate-secret',
    summary: 'Replace the signing secret',
    description:
      'For `overlap_hours` the standard header carries both signatures and `X-SERVICE-Signature` stays on the old secret; ' +
      '0 switches at once. A second rotation within that time makes the secret before it the old one.',
    scope: 'webhooks:write',
    status: 200,
    input: z.strictObject({
      id: WebhookId,
      secret: Secret.optional(),
      overlap_hours: z.int().min(0).max(limits.webhookSecretOverlapMaxHours).optional(),
    }),
    output: WebhookWithSecret,
    errors: ['not_found', 'secret_invalid', 'secrets_disabled'],
  }),
  test: operation({
    method: 'POST',
    path: '/webhooks/{id}/test',
    summary: 'Send a test event',
    description:
      'Sends an event of the type `test` to this webhook and to nobody else; with `event_type` a sample of that type, with ids ' +
      'that name nothing. It is signed, tried and recorded as any other.',
    scope: 'webhooks:write',
    status: 201,
    input: z.strictObject({
      id: WebhookId,
      event_type: z.string().max(64).optional().meta({ description: 'Whose sample is sent; `test` unless told.' }),
    }),
    output: Delivery,
    errors: ['not_found', 'event_unknown', 'webhook_inactive'],
  }),
  deliveries: operation({
    ...reading,
    path: '/webhooks/{id}/deliveries',
    summary: 'List the deliveries of a webhook',
    description: 'Newest first, with their attempts. What was sent is shown by the look-up of one delivery.',
    input: z.strictObject({
      id: WebhookId,
      ...Paging(DeliveryId),
      status: Delivery.shape.status.optional(),
      event_id: EventId.optional(),
      event_type: z.enum(eventTypeNames).optional(),
      created_after: moment.optional(),
      created_before: moment.optional(),
    }),
    output: listOf(Delivery, 'DeliveryList'),
    errors: ['input_invalid', 'not_found'],
  }),
  delivery: operation({
    ...reading,
    path: '/webhooks/{id}/deliveries/{delivery_id}',
    summary: 'Get a delivery with what was sent and answered',
    input: ofDelivery,
    output: Delivery,
    errors: ['not_found'],
  }),
  redeliver: operation({
    method: 'POST',
    path: '/webhooks/{id}/deliveries/{delivery_id}/redeliver',
    summary: 'Send an event again',
    description: 'A new delivery of the same event: same id, same bytes, three attempts.',
    scope: 'webhooks:write',
    status: 201,
    input: ofDelivery,
    output: Delivery,
    errors: ['not_found', 'webhook_inactive'],
  }),
  missed: operation({
    ...reading,
    path: '/webhooks/{id}/missed',
    summary: 'List events that a webhook never acknowledged',
    description:
      'Events of the types that it names now, since it was created, of which no delivery has succeeded or is pending. Newest ' +
      'first. Where a long time must be searched a page may hold few events, or none, though `has_more` is true: `last_id` says ' +
      'where to go on.',
    input: z.strictObject({
      id: WebhookId,
      ...Paging(EventId),
      since: moment.optional(),
      until: moment.optional(),
    }),
    output: EventList,
    errors: ['not_found', 'input_invalid'],
  }),
  recover: operation({
    method: 'POST',
    path: '/webhooks/{id}/recover',
    summary: 'Deliver what a webhook has missed',
    description:
      'Delivers every event of the time between `since` and `until` that the webhook has not acknowledged, oldest first, with ' +
      'its original id. It goes on by itself; look at its progress, or cancel it.',
    scope: 'webhooks:write',
    status: 201,
    input: z.strictObject({
      id: WebhookId,
      since: moment.meta({ examples: ['2026-01-15T09:30:00Z'] }),
      until: moment.optional().meta({ description: 'Now unless told.' }),
    }),
    output: Recovery,
    errors: ['not_found', 'input_invalid', 'webhook_inactive', 'recovery_running'],
  }),
  recoveries: operation({
    ...reading,
    path: '/webhooks/{id}/recoveries',
    summary: 'List the recoveries of a webhook',
    input: z.strictObject({ id: WebhookId, ...Paging(RecoveryId) }),
    output: listOf(Recovery, 'RecoveryList'),
    errors: ['not_found'],
  }),
  recovery: operation({
    ...reading,
    path: '/webhooks/{id}/recoveries/{recovery_id}',
    summary: 'See how a recovery goes',
    input: ofRecovery,
    output: Recovery,
    errors: ['not_found'],
  }),
  cancelRecovery: operation({
    method: 'DELETE',
    path: '/webhooks/{id}/recoveries/{recovery_id}',
    summary: 'Cancel a recovery',
    description:
      'No further event is looked at; what has not been sent yet is not sent. Cancelling twice changes nothing.',
    scope: 'webhooks:write',
    status: 200,
    input: ofRecovery,
    output: Recovery,
    errors: ['not_found'],
  }),
} as const
