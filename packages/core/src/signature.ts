import { createHmac } from 'node:crypto'
import { randomBytes } from '@ars/platform/crypto'

/**
 * The headers of Standard Webhooks: by them a receiver can tell that we call, and when, and that nothing was altered. While an
 * old secret still counts, its signature stands behind that of the current one; a receiver takes whichever fits.
 */
export const signatureHeaders = ({ secrets, id, at, body }: Signed): Record<string, string> => {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signed = `${id}.${timestamp}.`
  const signatures = secrets
    .filter((secret) => secret !== undefined)
    .map((secret) => `v1,${createHmac('sha256', standardKey(secret)).update(signed).update(body).digest('base64')}`)
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

/** `X-SERVICE-Signature`: lowercase hex over the raw body and nothing else. Its key is the secret as it is written, to the letter. */
export const bodySignature = (secret: string, body: string): string =>
  createHmac('sha256', secret).update(body).digest('hex')

/** `whsec_` and 32 random bytes in base64: the form that the libraries of Standard Webhooks read. */
export const newSigningSecret = (): string => `${secretPrefix}${randomBytes(secretBytes).toString('base64')}`

const secretPrefix = 'whsec_'

type Signed = { secrets: readonly [current: string, old?: string | undefined]; id: string; at: Date; body: string }

const secretBytes = 32

/**
 * The libraries decode what follows the prefix, so that must be the key wherever it can be: base64 with its padding, of 24 to
 * 64 bytes. A customer's own secret may be any text; then the key is that whole text, prefix and all.
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
