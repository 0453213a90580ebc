import type { ErrorBody, UnavailableReason } from './generated/types.ts'
import type { ErrorCode } from './generated/values.ts'
import type { Open } from './open.ts'

/** The base class of all errors of the client. */
export class AgentRunServiceError extends Error {
  override readonly name: string = 'AgentRunServiceError'
}

/**
 * The service rejected the request or failed. `code` identifies the error; quote `requestId` to the operator. The message
 * contains all of it: `404 not_found: There is no run_x (req_…)`.
 */
export class ApiError extends AgentRunServiceError {
  override readonly name: string = 'ApiError'
  readonly status: number
  /** One of `errorCodes`, one of tomorrow, or `http_…` for a response of something else than the service. */
  readonly code: Open<ErrorCode>
  readonly type: string
  /** The message of the service alone. */
  readonly serviceMessage: string
  /** Why the service is `unavailable`; null for every other code, and from an older service. */
  readonly reason: Open<UnavailableReason> | null
  readonly param: string | null
  readonly details: readonly unknown[]
  readonly requestId: string | null
  readonly docUrl: string | null
  /** The delay that the service requested, if any. */
  readonly retryAfterMs: number | null
  readonly #refusal: Refusal

  constructor(refusal: Refusal) {
    super(
      `${refusal.status} ${refusal.code}: ${refusal.message}${refusal.requestId === null ? '' : ` (${refusal.requestId})`}`,
    )
    this.serviceMessage = refusal.message
    this.status = refusal.status
    this.code = refusal.code
    this.type = refusal.type
    this.reason = refusal.reason
    this.param = refusal.param
    this.details = refusal.details
    this.requestId = refusal.requestId
    this.docUrl = refusal.docUrl
    this.retryAfterMs = refusal.retryAfterMs
    this.#refusal = refusal
  }

  // Getters, so that printing the error does not print them.

  /** The headers of the response, for example `x-ratelimit-remaining`. */
  get headers(): Headers {
    return this.#refusal.headers
  }

  /** The response body: parsed JSON, or text if it is not JSON. */
  get body(): unknown {
    return this.#refusal.body
  }
}

/** 401: the API key is missing or invalid. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError'
}

/** 403: the key is valid, but lacks the permission. */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError'
}

/** 404: the resource does not exist, or the key cannot access it. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError'
}

/** 400, 422 and similar: change the request before you retry it. */
export class InvalidRequestError extends ApiError {
  override readonly name = 'InvalidRequestError'
}

/** 429: too many requests, runs or calls. `retryAfterMs` says when to retry. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError'
}

/** No response: the service is unreachable, or the connection broke. See `cause`. */
export class ConnectionError extends AgentRunServiceError {
  override readonly name: string = 'ConnectionError'
}

/** The request timed out. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError'
}

/** The fields of an `ApiError`. */
export type Refusal = {
  status: number
  code: string
  type: string
  message: string
  reason: string | null
  param: string | null
  details: readonly unknown[]
  requestId: string | null
  docUrl: string | null
  retryAfterMs: number | null
  headers: Headers
  body: unknown
}

/** The error for an unsuccessful response. A proxy may have sent it, so every field is optional. */
export const errorOf = (response: Answered, text: string, nowMs: number): ApiError => {
  const { status } = response
  const body = readBody(text)
  const error = errorIn(body)
  const refusal: Refusal = {
    status,
    code: error?.code ?? `http_${status}`,
    type: error?.type ?? (status >= 500 ? 'api_error' : 'invalid_request_error'),
    message: error?.message ?? `The response has status ${status} and no error body.`,
    reason: error?.reason ?? null,
    param: error?.param ?? null,
    details: error?.details ?? [],
    requestId: error?.request_id ?? response.headers.get('x-request-id'),
    docUrl: error?.doc_url ?? null,
    retryAfterMs: retryAfterMs(response.headers.get('retry-after'), nowMs),
    headers: response.headers,
    body,
  }
  return new (classOf(status))(refusal)
}

type Answered = Pick<Response, 'status' | 'headers'>

const classOf = (status: number): typeof ApiError => {
  if (status === 401) return AuthenticationError
  if (status === 403) return PermissionError
  if (status === 404) return NotFoundError
  if (status === 429) return RateLimitError
  return status >= 400 && status < 500 ? InvalidRequestError : ApiError
}

const readBody = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const errorIn = (body: unknown): Partial<ErrorBody['error']> | undefined => {
  const { error } = (body ?? {}) as Partial<ErrorBody>
  return typeof error === 'object' && error !== null ? error : undefined
}

/** Seconds or, from proxies, a date. */
const retryAfterMs = (header: string | null, nowMs: number): number | null => {
  if (header === null) return null
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs)
}
