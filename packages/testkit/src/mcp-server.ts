import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMcpHandler, McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { type CallLine, openLedger } from './mcp-ledger.ts'
import { addTestTools, addTools, type TestTool, type ToolName, toolNames } from './mcp-tools.ts'

export type { TestTool } from './mcp-tools.ts'

/** A real MCP server on loopback, over streamable HTTP. Its ledger on disk records the calls. */
export type LoopbackMcpServer = {
  readonly url: string
  readonly port: number
  /** Each tool call in order, including those of earlier servers with the same file. */
  calls(): CallLine[]
  /** The HTTP requests so far, with their protocol methods. */
  requests(): readonly string[]
  stop(): Promise<void>
}

export type McpServerOptions = {
  /** The predefined tools that it lists. Default: all. */
  tools?: readonly ToolName[]
  /** The ledger file. Default: in memory. */
  ledgerFile?: string
  port?: number
  /** Requests without it get 401. */
  credential?: { header: string; value: string }
  /** `older` supports the revisions before 2026-07-28 and keeps sessions; `current` supports all. */
  revision?: 'current' | 'older'
  /** How long clients may use its list of tools, in the current revision. Default: not at all. */
  ttlMs?: number
  /** Tools of the test beside the predefined ones. They are read at every request, so a test can change them. */
  testTools?: Readonly<Record<string, TestTool>>
  /** Adds tools for the test. Called for every server instance, possibly one per request. */
  extend?: (server: McpServer) => void
}

export const startMcpServer = async (options: McpServerOptions = {}): Promise<LoopbackMcpServer> => {
  const { tools = toolNames, port = 0, credential, revision = 'current' } = options
  const ledger = openLedger(options.ledgerFile)
  const requests: string[] = []

  const makeServer = (): McpServer => {
    const { ttlMs } = options
    const hints = ttlMs === undefined ? {} : { cacheHints: { 'tools/list': { ttlMs } } }
    const server = new McpServer({ name: 'loopback', version: '1.0.0' }, hints)
    addTools(server, { tools, ledger })
    addTestTools(server, options.testTools ?? {}, ledger)
    options.extend?.(server)
    return server
  }
  const answer = revision === 'current' ? currentHandler(makeServer) : olderHandler(makeServer)

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await bytesOf(incoming)
    requests.push(`${incoming.method} ${methodIn(body)}`.trim())
    const request = requestOf(incoming, outgoing, body)
    const isWelcome = !credential || request.headers.get(credential.header) === credential.value
    await send(isWelcome ? await answer(request) : new Response('who are you?', { status: 401 }), outgoing)
  }
  const http = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch(() => outgoing.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject)
    http.listen(port, '127.0.0.1', resolve)
  })
  const bound = (http.address() as AddressInfo).port
  return {
    url: `http://127.0.0.1:${bound}/mcp`,
    port: bound,
    calls: ledger.read,
    requests: () => requests,
    async stop() {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
      ledger.close()
    },
  }
}

type Handler = (request: Request) => Promise<Response>
type MakeServer = () => McpServer

const currentHandler = (makeServer: MakeServer): Handler => {
  const { fetch } = createMcpHandler(makeServer)
  return (request) => fetch(request)
}

/** One transport for each session, as servers of the older revisions keep them. */
const olderHandler = (makeServer: MakeServer): Handler => {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  return async (request) => {
    const known = sessions.get(request.headers.get('mcp-session-id') ?? '')
    if (known) return known.handleRequest(request)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, transport)
      },
      onsessionclosed: (id) => {
        sessions.delete(id)
      },
    })
    await makeServer().connect(transport)
    return transport.handleRequest(request)
  }
}

const bytesOf = async (incoming: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const methodIn = (body: Buffer): string => {
  try {
    return String((JSON.parse(body.toString()) as { method?: unknown }).method ?? '')
  } catch {
    return ''
  }
}

/** Aborts when the client disconnects. */
const requestOf = (incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer): Request => {
  const gone = new AbortController()
  outgoing.once('close', () => gone.abort())
  const headers = Object.entries(incoming.headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  )
  return new Request(`http://${incoming.headers.host ?? '127.0.0.1'}${incoming.url ?? '/'}`, {
    method: incoming.method ?? 'GET',
    headers,
    signal: gone.signal,
    ...(body.length > 0 ? { body: new Uint8Array(body) } : {}),
  })
}

const send = async (response: Response, outgoing: ServerResponse): Promise<void> => {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  if (response.body) for await (const chunk of response.body) outgoing.write(chunk)
  outgoing.end()
}
