import { systemClock } from './clock.ts'
import type { Event } from './generated/types.ts'
import { encode, plainSignature, standardSignature } from './signature.ts'

export type WebhookToSign = {
  /** The event, or the exact body. */
  event: Event | string
  /** The secret of the webhook. During a rotation, the new and the old one: both sign, and `X-SERVICE-Signature` is the old one's. */
  secret: string | readonly string[]
  /** Default: the id of the event. */
  id?: string
  /** Default: now. */
  at?: Date
}

export type SignedWebhook = { body: string; headers: Record<string, string> }

/** Makes the request that the service would send, for tests of your receiver. */
export const signWebhook = async ({ event, secret, id, at }: WebhookToSign): Promise<SignedWebhook> => {
  const body = typeof event === 'string' ? event : JSON.stringify(event)
  const bytes = encode(body)
  const secrets = typeof secret === 'string' ? [secret] : secret
  const oldest = secrets.at(-1)
  if (!oldest) throw new TypeError('secret must be a non-empty string')
  const name = id ?? (typeof event === 'string' ? 'evt_test' : event.id)
  const timestamp = String(Math.floor((at?.getTime() ?? systemClock.now()) / 1_000))
  const signatures = await Promise.all(
    secrets.map((each) => standardSignature(each, { id: name, timestamp, body: bytes })),
  )
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': name,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(' '),
      'x-service-signature': await plainSignature(oldest, bytes),
    },
  }
}
