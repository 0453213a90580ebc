import { limits } from '@ars/contract'
import type { AccessService } from '@ars/core/access'
import type { Log } from '@ars/platform/log/log'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Refusal } from './admission.ts'
import type { ClientAddresses } from './client-address.ts'
import { readBearer } from './credential.ts'
import { demandTls, newHead } from './head.ts'
import { refuse } from './refusal.ts'
import { refuseUnknownRoute } from './unknown-route.ts'

export type FrontDesk = {
  /** Begins the answer. False: it was refused, because it came over plain HTTP. */
  greet(request: FastifyRequest, reply: FastifyReply): boolean
  /** Greets, and looks at what can be judged before anybody knows who asks. False: it was refused. */
  receive(request: FastifyRequest, reply: FastifyReply): boolean
  /** A key that was seen where everybody can read it. */
  noteExposed(authorization: string | undefined, at: { address: string; requestId: string }): void
}

type FrontDeskDeps = {
  access: Pick<AccessService, 'noteExposed'>
  addresses: ClientAddresses
  docUrl: string
  log: Log
}

// Each costs a look-up, and nobody waits for it; what comes on top while so many are under way is not noted.
const exposuresAtOnceMost = 16
/** HTTP/2 has the parts of the request line among its headers. */
const pseudoHeaders = 4
const rawHeadersMost = 2 * limits.headerCount

export const createFrontDesk = ({ access, addresses, docUrl, log }: FrontDeskDeps): FrontDesk => {
  let exposures = 0

  const noteExposed: FrontDesk['noteExposed'] = (authorization, at) => {
    const key = authorization === undefined ? undefined : readBearer(authorization)
    if (key === undefined) return
    if (exposures >= exposuresAtOnceMost) return log.warn('exposed key not noted: too many at once')
    exposures++
    access
      .noteExposed(key, at)
      .catch((error) => log.error('exposed key not noted', { request_id: at.requestId, error }))
      .finally(() => exposures--)
  }

  const greet: FrontDesk['greet'] = (request, reply) => {
    const { raw } = request
    const { address, isSecure } = addresses.read(raw as never)
    request.address = address
    request.head = newHead(request.id)
    if (isSecure) {
      demandTls(request.head)
      return true
    }
    noteExposed(raw.headers.authorization, { address, requestId: request.id })
    refuse({ docUrl }, httpsRequired, request, reply)
    return false
  }

  return {
    noteExposed,
    greet,
    receive: (request, reply) => {
      if (!greet(request, reply)) return false
      const refusal = judge(request)
      if (refusal) refuse({ docUrl }, refusal, request, reply)
      return refusal === null
    },
  }
}

const judge = (request: FastifyRequest): Refusal | null => {
  const { raw } = request
  const isHttp1 = raw.httpVersionMajor === 1
  if (raw.rawHeaders.length > (isHttp1 ? rawHeadersMost : rawHeadersMost + 2 * pseudoHeaders)) {
    return { code: 'headers_too_large', message: `A request has at most ${limits.headerCount} headers` }
  }
  if (!isHttp1 && bytesOf(raw.rawHeaders) > limits.headerBytes) {
    return { code: 'headers_too_large', message: `The headers have at most ${limits.headerBytes} bytes together` }
  }
  if (request.url.length > limits.urlBytes) {
    return { code: 'uri_too_long', message: `Path and query have at most ${limits.urlBytes} bytes together` }
  }
  if (isHttp1 && raw.httpVersionMinor === 1 && raw.headers.host === undefined) {
    return { code: 'invalid_request', message: 'The header Host is missing' }
  }
  if (isHttp1 && isHostSentTwice(raw.rawHeaders)) {
    // Whoever stands before us may have gone by the other one.
    request.head.connection = 'close'
    return { code: 'invalid_request', message: 'The header Host is sent more than once' }
  }
  // Here, and not where the router would do it: there the body of a request to nowhere would be read first.
  return request.is404 ? refuseUnknownRoute(request.method, request.url, request.head) : null
}

const isHostSentTwice = (rawHeaders: readonly string[]): boolean => {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}

// The parser of HTTP/1.1 counts by itself.
const bytesOf = (rawHeaders: readonly string[]): number => {
  let bytes = 0
  for (const text of rawHeaders) bytes += text.length
  return bytes
}

const httpsRequired: Refusal = {
  code: 'https_required',
  message: 'This service speaks HTTPS only. If this request carried a key, rotate the key: anybody could read it.',
}
