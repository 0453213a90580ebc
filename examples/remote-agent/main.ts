// A remote agent on this computer. Node 24, no packages: SIGNING_SECRET=whsec_… node examples/remote-agent/main.ts
import { createHmac, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'

type Call = { run_id: string; input: { query?: string }; messages: string[] }
type Frame = { delta: string } | { output: { result: string } }

// `. .dev/env` sets these variables, but the secret: the service shows it when you create the agent.
const url = new URL(process.env.REMOTE_AGENT_URL ?? 'https://127.0.0.1:8456/agent')
const fileInDev = (name: string): URL => new URL(`../../.dev/tls/${name}`, import.meta.url)
const cert = readFileSync(process.env.TLS_CERT ?? fileInDev('cert.pem'))
const key = readFileSync(process.env.TLS_KEY ?? fileInDev('key.pem'))
const secret = process.env.SIGNING_SECRET ?? ''

const toleranceSeconds = 300

/** The agent. Yield text as you produce it: the service streams it to the caller. */
const respond = async function* ({ input, messages }: Call): AsyncGenerator<string> {
  for (const word of `You said: ${[input.query ?? '', ...messages].join(', ')}`.split(/(?<= )/)) {
    yield word
    await sleep(50)
  }
}

const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  if (!isGenuine(request.headers, body)) {
    console.log('rejected a request whose signature does not fit')
    response.writeHead(401).end()
    return
  }
  const call = JSON.parse(body.toString()) as Call
  console.log(call.run_id)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (frame: Frame): boolean => response.write(`data: ${JSON.stringify(frame)}\n\n`)
  let result = ''
  for await (const delta of respond(call)) {
    // The service closes the connection when the run is cancelled or out of time.
    if (response.destroyed) return
    send({ delta })
    result += delta
  }
  send({ output: { result } })
  response.end()
}

/** Standard Webhooks: a signature over id, time and body, so that an old request cannot be sent again. */
const isGenuine = (headers: IncomingHttpHeaders, body: Buffer): boolean => {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSeconds)) return false
  const signingKey = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signed = createHmac('sha256', signingKey).update(`${id}.${timestamp}.`).update(body).digest('base64')
  const expected = Buffer.from(`v1,${signed}`)
  return String(signatures)
    .split(' ')
    .map((signature) => Buffer.from(signature))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected))
}

if (secret === '') {
  console.error('SIGNING_SECRET is not set. It is the `signing_secret` of the response to POST /agents/custom.')
  process.exit(2)
}

const server = createServer({ cert, key }, (request, response) => {
  handle(request, response).catch(() => response.destroy())
})
server.listen(Number(url.port), url.hostname, () => console.log(`listening on ${url}`))
