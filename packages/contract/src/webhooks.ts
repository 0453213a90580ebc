import { z } from 'zod'
import { fieldLimits } from './bounds.ts'
import { eventTypeNames, runEventTypes } from './event-data.ts'
import { EventList } from './events.ts'
import { createdAt } from './fields.ts'
import { DeliveryId, EventId, RecoveryId, WebhookId } from './ids.ts'
import { limits } from './limits.ts'
import { commaList, createdBetween, listOf, moment, Paging } from './list.ts'
import { operation } from './operation.ts'
import { Waiting } from './waiting.ts'
import { Webhook, webhookStatuses } from './webhook.ts'

/** The responses that contain the secret: creation and rotation. */
export const WebhookWithSecret = Webhook.extend({
  secret: z.string().nullable().meta({ description: 'The signing secret. Shown once; null in a replay.' }),
}).meta({ id: 'WebhookWithSecret' })

export type WebhookWithSecret = z.infer<typeof WebhookWithSecret>

const Url = z.string().min(1).max(limits.webhookUrlChars).meta({
  description: 'HTTPS on a public host, port 443 or a port that the operator allows.',
})
const Subscription = z
  .array(z.string().min(1).max(fieldLimits.eventTypeChars))
  .min(1)
  .max(limits.webhookEvents)
  .meta({ description: 'Event types; `*` selects all.' })
const Description = z
  .string()
  .max(fieldLimits.webhookDescriptionChars)
  .nullable()
  .meta({ description: 'Your own note.' })
// The format is checked later: a wrong secret is well-formed and rejected with 422.
const Secret = z.string().max(fieldLimits.webhookSecretSentChars).meta({
  writeOnly: true,
  description: 'Your own signing secret, `whsec_…`. If omitted, the service creates one.',
})

export const CreateWebhook = z
  .strictObject({
    url: Url,
    events: Subscription,
    secret: Secret.optional(),
    active: z.boolean().optional().meta({ description: 'Whether deliveries are sent. Default: true.' }),
    description: Description.optional(),
  })
  .meta({ id: 'CreateWebhook' })

export type CreateWebhook = z.infer<typeof CreateWebhook>

export const UpdateWebhook = z
  .strictObject({
    id: WebhookId,
    url: Url.optional(),
    events: Subscription.optional(),
    active: z
      .boolean()
      .optional()
      .meta({ description: 'False pauses the webhook. True also enables a webhook that the service has disabled.' }),
    description: Description.optional(),
  })
  .meta({ id: 'UpdateWebhook', minProperties: 1 })

export type UpdateWebhook = z.infer<typeof UpdateWebhook>

const Headers = z.record(z.string(), z.string())

const DeliveryRequest = z
  .object({
    headers: Headers.nullable().meta({ description: 'The headers. Null in lists and after erasure.' }),
    body: z.string().nullable().meta({ description: 'The signed body. Null in lists and after erasure.' }),
  })
  .meta({ id: 'DeliveryRequest', description: 'The request that was sent.' })

const DeliveryResponse = z
  .object({
    headers: Headers.meta({ description: 'The headers of the response.' }),
    body: z.string().meta({ description: 'The first 16 KiB.' }),
  })
  .meta({ id: 'DeliveryResponse', description: 'The response; null without one.' })

const DeliveryAttempt = z
  .object({
    number: z.int().meta({ description: 'The number of the attempt, from 1.' }),
    at: z.iso.datetime().meta({ description: 'When it began.' }),
    duration_ms: z.int().nullable().meta({ description: 'Null if the worker crashed during the attempt.' }),
    http_status: z.int().nullable().meta({ description: 'The status of the response; null without one.' }),
    error: z.string().nullable().meta({ description: 'Why the attempt failed; null if it was acknowledged.' }),
    request: DeliveryRequest,
    response: DeliveryResponse.nullable(),
  })
  .meta({ id: 'DeliveryAttempt' })

const deliveryStatuses = ['pending', 'succeeded', 'failed'] as const

