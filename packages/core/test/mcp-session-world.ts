import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createEgress } from '@ars/platform/egress/egress'
import { type LoopbackMcpServer, type McpServerOptions, startMcpServer } from '@ars/testkit/mcp-server'
import { afterAll, afterEach, expect } from 'vitest'
import { openMcpSession } from '../src/connectors/mcp-session.service.ts'
import { toolLimits } from '../src/connectors/tool-list.ts'
import { ToolFailure } from '../src/connectors/toolbox.ts'

export type Request = { id?: number; method: string; params?: Record<string, unknown> }

/** Sessions with well-behaved and hostile MCP servers. Its hooks belong to the file that calls it. */
export const mcpSessionWorld = () => {
  const egress = createEgress({ allowRanges: ['127.0.0.0/8'], allowPlainHttp: true, allowPorts: 'any' })
  // A well-behaved server gets a generous timeout; for a misbehaving one the test waits no longer than needed.
  const hasty = { ...toolLimits, openTimeoutMs: 3000, callTimeoutMs: 2500 }
  let limits = toolLimits
  const credential = 'a-token-that-nobody-may-see'
  const stops: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    limits = toolLimits
    for (const stop of stops.splice(0)) await stop()
  })
  afterAll(() => egress.close())

  const never = new AbortController().signal
  const busyConnections = () => egress.connections().open - egress.connections().idle
  const open = (url: string, signal = never) =>
    openMcpSession(
      { egress, limits },
      { org: 'org', name: 'Mail', url, headers: { authorization: `Bearer ${credential}` }, credential },
      signal,
    )
  const failureOf = (promise: Promise<unknown>): Promise<ToolFailure> =>
    promise.then(
      () => expect.fail('it should have failed'),
      (error: unknown) => {
        expect(error).toBeInstanceOf(ToolFailure)
        expect(JSON.stringify([(error as Error).message, String((error as Error).cause)])).not.toContain(credential)
        return error as ToolFailure
      },
    )

  const startMcp = async (options: McpServerOptions = {}): Promise<LoopbackMcpServer> => {
    const server = await startMcpServer(options)
    stops.push(() => server.stop())
    return server
  }

  /** A server that answers as the test says; it answers the handshake correctly unless the test overrides it. */
  const startHostile = async (
    answer: (request: Request, response: ServerResponse, incoming: IncomingMessage) => unknown,
  ): Promise<{ url: string; methods: string[]; openSockets(): number }> => {
    limits = hasty
    const methods: string[] = []
    const http = createServer(async (incoming, response) => {
      let body = ''
      for await (const chunk of incoming) body += chunk
      const request = (body ? JSON.parse(body) : { method: incoming.method }) as Request
      methods.push(request.method)
      if (answer(request, response, incoming) === undefined) return
      const known: Record<string, unknown> = {
        'server/discover': { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
        'tools/list': { resultType: 'complete', tools: [{ name: 'act', inputSchema: { type: 'object' } }] },
      }
      json(response, { jsonrpc: '2.0', id: request.id, result: known[request.method] ?? {} })
    })
    let sockets = 0
    http.on('connection', (socket) => {
      sockets++
      socket.on('close', () => sockets--)
      socket.on('error', () => undefined)
    })
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    stops.push(async () => {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    })
    return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, methods, openSockets: () => sockets }
  }

  const json = (response: ServerResponse, body: unknown): void => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

  /** Writes as fast as the other side reads, until the other side stops reading. */
  const flood = (response: ServerResponse, piece: string): void => {
    let isGone = false
    response.on('close', () => {
      isGone = true
    })
    const write = (): void => {
      while (!isGone && response.write(piece));
      if (!isGone) response.once('drain', write)
    }
    write()
  }

  return {
    egress,
    credential,
    stops,
    never,
    busyConnections,
    open,
    failureOf,
    startMcp,
    startHostile,
    json,
    flood,
    get limits() {
      return limits
    },
  }
}
