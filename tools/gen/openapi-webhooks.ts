import { type EventType, eventEnvelopes, eventSample, eventTypes } from '@ars/contract'
import type { RouteConfig } from '@asteasolutions/zod-to-openapi'
import type { z } from 'zod'
import type { Reference } from './document.ts'
import { sampleEnvelope } from './event-sample.ts'

/** Groups the requests of the service. Generators make a class of it, which must not hide the one of `events`. */
export const webhookTag = 'Webhook events'

/** The events as they are sent; their named schemas become components. */
export const eventSchemas: readonly z.ZodType[] = Object.values(eventEnvelopes)

/** One request of the service for each event type: the section `webhooks` of the document. */
export const webhookRoutes = (): RouteConfig[] => (Object.keys(eventTypes) as EventType[]).map(webhookOf)

const webhookOf = (type: EventType): RouteConfig => ({
  method: 'post',
  path: type,
  operationId: `events.on.${type}`,
  tags: [webhookTag],
  summary: eventTypes[type].when.replaceAll('`', ''),
  description:
    `${eventTypes[type].when}. ${receiversOf(type)} Each attempt sends the same bytes. Verify the signature over the raw body ` +
    'before you parse it.',
  // Only the signature authenticates the sender.
  security: [],
  parameters: Object.keys(signatureHeaders).map((name): Reference => ({ $ref: `#/components/parameters/${name}` })),
  request: {
    body: {
      required: true,
      content: {
        'application/json': { schema: eventEnvelopes[type], example: sampleEnvelope(type, eventSample(type)) },
      },
    },
  },
  responses: {
    '2XX': { description: 'Acknowledges the event. The complete response must arrive within 10 seconds.' },
    410: { description: 'The endpoint no longer exists: the webhook is disabled, and nothing more is sent.' },
    default: {
      description: 'Any other response, including a redirect, is a failed attempt. There are up to three attempts.',
    },
  },
})

const receiversOf = (type: EventType): string =>
  type === 'test'
    ? 'Sent to the tested webhook only.'
    : `Sent to every active webhook that subscribes to \`${type}\` or \`*\`.`

const header = (name: string, description: string, schema: object) =>
  ({ name, in: 'header', required: true, description, schema }) as const

/** Components, because a generator writes no valid code for a header parameter inside a webhook. */
export const signatureHeaders = {
  'X-SERVICE-Signature': header(
    'X-SERVICE-Signature',
    'HMAC-SHA256 of the raw body with the complete signing secret as key, in lowercase hex.',
    { type: 'string', pattern: '^[0-9a-f]{64}$' },
  ),
  'X-SERVICE-Delivery': header('X-SERVICE-Delivery', 'The id of the delivery, equal in each of its attempts.', {
    type: 'string',
    pattern: '^dlv_',
  }),
  'webhook-id': header('webhook-id', 'The id of the event, equal in each attempt. Use it to drop duplicates.', {
    type: 'string',
    pattern: '^evt_',
  }),
  'webhook-timestamp': header('webhook-timestamp', 'Time of this attempt, in seconds since 1970.', {
    type: 'string',
    pattern: '^[0-9]+$',
  }),
  'webhook-signature': header(
    'webhook-signature',
    'Standard Webhooks: `v1,` and the HMAC-SHA256 of id, timestamp and body in base64. Two signatures during a secret rotation.',
    { type: 'string', pattern: '^v1,[A-Za-z0-9+/=]+( v1,[A-Za-z0-9+/=]+)*$' },
  ),
} as const
