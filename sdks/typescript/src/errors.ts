import type { ErrorBody } from './generated/types.ts'

/** Everything that the client throws by itself. */
export class AgentRunServiceError extends Error {
  override readonly name: string = 'AgentRunServiceError'
}

/** The service refused, or failed. `code` says what happened, `requestId` is what its operator wants to know. */
export class ApiError extends AgentRunServiceError {
  override readonly name: string = 'ApiError'
  readonly status: number
  readonly code: string
  readonly type: string
  readonly param: string | null
  readonly details: readonly unknown[]
  readonly requestId: string | null
  readonly docUrl: string | null
  /** How long the service asked to wait, where it did. */
  readonly retryAfterMs: number | null

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.status = refusal.status
    this.code = refusal.code
    this.type = refusal.type
    this.param = refusal.param
    this.details = refusal.details
    this.requestId = refusal.requestId
    this.docUrl = refusal.docUrl
    this.retryAfterMs = refusal.retryAfterMs
  }
}

/** 401: no key, or one that does not work. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError'
}

/** 403: the key is good and may not do this. */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError'
}

/** 404: there is no such thing, or not for this key. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError'
}

/** 400, 422 and the like: the request must change before it can succeed. */
export class InvalidRequestError extends ApiError {
  override readonly name = 'InvalidRequestError'
}

/** 429: too many requests, runs or calls; `retryAfterMs` says when to come back. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError'
}

/** No answer: the service could not be reached, or the connection broke. The cause says more. */
export class ConnectionError extends AgentRunServiceError {
  override readonly name: string = 'ConnectionError'
}

/** No answer in time. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError'
}

export type Refusal = {
  status: number
  code: string
  type: string
  message: string
  param: string | null
  details: readonly unknown[]
  requestId: string | null
  docUrl: string | null
  retryAfterMs: number | null
}

/** The error for an answer that is no success. A proxy on the way may answer in words of its own, so nothing is relied upon. */
export const errorOf = (response: Answered, text: string, nowMs: number): ApiError => {
  const { status } = response
  const error = readBody(text)
  const refusal: Refusal = {
    status,
    code: error?.code ?? `http_${status}`,
    type: error?.type ?? (status >= 500 ? 'api_error' : 'invalid_request_error'),
    message: error?.message ?? `The answer was ${status}, without a word of the service`,
    param: error?.param ?? null,
    details: error?.details ?? [],
    requestId: error?.request_id ?? response.headers.get('x-request-id'),
    docUrl: error?.doc_url ?? null,
    retryAfterMs: retryAfterMs(response.headers.get('retry-after'), nowMs),
  }
  return new (classOf(status))(refusal)
}

type Answered = { status: number; headers: { get(name: string): string | null } }

const classOf = (status: number): typeof ApiError => {
  if (status === 401) return AuthenticationError
  if (status === 403) return PermissionError
  if (status === 404) return NotFoundError
  if (status === 429) return RateLimitError
  return status >= 400 && status < 500 ? InvalidRequestError : ApiError
}

const readBody = (text: string): Partial<ErrorBody['error']> | undefined => {
  try {
    const body = JSON.parse(text) as Partial<ErrorBody> | null
    return typeof body?.error === 'object' && body.error !== null ? body.error : undefined
  } catch {
    return undefined
  }
}

/** Whole seconds or, from proxies, a date. */
const retryAfterMs = (header: string | null, nowMs: number): number | null => {
  if (header === null) return null
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs)
}
