import type { IncomingMessage, ServerResponse } from 'node:http'
import { play } from './play.ts'
import type { Case, Exchange } from './types.ts'

/** A request as it arrived. */
export type Received = {
  method: string
  /** Below the base address, still encoded. */
  path: string
  query: string
  headers: IncomingMessage['headers']
  body: string
  /** Milliseconds since the reply before it ended; null for the first. */
  sinceReplyMs: number | null
  /** The client ended the response. */
  isClosedByClient: Promise<void>
  isAlso: boolean
}

/** One run of one case: plays the replies in order and records the requests. */
export type Session = {
  readonly id: string
  readonly runner: string
  readonly oneCase: Case
  readonly received: readonly Received[]
  answer(path: string, request: IncomingMessage, body: string, response: ServerResponse): Promise<void>
  /** Resolves as soon as the client has sent `count` requests. */
  waitForRequests(count: number): Promise<void>
}

export const createSession = (id: string, runner: string, oneCase: Case): Session => {
  const received: Received[] = []
  const waiting: { count: number; resolve(): void }[] = []
  let lastReplyAt: number | null = null

  return {
    id,
    runner,
    oneCase,
    received,
    answer: async (address, request, body, response) => {
      const [path = '', query = ''] = address.split(/\?(.*)/s)
      const method = request.method ?? ''
      const also = oneCase.also?.find(({ request: one }) => one.method === method && one.path === path)
      const count = received.filter(({ isAlso }) => !isAlso).length
      const exchange = also ?? oneCase.exchanges?.[count]
      const isClosedByClient = new Promise<void>((resolve) => {
        response.once('close', () => {
          if (!response.writableFinished) resolve()
        })
      })
      const sinceReplyMs = lastReplyAt === null ? null : performance.now() - lastReplyAt
      const { headers } = request
      received.push({ method, path, query, headers, body, sinceReplyMs, isClosedByClient, isAlso: also !== undefined })
      for (const one of waiting) if (received.length >= one.count) one.resolve()
      await play((exchange ?? unexpected(method, path)).reply, response, headers)
      lastReplyAt = performance.now()
    },
    waitForRequests: (count) =>
      received.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve })),
  }
}

/** A status that no client retries. */
const unexpected = (method: string, path: string): Exchange => ({
  request: { method, path },
  reply: { status: 418, json: { error: { code: 'unexpected_request', message: 'The transcript ended before this.' } } },
})
