import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMcpHandler, McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { type CallLine, openLedger } from './mcp-ledger.ts'
import { addTools, type ToolName, toolNames } from './mcp-tools.ts'

/** A real MCP server on loopback, over streamable HTTP. What was asked of it is in its ledger, on the disk. */
export interface LoopbackMcpServer {
  readonly url: string
  readonly port: number
  /** Each tool call, in the order in which they came; also those of earlier servers on the same file. */
  calls(): CallLine[]
  /** HTTP requests so far, with the methods of the protocol that they carried. */
  requests(): readonly string[]
  stop(): Promise<void>
}

export interface McpServerOptions {
  /** Which of the ready-made tools it lists; all of them unless told. */
  tools?: readonly ToolName[]
  /** Kept in memory unless told. */
  ledgerFile?: string
  port?: number
  /** Whoever does not send it is answered 401. */
  credential?: { header: string; value: string }
  /** `older` speaks the revisions before 2026-07-28 and keeps sessions; `current` speaks all. */
  revision?: 'current' | 'older'
  /** Also adds tools of the test's own; called for every server made, which may be one a request. */
  extend?: (server: McpServer) => void
}

export async function startMcpServer(options: McpServerOptions = {}): Promise<LoopbackMcpServer> {
  const { tools = toolNames, port = 0, credential, revision = 'current' } = options
  const ledger = openLedger(options.ledgerFile)
  const requests: string[] = []

  const makeServer = (): McpServer => {
    const server = new McpServer({ name: 'loopback', version: '1.0.0' })
    addTools(server, { tools, ledger })
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

function currentHandler(makeServer: MakeServer): Handler {
  const { fetch } = createMcpHandler(makeServer)
  return (request) => fetch(request)
}

/** One transport for each session, as servers of the older revisions keep them. */
function olderHandler(makeServer: MakeServer): Handler {
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

async function bytesOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function methodIn(body: Buffer): string {
  try {
    return String((JSON.parse(body.toString()) as { method?: unknown }).method ?? '')
  } catch {
    return ''
  }
}

/** Aborts when the client hangs up, as a web server's own requests do. */
function requestOf(incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer): Request {
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

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  if (response.body) for await (const chunk of response.body) outgoing.write(chunk)
  outgoing.end()
}
