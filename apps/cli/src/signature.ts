import { createHmac, randomBytes } from 'node:crypto'

/** The signature headers of a delivery: those of Standard Webhooks and `X-SERVICE-Signature`. */
export const signatureHeaders = ({ secret, id, at, body }: Signed): Record<string, string> => {
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  const signature = createHmac('sha256', standardKey(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
    'X-SERVICE-Signature': createHmac('sha256', secret).update(body).digest('hex'),
  }
}

export const newSecret = (): string => `${prefix}${randomBytes(32).toString('base64')}`

type Signed = { secret: string; id: string; at: Date; body: string }

const prefix = 'whsec_'

/** The part after the prefix if it is base64 of 24 to 64 bytes; otherwise the whole string. */
const standardKey = (secret: string): Buffer => {
  const encoded = secret.startsWith(prefix) ? secret.slice(prefix.length) : ''
  const decoded = Buffer.from(encoded, 'base64')
  const isBase64 = encoded !== '' && decoded.toString('base64') === encoded
  return isBase64 && decoded.length >= 24 && decoded.length <= 64 ? decoded : Buffer.from(secret)
}
