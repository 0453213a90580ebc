import { createHmac } from 'node:crypto'
import { randomBytes } from '@ars/platform/crypto'

/** `whsec_` and 32 random bytes in base64: the form that the libraries of Standard Webhooks read. */
export const newSigningSecret = (): string => `${prefix}${randomBytes(secretBytes).toString('base64')}`

/** The headers of Standard Webhooks: by them the endpoint can tell that we call, and when, and that nothing was altered. */
export const signatureHeaders = ({ secret, id, at, body }: Signed): Record<string, string> => {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const key = Buffer.from(secret.slice(prefix.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}

type Signed = { secret: string; id: string; at: Date; body: string }

const prefix = 'whsec_'
const secretBytes = 32
