import type { Exchange } from './exchange.ts'
import { EgressFailed } from './failure.ts'
import type { RequestBody } from './outgoing.ts'

export type FetchLimits = {
  readonly deadlineMs?: number | undefined
  readonly idleTimeoutMs?: number | undefined
  readonly maxBodyBytes?: number | undefined
  /** The wait for a free connection. It does not count against the deadline, and its end is a failure of the kind `busy`. */
  readonly maxWaitMs?: number | undefined
}

type Open = (request: {
  url: string
  method: string
  headers: Headers
  body: RequestBody
  signal?: AbortSignal
}) => Promise<Exchange>

// Buffered ahead of the reader, so that a small unread response still frees its connection.
const readAheadBytes = 65_536

/**
 * A `fetch` with the same checks. Redirects are returned unless `redirect` is `error`. A failure is the usual TypeError
 * `fetch failed` with a cause; a refusal is thrown unchanged.
 */
export const createFetch = (open: Open): typeof fetch => {
  return async (input, init) => {
    // The URL is checked as given, before `Request` normalises it.
    const url = input instanceof Request ? input.url : String(input)
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined)
    try {
      const request = await readRequest(url, input instanceof Request ? input : undefined, init)
      const answer = await open({ ...request, ...(signal ? { signal } : {}) })
      return await responseOf(answer, request.method, url, init?.redirect)
    } catch (error) {
      if (error instanceof EgressFailed) throw new TypeError('fetch failed', { cause: error })
      throw error
    }
  }
}

// `Request` reads every kind of body and its content type; it sends nothing here.
const readRequest = async (url: string, given: Request | undefined, init: RequestInit | undefined) => {
  const { signal: _, ...rest } = init ?? {}
  const reader = new Request(given ?? bodyReaderUrl, { ...rest, ...(rest.body ? { duplex: 'half' } : {}) })
  const bytes = reader.body ? new Uint8Array(await reader.arrayBuffer()) : null
  return { url, method: reader.method, headers: reader.headers, body: bytes }
}

const bodyReaderUrl = 'https://reader.invalid/'

const responseOf = async (
  answer: Exchange,
  method: string,
  url: string,
  redirect: RequestInit['redirect'],
): Promise<Response> => {
  const { status, headers } = answer
  try {
    if (redirect === 'error' && status >= 300 && status < 400 && headers.has('location'))
      throw new EgressFailed('The server responded with a redirect', { kind: 'protocol', reached: true })
    if (status > 599)
      throw new EgressFailed(`The server responded with status ${status}`, { kind: 'protocol', reached: true })
    const coding = headers.get('content-encoding') ?? 'identity'
    if (coding !== 'identity')
      throw new EgressFailed(`The server sent ${coding}, though it was asked for plain bytes`, {
        kind: 'protocol',
        reached: true,
      })
    const hasBody = method !== 'HEAD' && ![204, 205, 304].includes(status)
    if (!hasBody) await answer.next()
    const response = new Response(hasBody ? bodyOf(answer) : null, { status, headers })
    Object.defineProperty(response, 'url', { value: url })
    return response
  } catch (error) {
    answer.stop()
    throw error
  }
}

const bodyOf = (answer: Exchange): ReadableStream<Uint8Array> =>
  new ReadableStream(
    {
      pull: async (controller) => {
        const chunk = await answer.next()
        if (chunk) controller.enqueue(chunk)
        else controller.close()
      },
      cancel: () => answer.stop(),
    },
    { highWaterMark: readAheadBytes, size: (chunk) => chunk?.byteLength ?? 0 },
  )
