import { limits } from '@ars/contract'
import type { AccessService } from '@ars/core/access'
import type { Log } from '@ars/platform/log/log'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { serverBounds } from '../../bounds.ts'
import type { Outgoing } from '../answer/outgoing.ts'
import { refuse } from '../answer/refusal.ts'
import { demandTls, newResponseHeaders } from '../answer/response-headers.ts'
import { refuseUnknownRoute } from '../answer/unknown-route.ts'
import type { ClientAddresses } from '../listen/client-address.ts'
import type { Refusal } from './admission.ts'
import { readBearer } from './credential.ts'

export type PreRouting = {
  /** Sets the address and the response headers. False: refused, because the request came over plain HTTP. */
  prepare(request: FastifyRequest, reply: FastifyReply): boolean
  /** Prepares the response and checks the request before authentication. False: refused. */
  check(request: FastifyRequest, reply: FastifyReply): boolean
  /** Records a key that was sent unencrypted. */
  noteExposed(authorization: string | undefined, at: { address: string; requestId: string }): void
}

type PreRoutingDeps = {
  access: Pick<AccessService, 'noteExposed'>
  addresses: ClientAddresses
  outgoing: Outgoing
  docUrl: string
  log: Log
}

// Each costs a look-up in the background. Beyond this limit, exposures are dropped.
const maxExposuresAtOnce = serverBounds.exposures.count
/** In HTTP/2 the request line is sent as pseudo-headers. */
const pseudoHeaders = 4
const maxRawHeaders = serverBounds.rawHeaders.count

export const createPreRouting = ({ access, addresses, outgoing, docUrl, log }: PreRoutingDeps): PreRouting => {
  let exposures = 0

  const noteExposed: PreRouting['noteExposed'] = (authorization, at) => {
    const key = authorization === undefined ? undefined : readBearer(authorization)
    if (key === undefined) return
    if (exposures >= maxExposuresAtOnce) return log.warn('exposed key not recorded: too many at once')
    exposures++
    access
      .noteExposed(key, at)
      .catch((error) => log.error('exposed key not recorded', { request_id: at.requestId, error }))
      .finally(() => exposures--)
  }

  const prepare: PreRouting['prepare'] = (request, reply) => {
    const { raw } = request
    const { address, isSecure } = addresses.read(raw as never)
    request.address = address
    request.responseHeaders = newResponseHeaders(request.id)
    // Not a decorator of the framework: the requests that it refuses have none.
    request.outgoing = outgoing
    if (isSecure) {
      demandTls(request.responseHeaders)
      return true
    }
    noteExposed(raw.headers.authorization, { address, requestId: request.id })
    refuse({ docUrl }, httpsRequired, request, reply)
    return false
  }

  return {
    noteExposed,
    prepare,
    check: (request, reply) => {
      if (!prepare(request, reply)) return false
      const refusal = checkRequest(request)
      if (refusal) refuse({ docUrl }, refusal, request, reply)
      return refusal === null
    },
  }
}

const checkRequest = (request: FastifyRequest): Refusal | null => {
  const { raw } = request
  const isHttp1 = raw.httpVersionMajor === 1
  if (raw.rawHeaders.length > (isHttp1 ? maxRawHeaders : maxRawHeaders + 2 * pseudoHeaders)) {
    return { code: 'headers_too_large', message: `A request may have at most ${limits.headerCount} headers.` }
  }
  if (!isHttp1 && bytesOf(raw.rawHeaders) > limits.headerBytes) {
    return { code: 'headers_too_large', message: `The headers may have at most ${limits.headerBytes} bytes in total.` }
  }
  if (request.url.length > limits.urlBytes) {
    return { code: 'uri_too_long', message: `Path and query may have at most ${limits.urlBytes} bytes in total.` }
  }
  if (isHttp1 && raw.httpVersionMinor === 1 && raw.headers.host === undefined) {
    return { code: 'invalid_request', message: 'The Host header is missing.' }
  }
  if (isHttp1 && isHostSentTwice(raw.rawHeaders)) {
    // A proxy may have used the other Host header.
    request.responseHeaders.connection = 'close'
    return { code: 'invalid_request', message: 'The Host header was sent more than once.' }
  }
  // Checked here, because the router would read the body of an unknown route first.
  return request.is404 ? refuseUnknownRoute(request.method, request.url, request.responseHeaders) : null
}

const isHostSentTwice = (rawHeaders: readonly string[]): boolean => {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}

// For HTTP/2 only: the HTTP/1.1 parser enforces its own limit.
const bytesOf = (rawHeaders: readonly string[]): number => {
  let bytes = 0
  for (const text of rawHeaders) bytes += text.length
  return bytes
}

const httpsRequired: Refusal = {
  code: 'https_required',
  message: 'Use HTTPS. If this request contained a key, rotate the key, because it was sent unencrypted.',
}