export const Delivery = z
  .object({
    id: DeliveryId,
    object: z.literal('delivery'),
    webhook_id: WebhookId,
    event_id: EventId,
    event_type: z.string().meta({ description: 'The type of the event.' }),
    status: z
      .enum(deliveryStatuses)
      .meta({ id: 'DeliveryStatus', description: '`pending`: an attempt is due or under way.' }),
    source: z
      .enum(['event', 'test', 'redelivery', 'recovery'])
      .meta({ id: 'DeliverySource', description: 'Why it was created.' }),
    attempts: z.array(DeliveryAttempt).meta({ description: 'The attempts so far, oldest first.' }),
    waiting: Waiting.nullable().meta({
      description: 'Why it is not sent now; null: an attempt is under way, or it has ended.',
    }),
    next_attempt_at: z.iso.datetime().nullable().meta({ description: 'When the next attempt is due; null: none is.' }),
    error: z.string().nullable().meta({ description: 'Why the delivery ended without another attempt.' }),
    created_at: createdAt,
    ended_at: z.iso.datetime().nullable().meta({ description: 'When it ended; null before.' }),
  })
  .meta({ id: 'Delivery', description: 'An event on its way to a webhook.' })

export type Delivery = z.infer<typeof Delivery>

const RecoveryProgress = z
  .object({
    found: z.int().meta({ description: 'Unacknowledged events found; each becomes a delivery.' }),
    delivered: z.int().meta({ description: 'Deliveries that succeeded.' }),
    failed: z.int().meta({ description: 'Deliveries that failed.' }),
    scanned_until: z.iso.datetime().nullable().meta({ description: 'Events up to this time were checked.' }),
  })
  .meta({ id: 'RecoveryProgress', description: 'How far it is.' })

export const Recovery = z
  .object({
    id: RecoveryId,
    object: z.literal('recovery'),
    webhook_id: WebhookId,
    since: z.iso.datetime().meta({ description: 'The start of the time that is searched.' }),
    until: z.iso.datetime().meta({ description: 'The end of the time that is searched.' }),
    status: z.enum(['running', 'completed', 'cancelled']).meta({ id: 'RecoveryStatus', description: 'Its state.' }),
    progress: RecoveryProgress,
    created_at: createdAt,
    ended_at: z.iso.datetime().nullable().meta({ description: 'When it ended; null before.' }),
  })
  .meta({ id: 'Recovery' })

export type Recovery = z.infer<typeof Recovery>

const one = z.strictObject({ id: WebhookId })
const ofDelivery = z.strictObject({ id: WebhookId, delivery_id: DeliveryId })
const ofRecovery = z.strictObject({ id: WebhookId, recovery_id: RecoveryId })
const reading = { method: 'GET', scope: 'webhooks:read', names: 'organisation', status: 200 } as const
const conditionalScopes = [{ scope: 'runs:read', field: 'events', values: ['*', ...runEventTypes] }] as const
const refusals = ['event_unknown', 'url_not_allowed'] as const

