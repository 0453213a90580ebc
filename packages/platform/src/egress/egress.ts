import { createSecureContext, getCACertificates } from 'node:tls'
import { platformBounds } from '../bounds.ts'
import { type Clock, systemClock } from '../clock.ts'
import { createAddressCheck } from './address.ts'
import { type ConnectionCounts, createConnections } from './connections.ts'
import { createExchange, type Exchange } from './exchange.ts'
import { EgressRefused, egressErrorOf } from './failure.ts'
import { createFetch, type FetchLimits } from './fetch.ts'
import { outgoingRequest, type RequestParts } from './outgoing.ts'
import { createAddressLookup, createDnsResolver, type Resolver } from './resolver.ts'
import { createUrlCheck, hostnameOf, type UrlVerdict } from './url.ts'

/**
 * The only path for requests to hosts that customers name. Each attempt looks the name up once, checks every address,
 * and connects to one of them only. Redirects are not followed. Everything is bounded.
 */
export type Egress = {
  /** Checks the text of the URL only; for forms. */
  checkUrl(url: string): UrlVerdict
  /** Also looks the name up, without sending anything; for the moment when a customer submits a URL. */
  checkTarget(url: string): Promise<UrlVerdict>
  /** The whole response, up to a size limit. A redirect is returned like any other response. */
  request(request: EgressRequest): Promise<EgressAnswer>
  /** The response as a stream. The caller must read to the end, leave the loop, or abort. */
  stream(request: StreamRequest): Promise<StreamAnswer>
  /** For libraries that accept a `fetch` function. */
  readonly fetch: typeof fetch
  fetchWith(limits: FetchLimits): typeof fetch
  connections(): ConnectionCounts
  close(): void
}

/** The organisation whose call this is: each has a share of the connections. None: a call of the operator's own. */
type Caller = { readonly org?: string | undefined }

export type EgressRequest = RequestParts &
  Caller & {
    readonly url: string
    readonly signal?: AbortSignal | undefined
    /** The total timeout, from the look-up to the last byte. */
    readonly deadlineMs?: number
    readonly maxBodyBytes?: number
    /** A body beyond the limit is truncated, or fails the call if set. */
    readonly whenTooLarge?: 'cut' | 'fail'
  }

export type EgressAnswer = {
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
  readonly truncated: boolean
  readonly remoteAddress: string
  readonly durationMs: number
}

export type StreamRequest = RequestParts &
  Caller &
  FetchLimits & { readonly url: string; readonly signal?: AbortSignal | undefined }

export type StreamAnswer = {
  readonly status: number
  readonly headers: Headers
  readonly remoteAddress: string
  readonly body: AsyncIterable<Uint8Array>
}

export type EgressOptions = {
  /** Ranges of the operator's own network that may be called, like `10.20.0.0/16`. */
  readonly allowRanges?: readonly string[]
  /** Ports beside 443. */
  readonly allowPorts?: readonly number[] | 'any'
  /** For a test stack only. */
  readonly allowPlainHttp?: boolean
  /** Additional certificate authorities, as PEM. */
  readonly extraCertificates?: readonly string[]
  readonly userAgent?: string
  readonly resolver?: Resolver
  readonly limits?: Partial<EgressLimits>
  readonly clock?: Clock
}

export type EgressLimits = typeof egressLimits

const egressLimits = {
  dnsTimeoutMs: platformBounds.egressLookup.ms,
  connectTimeoutMs: platformBounds.egressConnect.ms,
  deadlineMs: platformBounds.egressCall.ms,
  streamDeadlineMs: platformBounds.egressStream.ms,
  // A model may take minutes before its first token.
  streamIdleTimeoutMs: platformBounds.egressStreamIdle.ms,
  maxRequestBytes: platformBounds.egressRequest.bytes,
  maxBodyBytes: platformBounds.egressBody.bytes,
  maxStreamBytes: platformBounds.egressStream.bytes,
  maxHeaderBytes: platformBounds.egressHeaders.bytes,
  maxHeaders: platformBounds.egressHeaders.count,
  // One organisation can hold at most half of these, see `connections.ts`.
  maxConnectionsPerHost: platformBounds.egressConnectionsPerHost.count,
  maxConnections: platformBounds.egressConnections.count,
  maxWaiting: platformBounds.egressWaiting.count,
  maxWaitMs: platformBounds.egressWaiting.ms,
  maxWaitingBytes: platformBounds.egressWaitingBodies.bytes,
  maxWaitingBytesOfOrganisation: platformBounds.egressWaitingBodiesOfOrganisation.bytes,
  idleConnectionMs: platformBounds.egressConnectionIdle.ms,
} satisfies Record<string, number>

