import type { Event } from './generated/types.ts'
import { createReplayGuard, type ReplayGuard } from './replay-guard.ts'
import { type HeaderSource, verifyWebhook, WebhookVerificationError } from './webhook.ts'

export type WebhookHandlerOptions = {
  /** The secret of the webhook; during a rotation, the new and the old one. */
  secret: string | readonly string[]
  /** Remembers processed events. Default: in memory. With several processes, use your database. */
  guard?: ReplayGuard | AsyncReplayGuard
  /** The maximum difference of the delivery time, in either direction. Default: 300. */
  toleranceSeconds?: number
  /** Called with what `receive` throws. Default: `console.error`. */
  onError?: (error: unknown) => void
}

/** A `ReplayGuard` in a database. */
export type AsyncReplayGuard = {
  claim(id: string): Promise<boolean>
  release(id: string): Promise<void>
}

/** A handler for servers with `Request` and `Response`: Bun, Deno, Hono, Next.js, Cloudflare Workers. */
export type WebhookHandler = ((request: Request) => Promise<Response>) & {
  /** The same for `node:http`: `createServer(handler.node)`. Use it before anything that reads the body. */
  node(request: NodeRequest, response: NodeResponse): Promise<void>
}

/** What the handler needs of an `IncomingMessage`. */
export type NodeRequest = AsyncIterable<Uint8Array> & {
  method?: string | undefined
  headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** What the handler needs of a `ServerResponse`. */
export type NodeResponse = { writeHead(status: number): { end(): unknown } }

// The service sends at most 11 MiB of input and output in a run, and JSON may triple that.
const maxBytes = 64 * 1_048_576

/**
 * Verifies deliveries and passes each event to `receive`, once per id. It responds with 204, with 400 if a delivery is not
 * authentic, and with 500 if `receive` throws: the service then sends the event again.
 */
export const webhookHandler = (
  options: WebhookHandlerOptions,
  receive: (event: Event) => void | Promise<void>,
): WebhookHandler => {
  const { guard = createReplayGuard(), onError = console.error } = options

  const receiveOnce = async (event: Event): Promise<number> => {
    if (!(await guard.claim(event.id))) return 204
    try {
      await receive(event)
      return 204
    } catch (error) {
      onError(error)
      await guard.release(event.id)
      return 500
    }
  }

  const statusOf = async (method: string | undefined, headers: HeaderSource, body: ByteSource): Promise<number> => {
    if (method !== 'POST') return 405
    const bytes = await readBytes(body)
    if (bytes === 'too_large') return 413
    const { secret, toleranceSeconds } = options
    const delivery = { body: bytes, headers, secret, ...(toleranceSeconds !== undefined && { toleranceSeconds }) }
    try {
      return await receiveOnce(await verifyWebhook(delivery))
    } catch (error) {
      return error instanceof WebhookVerificationError && error.reason !== 'secret_invalid' ? 400 : 500
    }
  }

  const handler = async (request: Request): Promise<Response> => {
    const { method, headers, body } = request
    return new Response(null, { status: await statusOf(method, headers, body === null ? [] : chunksOf(body)) })
  }
  const node = async (request: NodeRequest, response: NodeResponse): Promise<void> => {
    // The connection broke while the body was read: there is nobody to respond to.
    const status = await statusOf(request.method, request.headers, request).catch(() => 500)
    response.writeHead(status).end()
  }
  return Object.assign(handler, { node })
}

type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Not every runtime can iterate over a stream. */
const chunksOf = async function* (body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}

const readBytes = async (body: ByteSource): Promise<Uint8Array | 'too_large'> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > maxBytes) return 'too_large'
    chunks.push(chunk)
  }
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  return bytes
}
