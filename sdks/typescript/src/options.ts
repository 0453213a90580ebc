import type { Clock } from './clock.ts'
import type { Logger, LogLevel } from './log.ts'

/** The options of a client. All are optional: the key and the base URL default to environment variables. */
export type ClientOptions = {
  /** An API key, or a short-lived token created with one. Default: `ARS_API_KEY`. */
  apiKey?: string | undefined
  /**
   * `cookie`: no key; the browser sends the session cookie of `auth.login`. For pages of the service's own origin,
   * which is then the default of `baseUrl`, and of origins that its operator lists. Default: `key`.
   */
  auth?: 'key' | 'cookie' | undefined
  /** The address of the service. Default: `ARS_BASE_URL`, otherwise https://localhost:8443/v2. Without a path, `/v2` is added. */
  baseUrl?: string | undefined
  /**
   * The organisation that you expect to act for (`org_…`), or a function that returns it at each request. If the
   * credential acts for another one, the service refuses the request with `organisation_mismatch`. It selects nothing.
   */
  organisation?: string | (() => string | undefined) | undefined
  /** Headers of every request. Those of a call win; the credential cannot be replaced. */
  defaultHeaders?: Readonly<Record<string, string>> | undefined
  /** A custom `fetch`, for example for a private certificate authority, a proxy or a test. */
  fetch?: Fetch | undefined
  /** The maximum number of retries of a call. Default: 2. */
  maxRetries?: number | undefined
  /** The timeout of one attempt, including its response. Default: 60 s. */
  timeoutMs?: number | undefined
  /** Receives messages about requests, retries and streams. Default: `console`. */
  logger?: Logger | undefined
  /** The least important level that is logged. Default: `ARS_LOG`, otherwise `off`; `info` if you pass a `logger`. */
  logLevel?: LogLevel | undefined
  /** The source of time and randomness. For tests. */
  clock?: Clock | undefined
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export type CallOptions = {
  /** Aborts the call, which then throws the signal's reason. Work that the service has started continues. */
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  maxRetries?: number | undefined
  headers?: Readonly<Record<string, string>> | undefined
}

/** Options of calls that create a resource. */
export type CreateOptions = {
  /**
   * Idempotency key: the same key with the same parameters creates one resource within 24 hours. By default the client
   * generates a key for each call and its retries; set your own to be safe across restarts of your program.
   */
  idempotencyKey?: string | undefined
}

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A request that no method covers. */
export type RequestOptions = CallOptions &
  CreateOptions & {
    method: Method
    /** The path below the base URL, such as `/agents`. */
    path: string
    /** A list is sent with commas, an object as `name[key]=value`, a date in ISO 8601. */
    query?: Readonly<Record<string, unknown>> | undefined
    /** Sent as JSON. */
    body?: unknown
  }

/** Options of calls that can wait for a result. */
export type WaitOptions = {
  /** Seconds to wait, 1 to 300, or false for none. Default: 55. Unfinished runs continue. */
  wait?: number | false | undefined
}

export type StreamOptions = CallOptions & {
  /** The idle timeout after which a stream is resumed. Default: 45 s; heartbeats come every 15 s. */
  idleTimeoutMs?: number | undefined
  /** How long the client tries to resume a broken stream. Default: 5 minutes for a run, unlimited for events. */
  resumeForMs?: number | undefined
  /** Starts after this frame. */
  lastEventId?: string | undefined
}
