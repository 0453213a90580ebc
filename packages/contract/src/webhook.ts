import { z } from 'zod'
import { WebhookId } from './ids.ts'

export const Webhook = z
  .object({
    id: WebhookId,
    object: z.literal('webhook'),
    url: z.string(),
    events: z.array(z.string()).meta({ description: 'Types of events; `*` stands for all.' }),
    active: z.boolean().meta({ description: 'Whether deliveries are sent.' }),
    description: z.string().nullable(),
    secret_hint: z.string().meta({ description: 'The end of the signing secret, so that people can tell two apart.' }),
    status: z.enum(['healthy', 'failing', 'disabled']),
    disabled_at: z.iso.datetime().nullable(),
    disabled_reason: z.enum(['paused', 'gone', 'failing']).nullable().meta({
      description: '`paused` by a person, `gone` by the receiver’s 410, `failing` by days of nothing but failure.',
    }),
    failing_since: z.iso.datetime().nullable(),
    missed_since: z.iso.datetime().nullable().meta({
      description: 'Events since then may not have been delivered: `POST /webhooks/{id}/recover` sends them.',
    }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Webhook' })

export type Webhook = z.infer<typeof Webhook>
