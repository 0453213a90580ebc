// An MCP server with two tools on this computer. Node 24, no packages: node examples/mcp-server/main.ts
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'

// `. .dev/env` sets these variables. With MCP_TOKEN set, callers must send `Authorization: Bearer <token>`.
const url = new URL(process.env.MCP_SERVER_URL ?? 'https://127.0.0.1:8457/mcp')
const fileInDev = (name: string): URL => new URL(`../../.dev/tls/${name}`, import.meta.url)
const cert = readFileSync(process.env.TLS_CERT ?? fileInDev('cert.pem'))
const key = readFileSync(process.env.TLS_KEY ?? fileInDev('key.pem'))
const token = process.env.MCP_TOKEN

type Arguments = Record<string, string>
type Tool = {
  description: string
  properties: readonly string[]
  /**
   * `readOnlyHint` and `idempotentHint` say that the service may repeat a call whose outcome it does not know. A tool that
   * is neither read-only nor `destructiveHint: false` is called only after a person agrees, by default.
   */
  annotations: { readOnlyHint?: boolean; idempotentHint?: boolean }
  call(given: Arguments, idempotencyKey: string | undefined): string
}

/** Results by idempotency key. A program that does real work stores them where it stores the work. */
const sent = new Map<string | undefined, string>()

const tools: Readonly<Record<string, Tool>> = {
  get_weather: {
    description: 'Returns the weather of a city.',
    properties: ['city'],
    annotations: { readOnlyHint: true },
    call: ({ city }) => `It is 18 °C and cloudy in ${city}.`,
  },
  send_email: {
    description: 'Sends an email. This example only prints it.',
    properties: ['to', 'subject', 'body'],
    annotations: { readOnlyHint: false, idempotentHint: false },
    call: ({ to, subject, body }, idempotencyKey) => {
      const earlier = idempotencyKey === undefined ? undefined : sent.get(idempotencyKey)
      if (earlier !== undefined) return earlier
      console.log(`email to ${to}: ${subject}: ${body}`)
      const result = `Sent to ${to}.`
      sent.set(idempotencyKey, result)
      return result
    },
  },
}

type Message = { id?: string | number; method?: string; params?: Params }
type Params = { protocolVersion?: string; name?: string; arguments?: Arguments; _meta?: { idempotency_key?: string } }
type Reply = { result: unknown } | { error: { code: number; message: string } }

const revisions = ['2025-11-25', '2025-06-18', '2025-03-26']

/** The methods of MCP that a server with tools needs. */
const methods: Readonly<Record<string, (params: Params) => Reply>> = {
  initialize: ({ protocolVersion = '' }) => ({
    result: {
      protocolVersion: revisions.includes(protocolVersion) ? protocolVersion : revisions[0],
      capabilities: { tools: {} },
      serverInfo: { name: 'example', version: '1.0.0' },
    },
  }),
  ping: () => ({ result: {} }),
  'tools/list': () => ({
    result: {
      tools: Object.entries(tools).map(([name, { description, properties, annotations }]) => ({
        name,
        description,
        annotations,
        inputSchema: {
          type: 'object',
          properties: Object.fromEntries(properties.map((property) => [property, { type: 'string' }])),
          required: properties,
        },
      })),
    },
  }),
  'tools/call': ({ name = '', arguments: given = {}, _meta }) => {
    const tool = tools[name]
    if (!tool) return { error: { code: -32_602, message: `There is no tool ${name}` } }
    const missing = tool.properties.filter((property) => typeof given[property] !== 'string')
    // An error of a tool is a result: the model reads it and can correct its call.
    const isError = missing.length > 0
    const text = isError ? `Missing: ${missing.join(', ')}` : tool.call(given, _meta?.idempotency_key)
    console.log(`${name} ${JSON.stringify(given)}`)
    return { result: { content: [{ type: 'text', text }], isError } }
  },
}

const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
    response.writeHead(401).end()
    return
  }
  // This server keeps no sessions and sends nothing unasked, so it needs neither GET nor DELETE.
  if (request.method !== 'POST' || request.url !== url.pathname) {
    response.writeHead(request.method === 'POST' ? 404 : 405).end()
    return
  }
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { id, method = '', params = {} } = JSON.parse(Buffer.concat(chunks).toString()) as Message
  // A message without an id is a notification, which gets no reply.
  if (id === undefined) {
    response.writeHead(202).end()
    return
  }
  const reply: Reply = methods[method]?.(params) ?? {
    error: { code: -32_601, message: `There is no method ${method}` },
  }
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id, ...reply }))
}

const server = createServer({ cert, key }, (request, response) => {
  handle(request, response).catch(() => response.destroy())
})
server.listen(Number(url.port), url.hostname, () => console.log(`listening on ${url}`))
