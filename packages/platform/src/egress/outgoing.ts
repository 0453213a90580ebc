import type { OutgoingRequest } from './connection.ts'
import { EgressFailed, EgressRefused } from './failure.ts'

export type RequestBody = string | Uint8Array | null

export type RequestParts = {
  readonly method?: string | undefined
  readonly headers?: Headers | Readonly<Record<string, string>> | undefined
  readonly body?: RequestBody | undefined
}

/** The outgoing request. The caller cannot set the host, the length or the connection headers. */
export const outgoingRequest = (
  url: URL,
  { method = 'GET', headers = {}, body = null }: RequestParts,
  { maxRequestBytes, userAgent }: { maxRequestBytes: number; userAgent: string },
): OutgoingRequest => {
  if (!methods.includes(method.toUpperCase())) throw new EgressRefused(`The method ${method} is not allowed`)
  if (body !== null && Buffer.byteLength(body) > maxRequestBytes)
    throw new EgressFailed(`The request is larger than ${maxRequestBytes} bytes`, { kind: 'too_large' })
  return {
    method: method.toUpperCase(),
    path: `${url.pathname}${url.search}`,
    headers: { 'user-agent': userAgent, ...checkedHeaders(headers), 'accept-encoding': 'identity' },
    body,
  }
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

// A Host header could reach another site than the checked one; the others could change where the request ends.
const ours = /^(host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/

const checkedHeaders = (headers: Headers | Readonly<Record<string, string>>): Record<string, string> => {
  const pairs = headers instanceof Headers ? [...headers] : Object.entries(headers)
  const checked: Record<string, string> = {}
  for (const [given, value] of pairs) {
    const name = given.toLowerCase()
    if (ours.test(name)) throw new EgressRefused(`The header ${name} may not be set`)
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new EgressRefused('A header has an invalid name or value')
    // The length is counted from the body.
    if (name !== 'content-length') checked[name] = value
  }
  return checked
}
