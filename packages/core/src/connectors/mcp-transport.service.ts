import type { JSONRPCMessage, MCPTransport } from '@ai-sdk/mcp'
import type { Egress, StreamAnswer } from '@ars/platform/egress/egress'
import { EgressFailed, EgressRefused } from '@ars/platform/egress/failure'
import { connectorsBounds } from './bounds.ts'
import { createEventReader } from './event-stream.ts'
import {
  argumentsOf,
  badAnswer,
  errorFor,
  isDiscovery,
  isInitialize,
  mcpRefusalOf,
  messagesIn,
  methodHeaders,
  statelessVersion,
  withMeta,
} from './mcp-message.ts'
import type { ToolLimits } from './tool-list.ts'

/** MCP over streamable HTTP; every byte goes through the egress client. One per session. */
export type McpTransport = MCPTransport & {
  /** Links the service's facts about a call with the arguments object of that call. */
  mark(args: object, call: MarkedCall): void
}

/** `sent` is false only while it is certain that no byte was sent. */
export type MarkedCall = { readonly key: string; readonly trace: Readonly<Record<string, string>>; sent: boolean }

type Deps = {
  readonly egress: Egress
  readonly org: string
  readonly url: string
  /** The credential headers. They override what the protocol would set. */
  readonly headers: Readonly<Record<string, string>>
  readonly limits: ToolLimits
}

const maxServerRequests = connectorsBounds.serverRequests.count
// How much may follow a response before its connection is closed.
const maxRestBytes = connectorsBounds.rest.bytes

