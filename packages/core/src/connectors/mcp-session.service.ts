import { type CallToolResult, createMCPClient, type MCPClient, MCPClientError } from '@ai-sdk/mcp'
import { sha256 } from '@ars/platform/crypto'
import type { Egress } from '@ars/platform/egress/egress'
import { EgressFailed, egressErrorOf } from '@ars/platform/egress/failure'
import { isDeeperThan, withoutSecret } from './json-value.ts'
import { badAnswer, tooManyTools } from './mcp-message.ts'
import { createMcpTransport, type MarkedCall, type McpTransport } from './mcp-transport.service.ts'
import type { ToolLimits } from './tool-list.ts'
import type { ListedTool } from './tool-manifest.ts'
import { type CallOptions, type CallOutcome, type McpResult, ToolFailure } from './toolbox.ts'

/** One server, its tools, and a function to call them. */
export type McpSession = {
  /** Empty if the tools were known. */
  readonly listed: readonly ListedTool[]
  /** How long the server wants the list to be used; undefined if it does not say. */
  readonly ttlMs: number | undefined
  call(remoteName: string, args: Readonly<Record<string, unknown>>, options: CallOptions): Promise<McpResult>
  close(): Promise<void>
}

export type Server = {
  readonly org: string
  /** The connector's name for people. */
  readonly name: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly credential: string | null
}

type Deps = { readonly egress: Egress; readonly limits: ToolLimits }

/** Tools that are known are not listed again. */
type Known = readonly Pick<ListedTool, 'name' | 'inputSchema'>[]

export const openMcpSession = async (
  deps: Deps,
  server: Server,
  signal: AbortSignal,
  known?: Known,
): Promise<McpSession> => {
  const { limits } = deps
  const tooLate = new AbortController()
  const timer = setTimeout(
    () => tooLate.abort(slow(`The server did not list its tools within ${limits.openTimeoutMs} ms`)),
    limits.openTimeoutMs,
  )
  try {
    const both = AbortSignal.any([signal, tooLate.signal])
    const { client, transport } = await connect(deps, server, both)
    try {
      // From the schemas the client learns which arguments it also sends as headers.
      if (known) client.toolsFromDefinitions({ tools: known.map((tool) => ({ ...tool })) })
      const { listed, ttlMs } = known ? { listed: [], ttlMs: undefined } : await listAll(client, limits, both)
      return {
        listed,
        ttlMs,
        call: (remoteName, args, options) =>
          callTool({ client, transport, server, limits }, { remoteName, args: { ...args } }, options),
        close: () => client.close(),
      }
    } catch (error) {
      await client.close()
      throw error
    }
  } catch (error) {
    // No tool was called, so the server has done nothing.
    throw failureOf(error, { server, signal, outcome: 'not_sent' })
  } finally {
    clearTimeout(timer)
  }
}

const connect = async (
  { egress, limits }: Deps,
  { org, url, headers }: Server,
  signal: AbortSignal,
): Promise<{ client: MCPClient; transport: McpTransport }> => {
  const open = async (protocolVersionDiscovery: boolean) => {
    const transport = createMcpTransport({ egress, org, url, headers, limits })
    const client = await createMCPClient({
      transport,
      clientName: 'agent-run-service',
      protocolVersionDiscovery,
      initializationOptions: { signal },
      // The caller decides about repetition: it knows whether the tool is repeatable.
      maxRetries: 0,
    })
    return { client, transport }
  }
  try {
    return await open(true)
  } catch (error) {
    // A server that supports only older revisions may say so in a way that the client does not handle.
    if (MCPClientError.isInstance(error) && error.code === unsupportedVersion) return open(false)
    throw error
  }
}

const unsupportedVersion = -32_022

const listAll = async (
  client: MCPClient,
  limits: ToolLimits,
  signal: AbortSignal,
): Promise<Pick<McpSession, 'listed' | 'ttlMs'>> => {
  const listed: ListedTool[] = []
  let ttlMs: number | undefined
  let cursor: string | undefined
  for (let page = 0; page < limits.maxListPages; page++) {
    const { tools, nextCursor, ...rest } = await client.listTools({
      ...(cursor === undefined ? {} : { params: { cursor } }),
      options: { signal },
    })
    listed.push(...(tools as readonly ListedTool[]))
    if (listed.length > limits.maxListedTools) throw tooManyTools(limits.maxListedTools)
    // The list is as old as its oldest page.
    const told = (rest as { ttlMs?: unknown }).ttlMs
    if (Number.isSafeInteger(told) && Number(told) >= 0) ttlMs = Math.min(Number(told), ttlMs ?? Number(told))
    if (!nextCursor) return { listed, ttlMs }
    cursor = nextCursor
  }
  throw badAnswer(`The server’s list of tools has more than ${limits.maxListPages} pages`)
}

