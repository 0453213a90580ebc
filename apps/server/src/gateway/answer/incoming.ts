import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { limits } from '@ars/contract'
import { Fault } from '@ars/core/fault'
import type { ReservedShare } from '@ars/platform/byte-budget'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ByteBounds } from '../listen/byte-bounds.ts'
import type { TransferRates } from '../listen/transfer-rate.ts'
import { maxBodyBytesOf } from './body-size.ts'
import { asFault } from './refusal.ts'

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface merges with the declaration of the library.
  interface FastifyRequest {
    /** The bytes of the body, from its first byte until its operation has ended. */
    heldBody?: ReservedShare
  }
}

/** Request bodies, bounded in bytes and in time. */
export type Incoming = {
  /** Reserves the bytes of a body that is about to be read. Throws if there is no room. */
  reserve(request: FastifyRequest, reply: FastifyReply): void
  /** Reads the body. It is copied out of the chunks, because a chunk of one byte keeps a whole read buffer alive. */
  read(request: FastifyRequest, body: IncomingMessage, done: (error: Error | null, bytes?: Buffer) => void): void
  /** Counts the values of a parsed body, which need more memory than its text. Throws if there is no room. */
  holdValues(request: FastifyRequest, values: number): void
}

// An empty object, the worst case, has 56.
const bytesPerValue = 48
const firstBytes = 16_384
// Its text, and what is made of it.
const copiesOfLarge = 2

export const createIncoming = ({
  bounds,
  largeBounds,
  rates,
  onSlow,
}: {
  bounds: ByteBounds
  /** Of bodies above `limits.bodyBytes`: an organisation that sends one can send smaller ones at the same time. */
  largeBounds: ByteBounds
  rates: TransferRates
  onSlow(): void
}): Incoming => {
  const refuseSlow = (body: IncomingMessage): void => {
    if (body.listenerCount('error') === 0) return
    onSlow()
    body.emit('error', new Fault('request_timeout', 'The body arrived too slowly'))
  }

  const boundsOf = (bytes: number): ByteBounds => (bytes > limits.bodyBytes ? largeBounds : bounds)

  return {
    reserve: (request, reply) => {
      const maxBytes = maxBodyBytesOf(request.operationName)
      const bytes = Math.min(declaredBytes(request) ?? maxBytes, maxBytes)
      if (bytes === 0) return
      const held = boundsOf(bytes).take(request, bytes > limits.bodyBytes ? copiesOfLarge * bytes : bytes)
      if ('code' in held) throw asFault(held)
      request.heldBody = held
      reply.raw.once('close', held.giveBack)
    },
    read: (request, body, done) => {
      const declared = declaredBytes(request)
      const allowed = maxBodyBytesOf(request.operationName)
      if (declared !== null && declared > allowed) return void done(tooLarge(allowed))
      const transfer = rates.watch(() => refuseSlow(body))
      const maxBytes = declared ?? allowed
      let bytes = Buffer.allocUnsafe(Math.min(maxBytes, firstBytes))
      let received = 0

      const finish = (error: Error | null): void => {
        body.off('data', collect).off('end', end).off('error', finish).off('close', abort)
        transfer.end()
        if (error) done(error instanceof Fault ? error : Object.assign(error, { statusCode: 400 }))
        else done(null, bytes.subarray(0, received))
      }
      const collect = (chunk: Buffer): void => {
        transfer.moved(chunk.length)
        const needed = received + chunk.length
        if (needed > allowed) return void finish(tooLarge(allowed))
        if (needed > maxBytes) return void finish(wrongLength())
        if (needed > bytes.length) {
          const larger = Buffer.allocUnsafe(Math.min(Math.max(2 * bytes.length, needed), maxBytes))
          bytes.copy(larger, 0, 0, received)
          bytes = larger
        }
        chunk.copy(bytes, received)
        received = needed
      }
      // Over HTTP/2 a client that leaves closes the body without an error.
      const abort = (): void => finish(wrongLength())
      const end = (): void => finish(declared === null || declared === received ? null : wrongLength())
      body.on('data', collect).on('end', end).on('error', finish).on('close', abort).resume()
    },
    holdValues: ({ heldBody }, values) => {
      const refusal = heldBody && boundsOf(heldBody.bytes()).resize(heldBody, heldBody.bytes() + bytesPerValue * values)
      if (refusal) throw asFault(refusal)
    },
  }
}

/** The length of the body: 0 without a body, null if the client does not say. */
const declaredBytes = ({ headers, raw }: FastifyRequest): number | null => {
  const length = headers['content-length']
  if (length !== undefined) return Number(length)
  if (raw.httpVersionMajor === 1) return headers['transfer-encoding'] === undefined ? 0 : null
  return (raw as unknown as Http2ServerRequest).stream.endAfterHeaders ? 0 : null
}

const tooLarge = (maxBytes: number): Fault => new Fault('body_too_large', `The body has more than ${maxBytes} bytes`)
const wrongLength = (): Fault => new Fault('invalid_request', 'The request ended early or is not valid HTTP.')