export const createEgress = (options: EgressOptions = {}): Egress => {
  const { allowRanges = [], allowPorts = [], allowPlainHttp = false, clock = systemClock } = options
  const limits: EgressLimits = { ...egressLimits, ...options.limits }
  const checkAddress = createAddressCheck(allowRanges)
  const checkUrl = createUrlCheck({
    checkAddress,
    allowPorts,
    allowPlainHttp,
    allowPrivateNames: allowRanges.length > 0,
  })
  const resolver = options.resolver ?? createDnsResolver({ queryTimeoutMs: Math.ceil(limits.dnsTimeoutMs / 2), clock })
  const lookUp = createAddressLookup(resolver, checkAddress, limits.dnsTimeoutMs)
  const connections = createConnections(limits, secureContextWith(options.extraCertificates ?? []))
  const exchange = createExchange({ lookUp, connections, maxHeaders: limits.maxHeaders, clock })
  const wire = { maxRequestBytes: limits.maxRequestBytes, userAgent: options.userAgent ?? 'node' }

  const allowed = (text: string): URL => {
    const verdict = checkUrl(text)
    if (!verdict.ok) throw new EgressRefused(verdict.reason)
    return verdict.url
  }

  const open = (request: StreamRequest): Promise<Exchange> => {
    const url = allowed(request.url)
    return exchange(url, outgoingRequest(url, request, wire), {
      deadlineMs: request.deadlineMs ?? limits.streamDeadlineMs,
      idleTimeoutMs: request.idleTimeoutMs ?? limits.streamIdleTimeoutMs,
      maxBodyBytes: request.maxBodyBytes ?? limits.maxStreamBytes,
      whenTooLarge: 'fail',
      org: request.org,
      maxWaitMs: request.maxWaitMs ?? limits.maxWaitMs,
      signal: request.signal,
    })
  }

  return {
    checkUrl,
    checkTarget: async (text) => {
      const verdict = checkUrl(text)
      if (!verdict.ok) return verdict
      try {
        await lookUp(hostnameOf(verdict.url))
        return verdict
      } catch (error) {
        return { ok: false, reason: egressErrorOf(error)?.message ?? 'The name could not be looked up' }
      }
    },
    request: async (request) => {
      const beganMs = clock.monotonicMs()
      const url = allowed(request.url)
      const answer = await exchange(url, outgoingRequest(url, request, wire), {
        deadlineMs: request.deadlineMs ?? limits.deadlineMs,
        maxBodyBytes: request.maxBodyBytes ?? limits.maxBodyBytes,
        whenTooLarge: request.whenTooLarge ?? 'cut',
        org: request.org,
        maxWaitMs: limits.maxWaitMs,
        signal: request.signal,
      })
      const chunks: Uint8Array[] = []
      for (let chunk = await answer.next(); chunk; chunk = await answer.next()) chunks.push(chunk)
      return {
        status: answer.status,
        headers: answer.headers,
        body: Buffer.concat(chunks),
        truncated: answer.isTruncated(),
        remoteAddress: answer.remoteAddress,
        durationMs: clock.monotonicMs() - beganMs,
      }
    },
    stream: async (request) => {
      const answer = await open(request)
      return {
        status: answer.status,
        headers: answer.headers,
        remoteAddress: answer.remoteAddress,
        body: { [Symbol.asyncIterator]: () => chunksOf(answer) },
      }
    },
    fetch: createFetch(open),
    fetchWith: (bounds) => createFetch((request) => open({ ...bounds, ...request })),
    connections: connections.counts,
    close: connections.close,
  }
}

const chunksOf = (answer: Exchange): AsyncIterator<Uint8Array> => ({
  next: async () => {
    const value = await answer.next()
    return value ? { value, done: false } : { value: undefined, done: true }
  },
  return: async () => {
    answer.stop()
    return { value: undefined, done: true }
  },
})

const secureContextWith = (extra: readonly string[]) =>
  createSecureContext({
    minVersion: 'TLSv1.2',
    ...(extra.length > 0 ? { ca: [...getCACertificates('default'), ...extra] } : {}),
  })