type Open = {
  readonly client: MCPClient
  readonly transport: McpTransport
  readonly server: Server
  readonly limits: ToolLimits
}

const callTool = async (
  { client, transport, server, limits }: Open,
  { remoteName, args }: { remoteName: string; args: Record<string, unknown> },
  { key, signal, trace = {} }: CallOptions,
): Promise<McpResult> => {
  const call: MarkedCall = { key: headerSafe(key), trace, sent: false }
  transport.mark(args, call)
  try {
    const options = { signal, maxTotalTimeout: limits.callTimeoutMs + graceMs }
    const answer = await client.callTool({ name: remoteName, arguments: args, options })
    return shown(resultOf(answer), 'isError' in answer && answer.isError === true, { server, limits })
  } catch (error) {
    const told = answerIn(error, limits)
    if (told !== undefined) return shown(told, true, { server, limits })
    throw failureOf(error, { server, signal, outcome: call.sent ? 'unknown' : 'not_sent' })
  }
}

// The egress client has the exact timeout, and waits some seconds for a connection before it starts; this one is for a
// server that asks for more rounds.
const graceMs = 6000

/**
 * An error in the protocol is an answer: the model reads it and can correct its call. So is a result that is too
 * long.
 */
const answerIn = (error: unknown, { maxResultBytes }: ToolLimits): string | undefined => {
  const failure = egressErrorOf(error)
  if (failure instanceof EgressFailed && failure.kind === 'too_large' && failure.reached)
    return `The tool was called and has answered, but its answer is larger than ${maxResultBytes} bytes and cannot be shown`
  if (failure || !MCPClientError.isInstance(error) || error.code === undefined) return
  return `The server refused the call: ${error.message}`
}

const shown = (result: unknown, isError: boolean, { server, limits }: Pick<Open, 'server' | 'limits'>): McpResult =>
  isDeeperThan(result, limits.maxResultDepth)
    ? { result: `The tool has answered, but deeper than ${limits.maxResultDepth} levels`, isError: true }
    : { result: withoutSecret(result, server.credential), isError }

/**
 * The result for the model: the structured object if there is one, plain text if all parts are text, otherwise the
 * parts.
 */
const resultOf = (answer: CallToolResult): unknown => {
  if ('toolResult' in answer) return answer.toolResult
  if (answer.structuredContent !== undefined) return answer.structuredContent
  const texts = answer.content.map((part) => ('text' in part && part.type === 'text' ? part.text : undefined))
  return texts.every((text) => text !== undefined) ? texts.join('\n') : answer.content
}

// A key may contain a provider's tool call id, which may be any text.
const headerSafe = (key: string): string => (/^[\x21-\x7e]{1,255}$/.test(key) ? key : sha256(key).toString('base64url'))

const slow = (message: string): ToolFailure => new ToolFailure(message, { outcome: 'unknown', retryable: true })

type Situation = { readonly server: Server; readonly signal: AbortSignal; readonly outcome: CallOutcome }

/** All failures, with a message that names the connector. The server's own text is left out. */
const failureOf = (error: unknown, { server, signal, outcome }: Situation): ToolFailure => {
  const egress = egressErrorOf(error)
  const inner = toolFailureIn(error)
  const fail = (words: string, retryable: boolean, certain: CallOutcome = outcome): ToolFailure =>
    new ToolFailure(`Connector “${server.name}”: ${words}`, { outcome: certain, retryable, cause: error })
  if (signal.aborted) return fail('The call was given up', true)
  if (egress instanceof EgressFailed) return fail(egress.message, passing.includes(egress.kind))
  if (egress) return fail(egress.reason, false)
  if (inner) return fail(inner.message, inner.retryable, outcome === 'not_sent' ? 'not_sent' : inner.outcome)
  if (isTimeout(error)) return fail('The server did not answer in time', true)
  return fail('The server did not answer as MCP says', false)
}

const passing: readonly string[] = ['dns', 'connect', 'timeout', 'reset', 'busy']

const isTimeout = (error: unknown): boolean => MCPClientError.isInstance(error) && /timed out/.test(error.message)

const toolFailureIn = (error: unknown): ToolFailure | undefined => {
  let at = error
  for (let depth = 0; depth < 8 && at instanceof Error; depth++) {
    if (at instanceof ToolFailure) return at
    at = at.cause
  }
  return
}
