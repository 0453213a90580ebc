// Receives webhooks on this computer. Node 24, no packages: WEBHOOK_SECRET=whsec_… node examples/receiver/main.ts
import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { plainFits, standardFits } from './receiver.ts'

type Event = { id: string; type: string; created_at: string; data: Record<string, unknown> }

// `. .dev/env` sets these variables, but the secret: the service shows it when you register a webhook.
const url = new URL(process.env.RECEIVER_URL ?? 'https://127.0.0.1:8455')
const fileInDev = (name: string): URL => new URL(`../../.dev/tls/${name}`, import.meta.url)
const cert = readFileSync(process.env.TLS_CERT ?? fileInDev('cert.pem'))
const key = readFileSync(process.env.TLS_KEY ?? fileInDev('key.pem'))
const secret = process.env.WEBHOOK_SECRET ?? ''

const eventsKept = 100
const events: Event[] = []
const arrivals = new EventEmitter({ captureRejections: true })

/** POST: a delivery. The signatures are over the bytes of the body, so they are verified before anything parses it. */
const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  if (!isGenuine(request, body)) {
    console.log('rejected a request whose signature does not fit')
    response.writeHead(401).end()
    return
  }
  const event = JSON.parse(body.toString()) as Event
  // A delivery can be repeated. Its id is the same each time, so it is handled once.
  if (!events.some(({ id }) => id === event.id)) {
    events.push(event)
    events.splice(0, events.length - eventsKept)
    console.log(`${event.type} ${event.id}`)
    arrivals.emit('event')
  }
  response.writeHead(204).end()
}

const isGenuine = ({ headers }: IncomingMessage, body: Buffer): boolean => {
  // While a secret is being rotated there are two signatures, and the plain one is still made with the old secret.
  const isRotating = String(headers['webhook-signature']).includes(' ')
  return standardFits(secret, headers, body, Date.now() / 1000) && (isRotating || plainFits(secret, headers, body))
}

/** GET /events?type=run.completed&wait=20: the events received so far; waits for the first, and responds 404 if none comes. */
const show = async (query: URLSearchParams, response: ServerResponse): Promise<void> => {
  const type = query.get('type')
  const found = (): Event[] => events.filter((event) => type === null || event.type === type)
  const signal = AbortSignal.timeout(Number(query.get('wait') ?? 0) * 1000)
  while (found().length === 0 && !signal.aborted) await once(arrivals, 'event', { signal }).catch(() => undefined)
  response.writeHead(found().length > 0 ? 200 : 404, { 'content-type': 'application/json' })
  response.end(`${JSON.stringify(found())}\n`)
}

if (secret === '') {
  console.error('WEBHOOK_SECRET is not set. It is the `secret` of the response to POST /webhooks.')
  process.exit(2)
}

const server = createServer({ cert, key }, (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', url)
  const isQuestion = request.method === 'GET' && pathname === '/events'
  const answer = isQuestion ? show(searchParams, response) : receive(request, response)
  answer.catch(() => response.destroy())
})
server.listen(Number(url.port), url.hostname, () => console.log(`listening on ${url.origin}`))
