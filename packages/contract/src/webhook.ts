import { z } from 'zod'
import { createdAt } from './fields.ts'
import { WebhookId } from './ids.ts'

/** The states of a webhook that exists. */
export const webhookStatuses = ['healthy', 'failing', 'disabled'] as const

const WebhookActivity = z
  .object({
    deliveries: z.int().meta({ description: 'Deliveries that ended.' }),
    succeeded: z.int().meta({ description: 'Deliveries that the endpoint acknowledged.' }),
    failed: z.int().meta({ description: 'Deliveries whose last attempt failed.' }),
    success_rate: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .meta({ description: 'The share of deliveries that succeeded, 0 to 1; null without deliveries.' }),
  })
  .meta({
    id: 'WebhookActivity',
    description:
      'The deliveries that ended in the last 24 hours: the current hour and the 23 hours before it. Deliveries that were never sent, ' +
      'because the webhook was paused or deleted, are not counted.',
  })

export const Webhook = z
  .object({
    id: WebhookId,
    object: z.literal('webhook'),
    url: z.string().meta({ description: 'The endpoint that receives the events.' }),
    events: z.array(z.string()).meta({ description: 'Event types; `*` selects all.' }),
    planned_events: z.array(z.string()).meta({
      description: 'Those of `events` that the service does not send yet, because they are planned.',
    }),
    active: z.boolean().meta({ description: 'Whether deliveries are sent.' }),
    description: z.string().nullable().meta({ description: 'Your own note.' }),
    secret_hint: z.string().meta({ description: 'The last characters of the signing secret.' }),
    status: z.enum([...webhookStatuses, 'deleted']).meta({
      id: 'WebhookStatus',
      description:
        '`failing`: the latest deliveries failed. `disabled`: nothing is sent. `deleted`: only in the response that deletes it.',
    }),
    disabled_at: z.iso.datetime().nullable().meta({ description: 'When it was disabled; null if it is active.' }),
    disabled_reason: z
      .enum(['paused', 'gone', 'failing'])
      .meta({
        id: 'WebhookDisabledReason',
        description:
          '`paused`: by a request. `gone`: the endpoint responded with 410. `failing`: all deliveries failed for days.',
      })
      .nullable(),
    failing_since: z.iso.datetime().nullable().meta({ description: 'Since when all deliveries have failed.' }),
    missed_since: z.iso.datetime().nullable().meta({
      description:
        'Events since this time may not have been delivered. To send them, use `POST /webhooks/{id}/recover`.',
    }),
    last_day: WebhookActivity,
    created_at: createdAt,
  })
  .meta({ id: 'Webhook', description: 'An endpoint that receives events.' })

export type Webhook = z.infer<typeof Webhook>
