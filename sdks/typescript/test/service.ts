import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { stackFacts } from '@ars/testkit/stack'
import { Agent, fetch as undiciFetch } from 'undici'
import { onTestFinished } from 'vitest'
import { AgentRunService, type ClientOptions, type Clock, type Fetch } from '../src/index.ts'

export type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: string }
type Behaviour = (request: Seen, response: ServerResponse, n: number) => void

/** A misbehaving HTTPS server for tests, and a client whose clock never waits. */
export const startService = async (behave: Behaviour, options: ClientOptions = {}) => {
  const { tls } = stackFacts()
  const cert = readFileSync(tls.certFile)
  const seen: Seen[] = []
  const sockets = new Set<Duplex>()
  const server = createServer({ cert, key: readFileSync(tls.keyFile) }, (request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part) => parts.push(part))
    request.on('error', () => undefined)
    response.on('error', () => undefined)
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const one = { method, url, headers, body: Buffer.concat(parts).toString() }
      seen.push(one)
      behave(one, response, seen.length)
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const agent = new Agent({ connect: { ca: cert } })
  onTestFinished(async () => {
    await agent.destroy()
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const waits: number[] = []
  const clock = testClock(waits)
  const fetch = ((url: string, init: RequestInit) =>
    undiciFetch(url, { ...init, dispatcher: agent } as Parameters<typeof undiciFetch>[1])) as unknown as Fetch
  const baseUrl = `https://localhost:${(server.address() as AddressInfo).port}/v2`
  const client = new AgentRunService({ apiKey: 'ars_live_test', baseUrl, fetch, clock, ...options })
  return { client, seen, waits, fetch, baseUrl, sockets }
}

/** Time advances only by sleeping, and sleeping returns at once. */
const testClock = (waits: number[]): Clock => {
  let now = 1_800_000_000_000
  return {
    now: () => now,
    random: () => 0.5,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted()
      waits.push(ms)
      now += ms
    },
  }
}

export const answer = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
}

export const refusal = (code: string, more: Record<string, unknown> = {}) => ({
  error: {
    type: 'invalid_request_error',
    code,
    message: `It is ${code}`,
    param: null,
    request_id: 'req_1',
    doc_url: `https://example.com/${code}`,
    details: [],
    ...more,
  },
})
