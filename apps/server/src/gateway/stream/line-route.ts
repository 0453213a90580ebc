import type { ServerResponse } from 'node:http'
import { constants, type Http2ServerResponse } from 'node:http2'
import { type LineStream, limits } from '@ars/contract'
import { Fault } from '@ars/core/fault'
import type { Log } from '@ars/platform/log/log'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { serverBounds } from '../../bounds.ts'
import type { CredentialWatch } from '../admit/credential-watch.ts'
import type { Outgoing } from '../answer/outgoing.ts'
import type { TransferRates } from '../listen/transfer-rate.ts'

/** Sends lines as fast as the client reads them. The next lines are read when the client has taken the last ones. */
export type LineRoutes = {
  /** Resolves when the response is over. Faults before the first byte are thrown. */
  serve(request: FastifyRequest, reply: FastifyReply, open: () => Promise<LineStream>): Promise<void>
}

type Deps = {
  credentials: Pick<CredentialWatch, 'add'>
  outgoing: Pick<Outgoing, 'take'>
  rates: TransferRates
  onSlow(): void
  /** Called once per response, when it is over. */
  onClose(request: FastifyRequest, reply: FastifyReply): void
  log: Log
  linesPerKey?: number
}

/** Responses with lines that a key may have at once. Each reads a page of results when its client is ready. */
const maxPerKey = serverBounds.lineAnswers.count
/** Lines are gathered up to this size, and sent in parts of it. */
const partBytes = 65_536

export const createLineRoutes = (deps: Deps): LineRoutes => {
  const { linesPerKey = maxPerKey } = deps
  const perKey = new Map<string, number>()

  const enter = ({ caller }: FastifyRequest): (() => void) => {
    const keyId = caller?.bucket.id ?? ''
    const count = perKey.get(keyId) ?? 0
    if (count >= linesPerKey)
      throw new Fault('rate_limited', `This key has reached its limit of ${linesPerKey} open downloads.`)
    perKey.set(keyId, count + 1)
    return () => {
      const left = (perKey.get(keyId) ?? 1) - 1
      if (left === 0) perKey.delete(keyId)
      else perKey.set(keyId, left)
    }
  }

  /** Until the client has taken the bytes, or has left. */
  const write = (response: ServerResponse, part: Buffer): Promise<void> =>
    new Promise((resolve) => {
      if (response.destroyed) return resolve()
      const settle = (): void => {
        response.off('close', settle)
        resolve()
      }
      response.once('close', settle)
      response.write(part, settle)
    })

  const send = async (request: FastifyRequest, response: ServerResponse, { lines }: LineStream): Promise<void> => {
    const slow = (): void => {
      deps.onSlow()
      breakOff(response)
    }
    const unwatch = deps.credentials.add(request, () => breakOff(response))
    // In parts, because a line may have megabytes, and a slow client shows its progress by each part. The time that the database needs is
    // not the fault of the client.
    const flush = async (text: string): Promise<void> => {
      const bytes = Buffer.from(text)
      const transfer = deps.rates.watch(slow)
      for (let at = 0; at < bytes.length && !response.destroyed; at += partBytes) {
        await write(response, bytes.subarray(at, at + partBytes))
        transfer.moved(partBytes)
      }
      transfer.end()
    }
    try {
      let gathered = ''
      for await (const line of lines) {
        if (response.destroyed) return
        gathered += line
        if (gathered.length < partBytes) continue
        await flush(gathered)
        gathered = ''
      }
      if (gathered !== '') await flush(gathered)
      response.end()
    } catch (error) {
      deps.log.warn('a response with lines was broken off', { request_id: request.id, error })
      breakOff(response)
    } finally {
      unwatch()
    }
  }

  return {
    serve: async (request, reply, open) => {
      const leave = enter(request)
      try {
        const answer = await open()
        // What one page of results holds in memory.
        const held = request.method === 'HEAD' ? undefined : deps.outgoing.take(request, limits.pageBytes)
        try {
          reply.hijack()
          const response = reply.raw as ServerResponse
          // A disconnecting client is not an error.
          response.on('error', () => undefined)
          if (response.destroyed) return
          response.writeHead(200, { ...request.responseHeaders, ...answer.headers, ...lineHeaders })
          if (request.method === 'HEAD') response.end()
          else await send(request, response, answer)
        } finally {
          held?.giveBack()
          deps.onClose(request, reply)
        }
      } finally {
        leave()
      }
    },
  }
}

/** The headers are sent. The client sees that the response is incomplete: by a closed connection, or by the code of its stream. */
const breakOff = (response: ServerResponse | Http2ServerResponse): void => {
  if ('stream' in response) response.stream?.close(constants.NGHTTP2_INTERNAL_ERROR)
  else response.destroy()
}

const lineHeaders = {
  'content-type': 'application/jsonl; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
} as const
