import { type EventStream, limits } from '@ars/contract'
import { Fault } from '@ars/core/fault'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CredentialWatch } from '../admit/credential-watch.ts'
import { createHeartbeats } from './heartbeats.ts'
import { OpenStream, type RawResponse, retryLine } from './open-stream.ts'

/** Serves streams: limits their number and their duration. */
export type StreamRoutes = {
  /** Sends the stream that `open` returns. Its faults are sent like those of other requests. */
  serve(request: FastifyRequest, reply: FastifyReply, open: () => Promise<EventStream>): Promise<FastifyReply>
  /** How many are open. */
  open(): number
  close(): void
}

export type StreamRoutesOptions = {
  /** Aborts when the gateway stops: streams end, and clients reconnect to another gateway. */
  draining: AbortSignal
  /** From 0 to below 1. */
  random(): number
  heartbeatMs?: number
  streamsPerKey?: number
  streamsPerShare?: number
  bufferBytes?: number
  /** Ends the streams of a credential that has ended or lost permissions. */
  credentials: Pick<CredentialWatch, 'add'>
  /** Called once per stream, when it ends. */
  onClose(request: FastifyRequest, reply: FastifyReply): void
}

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface merges with the declaration of the library.
  interface FastifyRequest {
    stream?: OpenStream
  }
}

export const createStreamRoutes = (options: StreamRoutesOptions): StreamRoutes => {
  const { draining, streamsPerKey = limits.streamsPerKey, streamsPerShare = limits.streamsPerShare } = options
  const heartbeats = createHeartbeats(options.heartbeatMs ?? limits.streamHeartbeatSeconds * 1_000)
  const settings = {
    heartbeats,
    bufferBytes: options.bufferBytes ?? limits.streamBufferBytes,
    retryLine: () => retryLine(options.random()),
  }
  const streams = new Set<OpenStream>()
  const perKey = new Map<string, number>()
  // Clients of a stopping gateway must not all reconnect at the same moment.
  const interruptAll = (): void => {
    const ending = streams.size
    for (const stream of streams) stream.interrupt(retryLine(options.random(), ending))
  }
  draining.addEventListener('abort', interruptAll)

  /** Counts the stream before anything is created. Returns the function that releases it. */
  const enter = ({ caller }: FastifyRequest): (() => void) => {
    const keyId = caller?.bucket.id ?? ''
    const count = perKey.get(keyId) ?? 0
    const [what, most] = caller?.credential === 'share' ? ['link', streamsPerShare] : ['key', streamsPerKey]
    if (count >= most) throw new Fault('rate_limited', `This ${what} has reached its limit of ${most} open streams.`)
    perKey.set(keyId, count + 1)
    return () => {
      const left = (perKey.get(keyId) ?? 1) - 1
      if (left === 0) perKey.delete(keyId)
      else perKey.set(keyId, left)
    }
  }

  const send = (request: FastifyRequest, reply: FastifyReply, answer: EventStream, leave: () => void): void => {
    const response: RawResponse = reply.raw
    const stream = new OpenStream(response, settings)
    request.stream = stream
    reply.hijack()
    // A disconnecting client is not an error; `close` handles it.
    response.on('error', () => undefined)
    if (!response.destroyed) {
      ;(response as typeof reply.raw).writeHead(200, {
        ...request.responseHeaders,
        ...answer.headers,
        ...streamHeaders,
      })
      stream.begin()
    }
    streams.add(stream)
    heartbeats.add(stream)
    const unwatch = options.credentials.add(request, () => stream.lapse())
    const stop = answer.attach(stream)
    const close = (): void => {
      streams.delete(stream)
      unwatch()
      heartbeats.remove(stream)
      stop()
      leave()
      options.onClose(request, reply)
    }
    if (response.destroyed) close()
    else response.once('close', close)
    if (draining.aborted) stream.interrupt()
  }

  return {
    serve: async (request, reply, open) => {
      const leave = enter(request)
      try {
        send(request, reply, await open(), leave)
      } catch (error) {
        leave()
        throw error
      }
      return reply
    },
    open: () => streams.size,
    close: () => {
      heartbeats.close()
      draining.removeEventListener('abort', interruptAll)
    },
  }
}

const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  // Without this header nginx buffers frames.
  'x-accel-buffering': 'no',
} as const
