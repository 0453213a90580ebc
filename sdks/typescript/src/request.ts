import type { Clock } from './clock.ts'
import { AgentRunServiceError, ConnectionError, errorOf, TimeoutError } from './errors.ts'
import type { CallOptions, Fetch } from './options.ts'
import { delayBeforeRetry } from './retry.ts'

/** Sends requests with the key, a timeout, and retries where they are safe. */
export type Transport = {
  /** The parsed response. */
  read(request: Call): Promise<unknown>
  /** A response with a streaming body. The timeout covers only its headers. */
  open(request: Call): Promise<Response>
}

export type Call = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The path below the base URL, with its query. */
  path: string
  headers?: Readonly<Record<string, string>>
  body?: string | undefined
  /** The call is idempotent. */
  isRepeatable: boolean
  options: CallOptions
}

export type TransportSettings = {
  apiKey: string
  baseUrl: string
  fetch: Fetch
  maxRetries: number
  timeoutMs: number
  clock: Clock
  userAgent: string | undefined
}

export const createTransport = (settings: TransportSettings): Transport => {
  const { clock } = settings

  const sendOnce = async (call: Call, signal: AbortSignal): Promise<Response> => {
    const response = await settings.fetch(settings.baseUrl + call.path, {
      method: call.method,
      headers: headersOf(settings, call),
      ...(call.body !== undefined && { body: call.body }),
      signal,
      // The service never redirects. A redirect comes from another server, which must not receive the key.
      redirect: 'manual',
    })
    if (response.ok) return response
    throw errorOf(response, await response.text(), clock.now())
  }

  const tryOnce = async <Result>(call: Call, read: (response: Response) => Promise<Result>): Promise<Result> => {
    const { signal, timeoutMs = settings.timeoutMs } = call.options
    signal?.throwIfAborted()
    const controller = new AbortController()
    const stop = (): void => controller.abort(signal?.reason)
    const late = new TimeoutError(`No answer within ${timeoutMs} ms: ${call.method} ${call.path}`)
    const timer = setTimeout(() => controller.abort(late), timeoutMs)
    signal?.addEventListener('abort', stop, { once: true })
    try {
      return await read(await sendOnce(call, controller.signal))
    } catch (error) {
      // The caller's own abort reason, not the error of the platform.
      signal?.throwIfAborted()
      if (controller.signal.aborted) throw late
      if (error instanceof AgentRunServiceError) throw error
      throw new ConnectionError(`The connection failed: ${call.method} ${call.path}${reasonOf(error)}`, {
        cause: error,
      })
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    }
  }

  const tryUntilDone = async <Result>(call: Call, read: (response: Response) => Promise<Result>): Promise<Result> => {
    const { maxRetries = settings.maxRetries, signal } = call.options
    for (let retry = 0; ; retry++) {
      try {
        return await tryOnce(call, read)
      } catch (error) {
        const random = clock.random()
        const delayMs = delayBeforeRetry({ error, retry, maxRetries, isRepeatable: call.isRepeatable, random })
        if (delayMs === null) throw error
        await clock.sleep(delayMs, signal)
      }
    }
  }

  return {
    read: (call) => tryUntilDone(call, async (response) => readJson(await response.text())),
    open: (call) => tryUntilDone(call, async (response) => response),
  }
}

const headersOf = (settings: TransportSettings, call: Call): Record<string, string> => ({
  accept: 'application/json',
  ...(call.body !== undefined && { 'content-type': 'application/json' }),
  ...(settings.userAgent && { 'user-agent': settings.userAgent }),
  ...call.headers,
  ...call.options.headers,
  authorization: `Bearer ${settings.apiKey}`,
})

/** The innermost cause, which names the reason, and advice for a certificate that is not trusted. */
const reasonOf = (error: unknown): string => {
  let cause = error
  for (let depth = 0; depth < 5 && cause instanceof Error; depth++) {
    const next: unknown = cause instanceof AggregateError ? cause.errors[0] : cause.cause
    if (!(next instanceof Error)) break
    cause = next
  }
  if (!(cause instanceof Error)) return ''
  const code = 'code' in cause ? String(cause.code) : ''
  const reason = cause.message || code
  const advice = /SELF_SIGNED|UNABLE_TO_/.test(code)
    ? '. Set NODE_EXTRA_CA_CERTS to the certificate of the service'
    : ''
  return reason === '' ? '' : ` (${reason}${advice})`
}

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ConnectionError('The response is not JSON, so it does not come from the service.', { cause: error })
  }
}
