import { type EventType, eventEnvelopes, eventSample, eventTypes, isPlannedEvent } from '@ars/contract'
import type { RouteConfig } from '@asteasolutions/zod-to-openapi'
import type { z } from 'zod'
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
  ...(isPlannedEvent(type) && { 'x-status': 'planned' }),
  description:
    `${isPlannedEvent(type) ? 'Planned: the service does not send it yet. ' : ''}${eventTypes[type].when}. ${receiversOf(type)} Each attempt sends the same bytes. Verify the signature over the raw body ` +
    'before you parse it.',
  // Only the signature authenticates the sender.
  security: [],
  request: {
    body: {
      required: true,
      content: {
        'application/json': { schema: eventEnvelopes[type], example: sampleEnvelope(type, eventSample(type)) },
      },
    },
  },
  responses: {
    '2XX': { description: 'Acknowledges the event, within 10 seconds.' },
    410: { description: 'Disables the webhook.' },
    default: {
      description: 'A failed attempt, also a redirect. There are up to three.',
    },
  },
})

const receiversOf = (type: EventType): string =>
  type === 'test'
    ? 'Sent to the tested webhook only.'
    : `Sent to every active webhook that subscribes to \`${type}\` or \`*\`.`

/**
 * Said once, in words: generators write code that does not compile for header parameters of webhooks, whether they stand
 * there or are components.
 */
export const webhookTagWords = `Requests that the service sends to webhooks. Each has these headers:

\`X-SERVICE-Signature\`: HMAC-SHA256 of the raw body with the complete signing secret as key, in lowercase hex.

\`X-SERVICE-Delivery\`: the id of the delivery, equal in each of its attempts.

\`webhook-id\`: the id of the event, equal in each attempt. Use it to drop duplicates.

\`webhook-timestamp\`: the time of this attempt, in seconds since 1970.

\`webhook-signature\`: Standard Webhooks: \`v1,\` and the HMAC-SHA256 of id, timestamp and body in base64. Two signatures during a secret rotation.

\`X-SERVICE-Test: true\`: only with a test, or a test that is sent again. The event did not happen.`