export const webhooks = {
  list: operation({
    ...reading,
    path: '/webhooks',
    summary: 'List webhooks',
    input: z.strictObject({ ...Paging(WebhookId), status: commaList(webhookStatuses).optional() }),
    output: listOf(Webhook, 'WebhookList'),
    errors: ['not_found'],
  }),
  create: operation({
    method: 'POST',
    path: '/webhooks',
    summary: 'Register a webhook',
    scope: 'webhooks:write',
    names: 'organisation',
    conditionalScopes,
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
    names: 'organisation',
    conditionalScopes,
    storedScopes: [{ scope: 'runs:read', when: 'moved_webhook_of_runs' }],
    status: 200,
    input: UpdateWebhook,
    output: Webhook,
    errors: [...refusals, 'not_found'],
  }),
  delete: operation({
    method: 'DELETE',
    path: '/webhooks/{id}',
    summary: 'Delete a webhook',
    description: 'Nothing more is sent to it. Its deliveries are deleted too.',
    scope: 'webhooks:write',
    names: 'organisation',
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
      'For `overlap_hours`, `webhook-signature` contains both signatures and `X-SERVICE-Signature` uses the old secret. ' +
      '0 switches immediately. After a second rotation within this time, the secret before it is the old one.',
    scope: 'webhooks:write',
    names: 'organisation',
    status: 200,
    input: z
      .strictObject({
        id: WebhookId,
        secret: Secret.optional(),
        overlap_hours: z
          .int()
          .min(0)
          .max(limits.webhookSecretOverlapMaxHours)
          .optional()
          .meta({ description: 'Hours for which the old secret signs too.' }),
      })
      .meta({ id: 'RotateWebhookSecret' }),
    output: WebhookWithSecret,
    errors: ['not_found', 'secret_invalid', 'secrets_disabled', 'idempotency_key_reused'],
    idempotent: true,
  }),
  test: operation({
    method: 'POST',
    path: '/webhooks/{id}/test',
    summary: 'Send a test event',
    description:
      'Sends an event of type `test` to this webhook only. With `event_type`, sends a sample of that type; its ids consist of ' +
      'zeros and refer to nothing. Every test carries the header `X-SERVICE-Test: true`. It is signed, retried and recorded like ' +
      'any other event.',
    scope: 'webhooks:write',
    names: 'organisation',
    status: 201,
    input: z
      .strictObject({
        id: WebhookId,
        event_type: z
          .string()
          .max(fieldLimits.eventTypeChars)
          .optional()
          .meta({ description: 'The type of the sample. Default: `test`.' }),
      })
      .meta({ id: 'TestWebhook' }),
    output: Delivery,
    errors: ['not_found', 'event_unknown', 'webhook_inactive', 'idempotency_key_reused'],
    idempotent: true,
  }),
  deliveries: operation({
    ...reading,
    path: '/webhooks/{id}/deliveries',
    summary: 'List the deliveries of a webhook',
    description:
      'Newest first, with attempts. Get a single delivery to see the request bodies. Without `runs:read`, requests and responses ' +
      'of events that hold data of runs are null.',
    input: z.strictObject({
      id: WebhookId,
      ...Paging(DeliveryId),
      status: commaList(deliveryStatuses).optional(),
      event_id: EventId.optional().meta({ description: 'Only deliveries of this event.' }),
      event_type: commaList(eventTypeNames, 'One or more types, separated by commas.').optional(),
      ...createdBetween(),
    }),
    output: listOf(Delivery, 'DeliveryList'),
    errors: ['not_found'],
  }),
  delivery: operation({
    ...reading,
    path: '/webhooks/{id}/deliveries/{delivery_id}',
    summary: 'Get a delivery with requests and responses',
    input: ofDelivery,
    output: Delivery,
    errors: ['not_found'],
  }),
  redeliver: operation({
    method: 'POST',
    path: '/webhooks/{id}/deliveries/{delivery_id}/redeliver',
    summary: 'Send an event again',
    description: 'Creates a new delivery of the same event, with the same event id and body and three attempts.',
    scope: 'webhooks:write',
    names: 'organisation',
    status: 201,
    input: ofDelivery,
    output: Delivery,
    errors: ['not_found', 'webhook_inactive', 'idempotency_key_reused'],
    idempotent: true,
  }),
  missed: operation({
    ...reading,
    path: '/webhooks/{id}/missed',
    summary: 'List events that a webhook never acknowledged',
    description:
      'Lists events of the subscribed types, since the webhook was created, without a successful or pending delivery. Newest ' +
      'first. When a long time range is searched, a page can contain few events or none although `has_more` is true: continue ' +
      'after `last_id`.',
    storedScopes: [{ scope: 'runs:read', when: 'webhook_of_runs' }],
    input: z.strictObject({
      id: WebhookId,
      ...Paging(EventId),
      ...createdBetween(),
    }),
    output: EventList,
    errors: ['not_found'],
  }),
  recover: operation({
    method: 'POST',
    path: '/webhooks/{id}/recover',
    summary: 'Deliver missed events',
    description:
      'Delivers every event between `since` and `until` that the webhook has not acknowledged, oldest first, with its original ' +
      'id. The recovery runs in the background; read its progress or cancel it.',
    scope: 'webhooks:write',
    names: 'organisation',
    status: 201,
    input: z
      .strictObject({
        id: WebhookId,
        since: moment.meta({
          description: 'The start of the time that is searched.',
          examples: ['2026-01-15T09:30:00Z'],
        }),
        until: moment.optional().meta({ description: 'Default: now.' }),
      })
      .meta({ id: 'RecoverWebhook' }),
    output: Recovery,
    errors: ['not_found', 'input_invalid', 'webhook_inactive', 'recovery_running', 'idempotency_key_reused'],
    idempotent: true,
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
    summary: 'Get the progress of a recovery',
    input: ofRecovery,
    output: Recovery,
    errors: ['not_found'],
  }),
  cancelRecovery: operation({
    method: 'DELETE',
    path: '/webhooks/{id}/recoveries/{recovery_id}',
    summary: 'Cancel a recovery',
    description:
      'No more events are checked, and deliveries that were not sent yet are dropped. Cancelling again has no effect.',
    scope: 'webhooks:write',
    names: 'organisation',
    status: 200,
    input: ofRecovery,
    output: Recovery,
    errors: ['not_found'],
  }),
} as const
