import { type EventStream, limits } from '@ars/contract'
import { Fault } from '@ars/core/fault'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createHeartbeats } from './heartbeats.ts'
import { OpenStream, type RawResponse } from './open-stream.ts'
import { retryLine } from './stream-retry.ts'

/** Where streams are held open: how many, for whom, and until when. */
export type StreamDesk = {
  /** Sends what `open` answers; what it refuses is refused as any other request. */
  serve(request: FastifyRequest, reply: FastifyReply, open: () => Promise<EventStream>): Promise<FastifyReply>
  close(): void
}

export type StreamDeskOptions = {
  /** Aborts when the gateway stops: streams end, and their clients come back elsewhere. */
  draining: AbortSignal
  /** From 0 to below 1. */
  random(): number
  heartbeatMs?: number
  streamsPerKey?: number
  bufferBytes?: number
  /** Whether whoever opened a stream would be let in as before. Asked of those that have no end of their own. */
  stillMay(request: FastifyRequest): Promise<boolean>
  recheckMs?: number
  /** Called once for each stream, when it is over. */
  onClose(request: FastifyRequest, reply: FastifyReply): void
}

declare module 'fastify' {
  interface FastifyRequest {
    stream?: OpenStream
  }
}

// A revoked key is known everywhere within five seconds; its streams are to end soon after.
const recheckDefaultMs = 2_000

export const createStreamDesk = (options: StreamDeskOptions): StreamDesk => {
  const { draining, streamsPerKey = limits.streamsPerKey } = options
  const heartbeats = createHeartbeats(options.heartbeatMs ?? limits.streamHeartbeatSeconds * 1_000)
  const settings = {
    heartbeats,
    bufferBytes: options.bufferBytes ?? limits.streamBufferBytes,
    retryLine: () => retryLine(options.random()),
  }
  const streams = new Set<OpenStream>()
  const perKey = new Map<string, number>()
  // Clients of a gateway that goes away must not all come back in the same moment.
  const interruptAll = (): void => {
    const ending = streams.size
    for (const stream of streams) stream.interrupt(retryLine(options.random(), ending))
  }
  draining.addEventListener('abort', interruptAll)

  /** A key that was revoked must not go on reading. Its client is sent away as if to resume, and is refused when it comes. */
  const recheck = async (stream: OpenStream, request: FastifyRequest): Promise<void> => {
    // Who cannot be asked about just now stays.
    if (!(await options.stillMay(request).catch(() => true))) stream.interrupt()
  }
  const endless = new Map<OpenStream, FastifyRequest>()
  const rechecking = setInterval(() => {
    for (const [stream, request] of endless) void recheck(stream, request)
  }, options.recheckMs ?? recheckDefaultMs)
  rechecking.unref()

  /** Counted before anything is created. Answers how to leave. */
  const enter = (keyId: string): (() => void) => {
    const count = perKey.get(keyId) ?? 0
    if (count >= streamsPerKey) {
      throw new Fault('rate_limited', `This key has too many streams open, ${streamsPerKey} at the most`)
    }
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
    // A client that breaks off is not our failure, and its end is seen by `close`.
    response.on('error', () => undefined)
    if (!response.destroyed) {
      ;(response as typeof reply.raw).writeHead(200, { ...request.head, ...answer.headers, ...streamHeaders })
      stream.begin()
    }
    streams.add(stream)
    heartbeats.add(stream)
    if (answer.isEndless) endless.set(stream, request)
    const stop = answer.attach(stream)
    const close = (): void => {
      streams.delete(stream)
      endless.delete(stream)
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
      const leave = enter(request.caller?.bucket.id ?? '')
      try {
        send(request, reply, await open(), leave)
      } catch (error) {
        leave()
        throw error
      }
      return reply
    },
    close: () => {
      heartbeats.close()
      clearInterval(rechecking)
      draining.removeEventListener('abort', interruptAll)
    },
  }
}

const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  // Proxies of the nginx family would otherwise keep frames back until a buffer is full.
  'x-accel-buffering': 'no',
} as const
