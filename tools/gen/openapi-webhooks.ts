import { Event, type EventType, eventSample, eventTypes } from '@ars/contract'
import type { RouteConfig } from '@asteasolutions/zod-to-openapi'
import { z } from 'zod'
import { sampleEnvelope } from './event-sample.ts'

/** The data of each event type; its named schemas become components. */
export const eventData: readonly z.ZodType[] = Object.values(eventTypes).map(({ data }) => data)

/** One request of the service for each event type: the section `webhooks` of the document. */
export const webhookRoutes = (): RouteConfig[] => (Object.keys(eventTypes) as EventType[]).map(webhookOf)

const webhookOf = (type: EventType): RouteConfig => ({
  method: 'post',
  path: type,
  operationId: `events.on.${type}`,
  tags: ['events'],
  summary: eventTypes[type].when.replaceAll('`', ''),
  description:
    `${eventTypes[type].when}. ${receiversOf(type)} Each attempt sends the same bytes. Verify the signature over the raw body ` +
    'before you parse it.',
  // Only the signature authenticates the sender.
  security: [],
  parameters: signatureHeaders,
  request: {
    body: {
      required: true,
      content: { 'application/json': { schema: envelopeOf(type), example: sampleEnvelope(type, eventSample(type)) } },
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

const envelopeOf = (type: EventType): z.ZodType =>
  z.object({ ...Event.shape, type: z.literal(type), data: eventTypes[type].data })

const header = (name: string, description: string, schema: object) =>
  ({ name, in: 'header', required: true, description, schema }) as const

const signatureHeaders = [
  header(
    'X-SERVICE-Signature',
    'HMAC-SHA256 of the raw body with the complete signing secret as key, in lowercase hex.',
    {
      type: 'string',
      pattern: '^[0-9a-f]{64}$',
    },
  ),
  header('webhook-id', 'The id of the event, equal in each attempt. Use it to drop duplicates.', {
    type: 'string',
    pattern: '^evt_',
  }),
  header('webhook-timestamp', 'Time of this attempt, in seconds since 1970.', {
    type: 'string',
    pattern: '^[0-9]+$',
  }),
  header(
    'webhook-signature',
    'Standard Webhooks: `v1,` and the HMAC-SHA256 of id, timestamp and body in base64. Two signatures during a secret rotation.',
    { type: 'string', pattern: '^v1,[A-Za-z0-9+/=]+( v1,[A-Za-z0-9+/=]+)*$' },
  ),
]
