import { systemClock } from './clock.ts'
import { AgentRunServiceError } from './errors.ts'
import type { Event } from './generated/types.ts'
import { withOutputText } from './output-text.ts'
import { type Bytes, encode, plainSignature, standardSignature } from './signature.ts'

export type WebhookDelivery = {
  /** The raw body, before parsing: the signature covers its bytes. */
  body: string | Uint8Array
  /** The request headers: a `Headers`, those of node:http, or a plain object. Names are case-insensitive. */
  headers: HeaderSource
  /** The secret of the webhook; during a rotation, the new and the old one. */
  secret: string | readonly string[]
  /** The maximum difference of the delivery time, in either direction. */
  toleranceSeconds?: number
  /** For tests. */
  now?: Date
}

export type HeaderSource =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export type WebhookRefusal =
  | 'secret_invalid'
  | 'headers_missing'
  | 'timestamp_invalid'
  | 'too_old'
  | 'too_new'
  | 'signature_mismatch'
  | 'body_invalid'

/** The delivery is not authentic: respond 400 and do nothing. */
export class WebhookVerificationError extends AgentRunServiceError {
  override readonly name = 'WebhookVerificationError'
  readonly reason: WebhookRefusal

  constructor(reason: WebhookRefusal, message: string) {
    super(message)
    this.reason = reason
  }
}

const defaultToleranceSeconds = 300

/**
 * Verifies a delivery and returns its event. Checks both signatures: the Standard Webhooks headers, which also cover id
 * and time, and `X-SERVICE-Signature` if present.
 */
export const verifyWebhook = async (delivery: WebhookDelivery): Promise<Event> => {
  const { headers, secret, toleranceSeconds = defaultToleranceSeconds } = delivery
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (secrets.length === 0 || secrets.some((each) => each === '')) refuse('secret_invalid', 'A secret is missing.')
  const id = readHeader(headers, 'webhook-id')
  const timestamp = readHeader(headers, 'webhook-timestamp')
  const signatures = readHeader(headers, 'webhook-signature')
  if (!id || !timestamp || !signatures) {
    return refuse('headers_missing', 'The headers webhook-id, webhook-timestamp and webhook-signature are required.')
  }
  checkTime(timestamp, toleranceSeconds, delivery.now?.getTime() ?? systemClock.now())

  const body = typeof delivery.body === 'string' ? encode(delivery.body) : new Uint8Array(delivery.body)
  const sent = signatures.split(' ').filter((each) => each.startsWith('v1,'))
  const isSigned = await fitsAny(secrets, sent, (each) => standardSignature(each, { id, timestamp, body }))
  if (!isSigned) refuse('signature_mismatch', 'webhook-signature does not match the body and the secret.')

  const plain = readHeader(headers, 'x-service-signature')
  // During a rotation this header uses the old secret, which a receiver may have dropped already.
  if (plain !== undefined && sent.length < 2) {
    const isPlainSigned = await fitsAny(secrets, [plain], (each) => plainSignature(each, body))
    if (!isPlainSigned) refuse('signature_mismatch', 'X-SERVICE-Signature does not match the body and the secret.')
  }
  return parseEvent(body)
}

const refuse = (reason: WebhookRefusal, message: string): never => {
  throw new WebhookVerificationError(reason, message)
}

const checkTime = (timestamp: string, toleranceSeconds: number, nowMs: number): void => {
  if (!/^\d{1,12}$/.test(timestamp)) refuse('timestamp_invalid', 'webhook-timestamp must be in seconds since 1970.')
  const age = nowMs / 1_000 - Number(timestamp)
  if (age > toleranceSeconds) refuse('too_old', `The delivery is older than ${toleranceSeconds} s.`)
  if (age < -toleranceSeconds) refuse('too_new', `The delivery time is more than ${toleranceSeconds} s in the future.`)
}

/** Compares every candidate in full, in constant time. */
const fitsAny = async (
  secrets: readonly string[],
  sent: readonly string[],
  sign: (secret: string) => Promise<string>,
): Promise<boolean> => {
  const wanted = await Promise.all(secrets.map(sign))
  return wanted.flatMap((each) => sent.map((other) => isEqual(each, other))).includes(true)
}

const isEqual = (left: string, right: string): boolean => {
  let difference = left.length ^ right.length
  for (let n = 0; n < left.length; n++) difference |= left.charCodeAt(n) ^ right.charCodeAt(n)
  return difference === 0
}

const readHeader = (headers: HeaderSource, name: string): string | undefined => {
  if (typeof headers.get === 'function') return (headers as { get(name: string): string | null }).get(name) ?? undefined
  const found = Object.entries(headers as Record<string, string | readonly string[] | undefined>).find(
    ([each]) => each.toLowerCase() === name,
  )?.[1]
  return typeof found === 'string' ? found : found?.[0]
}

const parseEvent = (body: Bytes): Event => {
  const event = withOutputText(readJson(new TextDecoder().decode(body)))
  if (typeof event !== 'object' || event === null)
    return refuse('body_invalid', 'The body is signed but is not a JSON object.')
  return event as Event
}

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
