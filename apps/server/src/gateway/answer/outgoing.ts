import { ServerResponse } from 'node:http'
import type { ReservedShare } from '@ars/platform/byte-budget'
import type { FastifyRequest } from 'fastify'
import type { Refusal } from '../admit/admission.ts'
import type { ByteBounds } from '../listen/byte-bounds.ts'
import type { TransferRates } from '../listen/transfer-rate.ts'
import type { RawResponse } from '../stream/open-stream.ts'
import { asFault } from './refusal.ts'

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface merges with the declaration of the library.
  interface FastifyRequest {
    outgoing: Outgoing
  }
}

/** Responses, bounded in bytes that their clients have not taken yet, and in time. Streams have their own bounds. */
export type Outgoing = {
  /** Whether the caller may get a response at all. Asked before any work is done for it. */
  look(request: FastifyRequest): Refusal | null
  /** Takes the bytes of a response. Throws if there is no room. */
  take(request: FastifyRequest, bytes: number): ReservedShare
  /** Sends the body, and releases its bytes when the client has taken them. */
  write(request: FastifyRequest, response: RawResponse, body: Buffer, held?: ReservedShare): void
}

// The operation has happened, so its response is refused much later than that of a read.
const factorOfWrites = 2
// Node keeps a second, encrypted copy of everything that it is given, so it gets a large body in parts.
const partBytes = 65_536

const isReading = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD'

export const createOutgoing = ({
  bounds,
  rates,
  onSlow,
}: {
  bounds: ByteBounds
  rates: TransferRates
  onSlow(): void
}): Outgoing => {
  const watch = (response: RawResponse, held: ReservedShare) => {
    const slow = (): void => {
      // In a pipeline, a response waits for the ones before it. That is not the fault of the client.
      if (response instanceof ServerResponse && response.socket === null) {
        transfer = rates.watch(slow)
        return
      }
      onSlow()
      response.destroy()
    }
    let transfer = rates.watch(slow)
    const end = (): void => {
      transfer.end()
      held.giveBack()
    }
    response.once('finish', end)
    response.once('close', end)
    return { moved: (bytes: number) => transfer.moved(bytes) }
  }

  return {
    look: bounds.look,
    take: (request, bytes) => {
      const held = bounds.take(request, bytes, { factor: isReading(request) ? 1 : factorOfWrites })
      if ('code' in held) throw asFault(held)
      return held
    },
    write: (request, response, body, held = bounds.takeAlways(request, body.length)) => {
      const raw = response as ServerResponse
      const transfer = watch(response, held)
      let at = 0
      const writeNext = (error?: Error | null): void => {
        if (error || raw.destroyed) return
        if (at > 0) transfer.moved(partBytes)
        const part = body.subarray(at, at + partBytes)
        at += part.length
        if (at === body.length) raw.end(part)
        else raw.write(part, writeNext)
      }
      writeNext()
    },
  }
}
