import { type JSONRPCMessage, validateJSONRPCMessage } from '@ai-sdk/mcp'
import { connectorsBounds } from './bounds.ts'
import { ToolFailure } from './toolbox.ts'

/** The revision without sessions, in which requests name their method in headers. */
export const statelessVersion = '2026-07-28'

const maxBatch = connectorsBounds.messages.count

/** A message of a server, validated. A list that is too long is rejected before its tools are read. */
export const messagesIn = (text: string, { maxListedTools }: { maxListedTools: number }): JSONRPCMessage[] => {
  const parsed = parse(text)
  const all: unknown[] = Array.isArray(parsed) ? parsed : [parsed]
  if (all.length > maxBatch) throw badAnswer(`The server sent more than ${maxBatch} messages at once`)
  for (const one of all as { result?: { tools?: unknown } }[]) {
    const tools = one?.result?.tools
    if (Array.isArray(tools) && tools.length > maxListedTools) throw tooManyTools(maxListedTools)
  }
  try {
    return all.map(validateJSONRPCMessage)
  } catch (error) {
    throw badAnswer('The server did not answer in the form of JSON-RPC', error)
  }
}

/** An error in the protocol. A server that could not parse the request does not know its number. */
export const errorFor = (message: JSONRPCMessage, status: number, text: string): string | undefined => {
  if (!('id' in message) || !inProtocol.includes(status)) return
  try {
    const answer = JSON.parse(text) as { error?: unknown; id?: unknown }
    const isOurs = answer.id === undefined || answer.id === null || answer.id === message.id
    if (typeof answer.error !== 'object' || answer.error === null || !isOurs) return
    return JSON.stringify({ jsonrpc: '2.0', id: message.id, error: answer.error })
  } catch {
    return
  }
}

// The other statuses mean the same whatever the body says: unauthorised, moved, rate limited.
const inProtocol = [400, 404, 422, 500]

export const badAnswer = (message: string, cause?: unknown): ToolFailure =>
  new ToolFailure(message, { outcome: 'unknown', retryable: false, cause })

export const tooManyTools = (most: number): ToolFailure => badAnswer(`The server lists more than ${most} tools`)

/** An explicit rejection is certain; an error of a broken server or of a proxy is not. */
export const mcpRefusalOf = (status: number): ToolFailure => {
  const isCertain = status >= 300 && status < 500 && status !== 408 && status !== 409
  return new ToolFailure(wordsOf(status), {
    outcome: isCertain ? 'refused' : 'unknown',
    retryable: status === 408 || status === 429 || status >= 500,
  })
}

const wordsOf = (status: number): string => {
  if (status >= 300 && status < 400) return `The server answered with a redirect (${status}), which is never followed`
  if (status === 401 || status === 403) return `The server refused the credential (${status})`
  if (status === 404 || status === 405) return `There is no MCP server at this address (${status})`
  return `The server answered with status ${status}`
}

export const isInitialize = (message: JSONRPCMessage): boolean => 'method' in message && message.method === 'initialize'

/** The client's first request, in the newest revision. */
export const isDiscovery = (message: JSONRPCMessage): boolean =>
  'method' in message && message.method === 'server/discover'

/** The object that holds the arguments of a tool call; the client sends it unchanged. */
export const argumentsOf = (message: JSONRPCMessage): object | undefined => {
  const args = 'method' in message && message.method === 'tools/call' ? message.params?.arguments : undefined
  return typeof args === 'object' && args !== null ? args : undefined
}

/** The trace context stands there under the names of its headers, as MCP specifies. */
export const withMeta = (message: JSONRPCMessage, meta: Readonly<Record<string, string>>): JSONRPCMessage => {
  const params = 'method' in message ? message.params : undefined
  return { ...message, params: { ...params, _meta: { ...params?._meta, ...meta } } } as JSONRPCMessage
}

export const methodHeaders = (message: JSONRPCMessage): Record<string, string> => {
  if (!('method' in message) || !('id' in message)) return {}
  const name = message.method === 'tools/call' ? message.params?.name : undefined
  return {
    'mcp-method': message.method,
    ...(typeof name === 'string' ? { 'mcp-name': headerValue(name) } : {}),
  }
}

// Characters that a header cannot carry are sent as base64, marked as the protocol specifies.
const headerValue = (text: string): string =>
  /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw badAnswer('The server did not answer with valid JSON', error)
  }
}
