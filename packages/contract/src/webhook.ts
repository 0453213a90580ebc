import { z } from 'zod'
import { WebhookId } from './ids.ts'

export const Webhook = z
  .object({
    id: WebhookId,
    object: z.literal('webhook'),
    url: z.string(),
    events: z.array(z.string()).meta({ description: 'Event types; `*` selects all.' }),
    active: z.boolean().meta({ description: 'Whether deliveries are sent.' }),
    description: z.string().nullable(),
    secret_hint: z.string().meta({ description: 'The last characters of the signing secret.' }),
    status: z.enum(['healthy', 'failing', 'disabled']).meta({
      description: '`failing`: the latest deliveries failed. `disabled`: nothing is sent.',
    }),
    disabled_at: z.iso.datetime().nullable(),
    disabled_reason: z.enum(['paused', 'gone', 'failing']).nullable().meta({
      description:
        '`paused`: by a request. `gone`: the endpoint responded with 410. `failing`: all deliveries failed for days.',
    }),
    failing_since: z.iso.datetime().nullable(),
    missed_since: z.iso.datetime().nullable().meta({
      description:
        'Events since this time may not have been delivered. To send them, use `POST /webhooks/{id}/recover`.',
    }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Webhook' })

export type Webhook = z.infer<typeof Webhook>
