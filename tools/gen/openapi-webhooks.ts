import { Event, type EventType, eventSample, eventTypes } from '@ars/contract'
import type { RouteConfig } from '@asteasolutions/zod-to-openapi'
import { z } from 'zod'
import { sampleEnvelope } from './event-sample.ts'

/** What each type of event tells; the named schemas among it become components. */
export const eventData: readonly z.ZodType[] = Object.values(eventTypes).map(({ data }) => data)

/** One request that the service makes for each type of event: the `webhooks` of the document. */
export const webhookRoutes = (): RouteConfig[] => (Object.keys(eventTypes) as EventType[]).map(webhookOf)

const webhookOf = (type: EventType): RouteConfig => ({
  method: 'post',
  path: type,
  operationId: `events.on.${type}`,
  tags: ['events'],
  summary: eventTypes[type].when.replaceAll('`', ''),
  description:
    `${eventTypes[type].when}. ${receiversOf(type)} The bytes are the same with each attempt: verify the signature over the ` +
    'body as it came, before it is parsed.',
  // Who sends it is shown by the signature, and by nothing else.
  security: [],
  parameters: signatureHeaders,
  request: {
    body: {
      required: true,
      content: { 'application/json': { schema: envelopeOf(type), example: sampleEnvelope(type, eventSample(type)) } },
    },
  },
  responses: {
    '2XX': { description: 'Acknowledges the event. It must come, as a whole, within 10 seconds.' },
    410: { description: 'The endpoint is gone: the webhook is disabled, and nothing more is sent.' },
    default: { description: 'Anything else has failed, redirects too; the event is sent up to three times.' },
  },
})

const receiversOf = (type: EventType): string =>
  type === 'test'
    ? 'Sent to the one webhook that is tested.'
    : `Sent to every active webhook that named \`${type}\` or \`*\`.`

const envelopeOf = (type: EventType): z.ZodType =>
  z.object({ ...Event.shape, type: z.literal(type), data: eventTypes[type].data })

const header = (name: string, description: string, schema: object) =>
  ({ name, in: 'header', required: true, description, schema }) as const

const signatureHeaders = [
  header('X-SERVICE-Signature', 'HMAC-SHA256 of the raw body with the whole signing secret as key, in lowercase hex.', {
    type: 'string',
    pattern: '^[0-9a-f]{64}$',
  }),
  header('webhook-id', 'The id of the event: the same with each attempt, so that one seen before can be dropped.', {
    type: 'string',
    pattern: '^evt_',
  }),
  header('webhook-timestamp', 'When this attempt was made, in seconds since 1970.', {
    type: 'string',
    pattern: '^[0-9]+$',
  }),
  header(
    'webhook-signature',
    'Standard Webhooks: `v1,` and the HMAC-SHA256 of id, timestamp and body in base64; two of them while a secret is replaced.',
    { type: 'string', pattern: '^v1,[A-Za-z0-9+/=]+( v1,[A-Za-z0-9+/=]+)*$' },
  ),
]
