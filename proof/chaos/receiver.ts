import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { makeCertificate } from '@ars/platform/egress/test/certificate'
import { verify } from '../lab/client/webhook-signature.ts'
import { lineWriter, parseLines } from './journal.ts'
import { giveAnswer, inWords, type Plan } from './receiver-answer.ts'
import { type Endpoint, endpointAt, type OpenEndpoint } from './receiver-endpoint.ts'
import type { AnsweredLine, ReceivedLine, ReceiverLine } from './receiver-journal.ts'

/** Customers' receivers over real HTTPS, each on a separate address. The fleet does not know them. */
export type Receiver = {
  /** Laid over the servers' settings, so that they may call it. */
  readonly env: NodeJS.ProcessEnv
  open(name: string, options: { secrets: readonly string[]; plan: Plan; onBody?: OnBody }): Promise<Endpoint>
  /** Another program of a customer, on a separate address. Answers its URL. */
  serve(program: Program): Promise<string>
  /** Requests for anything but a hook, such as a followed redirect. */
  readonly strays: readonly string[]
  /** What came so far, to this address only where one is given. */
  received(url?: string): readonly ReceivedLine[]
  /** All of the journal, from the disk. */
  read(): Promise<ReceiverLine[]>
  close(): Promise<void>
}

type OnBody = (body: Buffer) => void

/** Answers a request with JSON. `reset`: it breaks the connection off with RST. */
export type Program = (body: Buffer) => Promise<object | 'reset'>

/** The maximum number of endpoints; the certificate names the address of each. */
const maxAddresses = 250
const addressOf = (n: number): string => `127.0.7.${n + 1}`
/** Longer than the sender keeps a connection, so that the receiver never closes first. */
const keepAliveMs = 120_000

export const startReceiver = async ({ dir, port }: { dir: string; port: number }): Promise<Receiver> => {
  mkdirSync(dir, { recursive: true })
  const { cert, key } = makeCertificate(Array.from({ length: maxAddresses }, (_, n) => addressOf(n)))
  const certFile = join(dir, 'receiver.pem')
  writeFileSync(certFile, cert)
  const journalFile = join(dir, 'receiver-journal.jsonl')
  const handle = await open(journalFile, 'a')
  const write = lineWriter(handle)
  const endpoints = new Map<string, OpenEndpoint>()
  const watchers = new Map<string, OnBody>()
  const programs = new Map<string, Program>()
  const received: ReceivedLine[] = []
  const strays: string[] = []
  const sockets = new Map<string, Socket>()
  const listeners: Server[] = []

  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [at, atMs] = [Date.now(), performance.now()]
    const program = programs.get(request.headers.host ?? '')
    if (program) {
      const asked = await buffer(request)
      return program(asked).then((said) => {
        if (said === 'reset') sockets.get(peerOf(request.socket))?.resetAndDestroy()
        else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said))
      })
    }
    const endpoint = endpoints.get(request.headers.host ?? '')
    if (!endpoint || request.method !== 'POST' || request.url !== '/hook') {
      strays.push(`${request.method} ${request.headers.host}${request.url}`)
      response.writeHead(404).end()
      return
    }
    endpoint.come()
    response.once('close', endpoint.go)
    const body = await buffer(request)
    watchers.get(endpoint.url)?.(body)
    const eventId = String(request.headers['webhook-id'] ?? '')
    const { plain, standard, signatures } = verify(endpoint.secrets, request.headers, body)
    const answer = endpoint.next(eventId)
    const line: ReceivedLine = {
      kind: 'received',
      request: received.length + 1,
      at,
      at_ms: atMs,
      url: endpoint.url,
      event_id: eventId,
      ...subjectOf(body),
      timestamp: Number(request.headers['webhook-timestamp']),
      sha256: createHash('sha256').update(body).digest('hex'),
      bytes: body.length,
      plain_by: plain,
      standard_by: standard,
      signatures,
      plan: inWords(answer),
    }
    received.push(line)
    endpoint.lines.push(line)
    await write(line)
    const raw = sockets.get(peerOf(request.socket))
    const reset = (): void => void raw?.resetAndDestroy()
    const status = await giveAnswer(answer, request, response, { cameMs: atMs, reset })
    await write({ kind: 'answered', request: line.request, at_ms: performance.now(), status } satisfies AnsweredLine)
  }

  const server = createTlsServer({ cert, key, keepAliveTimeout: keepAliveMs }, (request, response) => {
    response.on('error', () => undefined)
    take(request, response).catch(() => response.destroy())
  })
  server.on('tlsClientError', () => undefined)

  /** The raw sockets are kept, because only they can be broken off with RST. */
  const listen = async (host: string): Promise<void> => {
    const listener = createServer((socket) => {
      const peer = peerOf(socket)
      sockets.set(peer, socket)
      socket.once('close', () => sockets.delete(peer))
      socket.on('error', () => undefined)
      server.emit('connection', socket)
    })
    listener.listen(port, host)
    await once(listener, 'listening')
    listeners.push(listener)
  }

  const nextAddress = (name: string): string => {
    const used = endpoints.size + programs.size
    if (used >= maxAddresses) throw new Error(`there is no address left for the endpoint ${name}`)
    return addressOf(used)
  }

  return {
    env: {
      ARS_EGRESS_ALLOW_RANGES: '127.0.0.0/8',
      ARS_EGRESS_ALLOW_PORTS: 'any',
      ARS_EGRESS_CA_FILE: certFile,
    },
    open: async (name, { secrets, plan, onBody }) => {
      const address = nextAddress(name)
      const endpoint = endpointAt(`https://${address}:${port}/hook`, { secrets, plan })
      endpoints.set(`${address}:${port}`, endpoint)
      if (onBody) watchers.set(endpoint.url, onBody)
      await listen(address)
      return endpoint
    },
    serve: async (program) => {
      const address = nextAddress('of a program')
      programs.set(`${address}:${port}`, program)
      await listen(address)
      return `https://${address}:${port}`
    },
    strays,
    received: (url) => (url === undefined ? received : (byUrl(endpoints, url)?.lines ?? [])),
    read: async () => parseLines<ReceiverLine>(await readFile(journalFile, 'utf8')),
    close: async () => {
      for (const socket of sockets.values()) socket.destroy()
      for (const listener of listeners) listener.close()
      server.close()
      await handle.close()
    },
  }
}

const byUrl = (endpoints: ReadonlyMap<string, OpenEndpoint>, url: string): OpenEndpoint | undefined =>
  endpoints.get(new URL(url).host)

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress}:${remotePort}`

/** Any event has a type; most are about something with an id. */
const subjectOf = (body: Buffer): { type: string; subject: string } => {
  try {
    const { type, data } = JSON.parse(body.toString('utf8')) as { type?: string; data?: { id?: string } }
    return { type: type ?? '', subject: data?.id ?? '' }
  } catch {
    return { type: 'no JSON', subject: '' }
  }
}
