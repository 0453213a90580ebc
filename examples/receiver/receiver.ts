// Receives webhooks of Agent Run Service. Node 24, no packages: WEBHOOK_SECRET=whsec_… node receiver.ts
import { createHmac, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer } from 'node:https'

type Headers = Record<string, string | string[] | undefined>
type Event = { id: string; type: string; created_at: string; data: Record<string, unknown> }

const toleranceSeconds = 300
const bodyMaxBytes = 16_777_216

/** `X-SERVICE-Signature`: hex over the bytes of the body. The key is the whole secret, as text. */
export const plainFits = (secret: string, headers: Headers, body: Buffer): boolean =>
  isEqual(String(headers['x-service-signature']), hmac(secret, body).toString('hex'))

/** Standard Webhooks: base64 over id, time and body, so that old deliveries are rejected. */
export const standardFits = (secret: string, headers: Headers, body: Buffer, now: number): boolean => {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp } = headers
  if (!(Math.abs(now - Number(timestamp)) <= toleranceSeconds)) return false
  const wanted = `v1,${hmac(standardKey(secret), Buffer.from(`${id}.${timestamp}.`), body).toString('base64')}`
  return signaturesOf(headers).some((given) => isEqual(given, wanted))
}

// During a rotation there are two signatures, and the plain signature still uses the old secret.
const signaturesOf = (headers: Headers): string[] => String(headers['webhook-signature']).split(' ')

// The key is the base64 after `whsec_`. If that is not base64 of 24 to 64 bytes, the whole secret is the key.
const standardKey = (secret: string): Buffer => {
  const encoded = secret.replace(/^whsec_/, '')
  const isBase64 = /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(encoded)
  const key = Buffer.from(encoded, 'base64')
  return isBase64 && key.length >= 24 && key.length <= 64 ? key : Buffer.from(secret)
}

const hmac = (key: string | Buffer, ...parts: Buffer[]): Buffer =>
  createHmac('sha256', key).update(Buffer.concat(parts)).digest()

// `===` stops at the first difference, so its duration reveals how much of a guess is correct.
const isEqual = (given: string, wanted: string): boolean => {
  const [left, right] = [Buffer.from(given), Buffer.from(wanted)]
  return left.length === right.length && timingSafeEqual(left, right)
}

// An event can be delivered more than once. Store its id together with your work; this example keeps 10,000 ids in memory.
const seen = new Set<string>()
const isNew = (id: string): boolean => {
  if (seen.has(id)) return false
  const [oldest] = seen.add(id)
  if (seen.size > 10_000 && oldest !== undefined) seen.delete(oldest)
  return true
}

/** Your work. Respond within 10 s; put longer work into a queue. */
const handle = ({ type, id }: Event): void => console.log(`${type} ${id}`)

const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (!(Number(request.headers['content-length']) <= bodyMaxBytes)) return void response.writeHead(413).end()
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks) // Verify the raw bytes, before any parsing.
  const { WEBHOOK_SECRET: secret = '' } = process.env
  const isGenuine =
    standardFits(secret, request.headers, body, Date.now() / 1000) &&
    (signaturesOf(request.headers).length > 1 || plainFits(secret, request.headers, body))
  if (!isGenuine) return void response.writeHead(401).end()
  const event = JSON.parse(body.toString()) as Event
  if (isNew(event.id)) handle(event)
  response.writeHead(204).end()
}

if (import.meta.main) {
  const { PORT = '8080', TLS_CERT, TLS_KEY } = process.env // Without a certificate, run it behind a proxy that terminates TLS.
  const server = TLS_CERT
    ? createServer({ cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY ?? '') }, receive)
    : createPlainServer(receive)
  server.listen(Number(PORT), () => console.log(`listening on ${PORT}`))
}
