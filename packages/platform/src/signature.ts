import { createHmac } from 'node:crypto'
import { randomBytes } from './crypto.ts'

/**
 * The headers of Standard Webhooks. A receiver verifies the sender, the time and the integrity of a request. While a
 * previous secret is still valid, its signature follows that of the current one; a receiver accepts either.
 */
export const signatureHeaders = ({ secrets, id, at, body }: Signed): Record<string, string> => {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signed = `${id}.${timestamp}.`
  const signatures = secrets
    .filter((secret) => secret !== undefined)
    .map((secret) => `v1,${createHmac('sha256', standardKey(secret)).update(signed).update(body).digest('base64')}`)
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

/** `X-SERVICE-Signature`: lowercase hex over the raw body only. The key is the secret exactly as written. */
export const bodySignature = (secret: string, body: string): string =>
  createHmac('sha256', secret).update(body).digest('hex')

/** `whsec_` and 32 random bytes in base64, the format of the Standard Webhooks libraries. */
export const newSigningSecret = (): string => `${secretPrefix}${randomBytes(secretBytes).toString('base64')}`

const secretPrefix = 'whsec_'

type Signed = { secrets: readonly [current: string, old?: string | undefined]; id: string; at: Date; body: string }

const secretBytes = 32

/**
 * The libraries decode the part after the prefix, so that part is the key if it is padded base64 of 24 to 64 bytes. A
 * customer's secret may be any string; then the key is the whole string with its prefix.
 */
const standardKey = (secret: string): Buffer => {
  const encoded = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : ''
  const decoded = base64.test(encoded) ? Buffer.from(encoded, 'base64') : null
  const isKey = decoded !== null && decoded.length >= keyMinBytes && decoded.length <= keyMaxBytes
  return isKey ? decoded : Buffer.from(secret)
}

const keyMinBytes = 24
const keyMaxBytes = 64
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
