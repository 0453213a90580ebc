import type { Answered } from './api-call.ts'
import type { Clock } from './clock.ts'
import { connectionReason } from './connection-reason.ts'
import { AgentRunServiceError, ApiError, ConnectionError, errorOf, TimeoutError } from './errors.ts'
import type { Logger } from './log.ts'
import type { CallOptions, Fetch, Method } from './options.ts'
import { withOutputText } from './output-text.ts'
import { delayBeforeRetry } from './retry.ts'

/** Sends requests with the credential, a timeout, and retries where they are safe. */
export type Transport = {
  /** The parsed response, which must be JSON. */
  read(request: Call): Promise<Answered>
  /** The parsed response if it is JSON, otherwise its text; null for an empty one. */
  readAny(request: Call): Promise<Answered>
  /** A response with a streaming body. The timeout covers only its headers. */
  open(request: Call): Promise<Response>
}

export type Call = {
  method: Method
  /** The path below the base URL, with its query. */
  path: string
  headers?: Readonly<Record<string, string>>
  body?: string | undefined
  /** The call is idempotent. */
  isRepeatable: boolean
  options: CallOptions
}

export type TransportSettings = {
  /** Undefined: the browser sends its cookie. */
  apiKey: string | undefined
  baseUrl: string
  defaultHeaders: Readonly<Record<string, string>>
  /** The organisation that the caller expects to act for. */
  expected: () => string | undefined
  fetch: Fetch
  maxRetries: number
  timeoutMs: number
  clock: Clock
  log: Logger
  userAgent: string | undefined
}

export const createTransport = (settings: TransportSettings): Transport => {
  const { clock, log } = settings

  const sendOnce = async (call: Call, signal: AbortSignal): Promise<Response> => {
    const begun = clock.now()
    log.debug('request', { method: call.method, path: pathOf(call) })
    const response = await settings.fetch(settings.baseUrl + call.path, {
      method: call.method,
      headers: headersOf(settings, call),
      ...(call.body !== undefined && { body: call.body }),
      ...(settings.apiKey === undefined && { credentials: 'include' as const }),
      signal,
      // The service never redirects. A redirect comes from another server, which must not receive the key.
      redirect: 'manual',
    })
    log.debug('response', { ...factsOf(call, response), ms: clock.now() - begun })
    if (response.ok) return response
    throw errorOf(response, await response.text(), clock.now())
  }

  const tryOnce = async <Result>(call: Call, read: (response: Response) => Promise<Result>): Promise<Result> => {
    const { signal, timeoutMs = settings.timeoutMs } = call.options
    signal?.throwIfAborted()
    const controller = new AbortController()
    const stop = (): void => controller.abort(signal?.reason)
    const where = `${call.method} ${settings.baseUrl}${pathOf(call)}`
    const late = new TimeoutError(`No response within ${timeoutMs} ms: ${where}`)
    const timer = setTimeout(() => controller.abort(late), timeoutMs)
    signal?.addEventListener('abort', stop, { once: true })
    try {
      return await read(await sendOnce(call, controller.signal))
    } catch (error) {
      // The caller's own abort reason, not the error of the platform.
      signal?.throwIfAborted()
      if (controller.signal.aborted) throw late
      if (error instanceof AgentRunServiceError) throw error
      throw new ConnectionError(`The connection failed: ${where}${connectionReason(error)}`, { cause: error })
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
        log.info('retry', { method: call.method, path: pathOf(call), retry: retry + 1, delayMs, reason: wordOf(error) })
        await clock.sleep(delayMs, signal)
      }
    }
  }

  return {
    read: (call) =>
      tryUntilDone(call, async (response) => ({ data: withOutputText(readJson(await response.text())), response })),
    readAny: (call) => tryUntilDone(call, async (response) => ({ data: await readBody(response), response })),
    open: (call) => tryUntilDone(call, async (response) => response),
  }
}

const headersOf = (settings: TransportSettings, call: Call): Record<string, string> => {
  const hasCookie = settings.apiKey === undefined
  const organisation = settings.expected()
  const given = lowercase({
    ...lowercase(settings.defaultHeaders),
    ...call.headers,
    ...lowercase(call.options.headers),
  })
  return {
    accept: 'application/json',
    // The service accepts a write with a cookie only with this type, because forms of other sites cannot send it.
    ...((call.body !== undefined || (hasCookie && call.method !== 'GET')) && { 'content-type': 'application/json' }),
    ...(settings.userAgent && { 'user-agent': settings.userAgent }),
    ...(organisation !== undefined && { 'ars-organisation': organisation }),
    ...given,
    ...(settings.apiKey !== undefined && { authorization: `Bearer ${settings.apiKey}` }),
  }
}

const lowercase = (headers: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** Without the query, which contains filters of the caller. */
const pathOf = ({ path }: Call): string => path.split('?')[0] ?? ''

const factsOf = (call: Call, { status, headers }: Response): object => ({
  method: call.method,
  path: pathOf(call),
  status,
  requestId: headers.get('x-request-id'),
})

const wordOf = (error: unknown): string => {
  if (error instanceof ApiError) return error.code
  return error instanceof TimeoutError ? 'timeout' : 'connection'
}

const readBody = async (response: Response): Promise<unknown> => {
  const text = await response.text()
  if (text === '') return null
  return /\bjson\b/i.test(response.headers.get('content-type') ?? '') ? readJson(text) : text
}

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ConnectionError('The response is not JSON, so it does not come from the service.', { cause: error })
  }
}