export const createMcpTransport = ({ egress, org, url, headers, limits }: Deps): McpTransport => {
  const closing = new AbortController()
  const calls = new WeakMap<object, MarkedCall>()
  let sessionId: string | undefined
  let unreachable: unknown
  let serverRequests = 0

  const sessionHeaders = (): Record<string, string> => ({
    ...(transport.protocolVersion === undefined ? {} : { 'mcp-protocol-version': transport.protocolVersion }),
    ...(sessionId === undefined ? {} : { 'mcp-session-id': sessionId }),
  })

  const post = (message: JSONRPCMessage, options: PostOptions): Promise<StreamAnswer> => {
    const { call, deadlineMs, signal } = options
    const isStateless = transport.protocolVersion === statelessVersion
    return egress.stream({
      org,
      url,
      method: 'POST',
      headers: {
        ...(isStateless ? { ...lowerCased(options.headers), ...methodHeaders(message) } : {}),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...sessionHeaders(),
        ...(call ? { 'idempotency-key': call.key, ...call.trace } : {}),
        ...headers,
      },
      body: JSON.stringify(call ? withMeta(message, { idempotency_key: call.key, ...call.trace }) : message),
      signal,
      deadlineMs,
      idleTimeoutMs: deadlineMs,
      maxBodyBytes: call ? limits.maxResultBytes : limits.maxListBytes,
    })
  }

  /** Passes a message to the client. True once the response to `message` was among them. */
  const receive = (text: string, message: JSONRPCMessage): boolean => {
    let isAnswered = false
    for (const received of messagesIn(text, limits)) {
      if ('method' in received) {
        // Notifications need no answer. Requests are answered, but the number is bounded.
        if ('id' in received && serverRequests++ < maxServerRequests) transport.onmessage?.(received)
      } else if (!isAnswered && 'id' in message && String(received.id) === String(message.id)) {
        isAnswered = true
        transport.onmessage?.(received)
      }
    }
    return isAnswered
  }

  const takeAnswer = async (answer: StreamAnswer, message: JSONRPCMessage): Promise<void> => {
    const { status } = answer
    const type = answer.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
    if (status < 200 || status > 299) {
      const error = errorFor(message, status, type === 'application/json' ? await textOf(answer) : await skip(answer))
      if (error === undefined || !receive(error, message)) throw mcpRefusalOf(status)
      return
    }
    if (isInitialize(message)) sessionId = sessionOf(answer.headers)
    // Only a request of ours gets a response that is read.
    if (!('method' in message && 'id' in message)) await skip(answer)
    else if (type === 'application/json') {
      if (!receive(await textOf(answer), message)) throw badAnswer('The server answered something else than was asked')
    } else if (type === 'text/event-stream') await takeEvents(answer, message)
    else {
      await skip(answer)
      throw badAnswer(
        'The server does not speak MCP over streamable HTTP: it answered neither JSON nor an event stream',
      )
    }
  }

  const takeEvents = async ({ body }: StreamAnswer, message: JSONRPCMessage): Promise<void> => {
    const read = createEventReader()
    const decoder = new TextDecoder()
    let isAnswered = false
    let restBytes = 0
    try {
      for await (const chunk of body) {
        if (isAnswered) restBytes += chunk.byteLength
        if (restBytes > maxRestBytes) return
        for (const { event, data } of read(decoder.decode(chunk, { stream: true })))
          isAnswered ||= event === 'message' && receive(data, message)
      }
    } catch (error) {
      // The client has its response; the rest of the connection does not matter.
      if (!isAnswered) throw error
    }
    if (!isAnswered) throw badAnswer('The server ended its answer before the result')
  }

  /** Servers of older revisions continue a call after its connection is closed, unless it is cancelled. */
  const tellCancelled = (message: JSONRPCMessage): void => {
    if (transport.protocolVersion === statelessVersion || !('id' in message) || message.id === undefined) return
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: message.id } } as const
    post(cancelled, { deadlineMs: limits.closeTimeoutMs })
      .then(skip)
      .catch(() => undefined)
  }

  const transport: McpTransport = {
    supportsProtocolVersionDiscovery: true,
    waitsForProtocolVersionDiscovery: true,
    supportsMcpToolParameterHeaders: true,
    mark: (args, call) => {
      calls.set(args, call)
    },
    start: () => Promise.resolve(),
    send: async (message, { signal: given, headers: ofParameters } = {}) => {
      const call = calls.get(argumentsOf(message) ?? nobody)
      const signal = AbortSignal.any([closing.signal, ...(given ? [given] : [])])
      signal.throwIfAborted()
      // The client asks twice, in two revisions. A server that could not be reached the first time is not tried
      // again.
      if (unreachable !== undefined) throw unreachable
      const wasSent = call?.sent ?? false
      if (call) call.sent = true
      const deadlineMs = call ? limits.callTimeoutMs : limits.openTimeoutMs
      try {
        await takeAnswer(await post(message, { call, signal, deadlineMs, headers: ofParameters }), message)
      } catch (error) {
        if (isNeverSent(error)) {
          if (call) call.sent = wasSent
          else if (isDiscovery(message)) unreachable = error
        }
        if (call && given?.aborted) tellCancelled(message)
        throw error
      }
    },
    close: async () => {
      closing.abort(new Error('The session is closed'))
      if (sessionId !== undefined) {
        const parting = { org, url, method: 'DELETE', headers: { ...sessionHeaders(), ...headers } }
        await egress.request({ ...parting, deadlineMs: limits.closeTimeoutMs }).catch(() => undefined)
        sessionId = undefined
      }
      transport.onclose?.()
    },
  }
  return transport
}

type PostOptions = {
  readonly call?: MarkedCall | undefined
  readonly signal?: AbortSignal
  readonly deadlineMs: number
  readonly headers?: Readonly<Record<string, string>> | undefined
}

const nobody = {}

const isNeverSent = (error: unknown): boolean =>
  error instanceof EgressRefused || (error instanceof EgressFailed && !error.reached)

const lowerCased = (headers: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

const sessionOf = (headers: Headers): string | undefined => {
  const id = headers.get('mcp-session-id')
  return id !== null && /^[\x21-\x7e]{1,1024}$/.test(id) ? id : undefined
}

const textOf = async ({ body }: StreamAnswer): Promise<string> => {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** Reads a little, so that the connection can be reused; a longer response is closed. */
const skip = async ({ body }: StreamAnswer): Promise<string> => {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > maxRestBytes) break
  }
  return ''
}
