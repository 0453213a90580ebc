import type { Clock } from '../clock.ts'
import { beginAttempt } from './attempt.ts'
import { type Connection, ConnectionGone, type OutgoingRequest } from './connection.ts'
import type { Connections } from './connections.ts'
import { EgressFailed, failureOf } from './failure.ts'
import { hostnameOf } from './url.ts'

/** One request and its response, whose body is read in chunks. The caller must read to the end or stop. */
export type Exchange = {
  readonly status: number
  readonly headers: Headers
  readonly remoteAddress: string
  /** The next chunk; undefined at the end. */
  next(): Promise<Uint8Array | undefined>
  /** The body exceeded the limit and was truncated. */
  isTruncated(): boolean
  stop(): void
}

export type ExchangeLimits = {
  readonly deadlineMs: number
  readonly idleTimeoutMs?: number | undefined
  readonly maxBodyBytes: number
  readonly whenTooLarge: 'cut' | 'fail'
  readonly org?: string | undefined
  readonly maxWaitMs: number
  readonly signal?: AbortSignal | null | undefined
}

export type ExchangeParts = {
  readonly lookUp: (hostname: string) => Promise<readonly string[]>
  readonly connections: Connections
  readonly maxHeaders: number
  readonly clock: Clock
}

export const createExchange = ({ lookUp, connections, maxHeaders, clock }: ExchangeParts) => {
  return async (url: URL, request: OutgoingRequest, limits: ExchangeLimits): Promise<Exchange> => {
    const attempt = beginAttempt(clock, limits)
    let connection: Connection | undefined
    attempt.signal.addEventListener('abort', () => connection?.destroy(asError(attempt.signal.reason)), { once: true })

    const finish = (state: 'whole' | 'broken'): void => {
      attempt.end()
      if (connection) connections.release(connection, state)
      connection = undefined
    }

    const fail = (error: unknown): unknown => {
      const reached = connection?.isOpen() ?? false
      finish('broken')
      // An abort by the caller rejects with the caller's reason, as in `fetch`.
      if (attempt.signal.aborted && !(attempt.signal.reason instanceof EgressFailed)) return attempt.signal.reason
      return failureOf(attempt.signal.aborted ? attempt.signal.reason : error, reached)
    }

    const send = async () => {
      const addresses = await attempt.orOver(lookUp(hostnameOf(url)))
      for (;;) {
        const { org, maxWaitMs } = limits
        const bodyBytes = request.body === null ? 0 : Buffer.byteLength(request.body)
        const wanted = { origin: url.origin, addresses, org, maxWaitMs, bodyBytes }
        connection = await attempt.uncounted(connections.acquire(wanted, attempt.signal))
        attempt.signal.throwIfAborted()
        try {
          return await attempt.orOver(connection.send(request))
        } catch (error) {
          if (!(error instanceof ConnectionGone)) throw error
          connections.release(connection, 'broken')
          connection = undefined
        }
      }
    }

    try {
      const { statusCode, headers, body } = await send()
      // If the connection breaks while nothing reads, the next read reports it.
      body.on('error', () => undefined)
      attempt.stir()
      const chunks = body[Symbol.asyncIterator]()
      let receivedBytes = 0
      let isOver = false
      let isTruncated = false

      return {
        status: statusCode,
        headers: headersOf(headers, maxHeaders),
        remoteAddress: connection?.remoteAddress() ?? '',
        isTruncated: () => isTruncated,
        next: async () => {
          if (isOver) return
          try {
            const { value, done } = await attempt.orOver<IteratorResult<Uint8Array, unknown>>(chunks.next())
            if (done) {
              isOver = true
              finish('whole')
              return
            }
            attempt.stir()
            receivedBytes += value.byteLength
            if (receivedBytes <= limits.maxBodyBytes) return value
            if (limits.whenTooLarge === 'fail')
              throw new EgressFailed(`The response is larger than ${limits.maxBodyBytes} bytes`, { kind: 'too_large' })
            isOver = true
            isTruncated = true
            finish('broken')
            return value.subarray(0, value.byteLength - (receivedBytes - limits.maxBodyBytes))
          } catch (error) {
            isOver = true
            throw fail(error)
          }
        },
        stop: () => {
          if (!isOver) finish('broken')
          isOver = true
        },
      }
    } catch (error) {
      throw fail(error)
    }
  }
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error('The call was aborted'))

const headersOf = (raw: Readonly<Record<string, string | string[] | undefined>>, maxHeaders: number): Headers => {
  const pairs = Object.entries(raw).flatMap(([name, value]) => [value ?? []].flat().map((one) => [name, one] as const))
  if (pairs.length > maxHeaders)
    throw new EgressFailed(`The response has more than ${maxHeaders} headers`, { kind: 'too_large' })
  const headers = new Headers()
  try {
    for (const [name, value] of pairs) headers.append(name, value)
  } catch (error) {
    throw new EgressFailed('The response is not valid HTTP', { kind: 'protocol', cause: error })
  }
  return headers
}
