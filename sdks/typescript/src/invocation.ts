import type { Clock } from './clock.ts'
import type { Logger } from './log.ts'
import type { CallOptions, CreateOptions, RequestOptions, StreamOptions, WaitOptions } from './options.ts'
import { type Params, pathOf, queryOf } from './query.ts'
import type { Call, Transport } from './request.ts'

/** An operation of the API as data. */
export type Operation = {
  readonly method: Call['method']
  readonly path: string
  readonly answers: 'record' | 'list' | 'run_stream' | 'event_stream'
  /** Where the parameters outside the path are sent. */
  readonly takes?: 'query' | 'body'
  /** The operation accepts an idempotency key. */
  readonly idempotent?: true
  /** The operation can wait for a result. */
  readonly waits?: true
  /** The operation that resumes its stream. */
  readonly resumesAt?: string
}

export type Caller = { transport: Transport; clock: Clock; log: Logger; newKey(): string; timeoutMs: number }

type Options = CallOptions & CreateOptions & WaitOptions & StreamOptions

/** One call of a method. */
export type Invocation = {
  caller: Caller
  operation: Operation
  ids: Readonly<Record<string, string>>
  params: Params
  options: Options
}

export const requestOf = ({ caller, operation, ids, params, options }: Invocation): Call => {
  const { method, takes } = operation
  const headers: Record<string, string> = {}
  // One key for the logical call, created before its first attempt.
  if (operation.idempotent) headers['idempotency-key'] = options.idempotencyKey ?? caller.newKey()
  if (operation.waits && options.wait !== undefined) {
    headers.prefer = options.wait === false ? 'respond-async' : `wait=${options.wait}`
  }
  return {
    method,
    path: pathOf(operation.path, ids) + (takes === 'query' ? queryOf(params) : ''),
    headers,
    body: takes === 'body' ? JSON.stringify(params) : undefined,
    isRepeatable: method !== 'POST' || operation.idempotent === true,
    options: { ...options, timeoutMs: timeoutOf(caller, operation, options) },
  }
}

/** The request of `client.request`. A POST is retried as freely as other methods if it has an idempotency key. */
export const anyRequestOf = ({ method, path, query = {}, body, idempotencyKey, ...options }: RequestOptions): Call => {
  if (!path.startsWith('/')) throw new TypeError('path must begin with /')
  return {
    method,
    path: path + (path.includes('?') ? queryOf(query).replace('?', '&') : queryOf(query)),
    ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
    body: body === undefined ? undefined : JSON.stringify(body),
    isRepeatable: method !== 'POST' || idempotencyKey !== undefined,
    options,
  }
}

// The default wait of the service, and the extra time for the response.
const waitSeconds = 55
const beyondWaitMs = 15_000

/** The timeout of a call that waits covers at least the requested wait. */
const timeoutOf = (caller: Caller, operation: Operation, { timeoutMs, wait }: Options): number => {
  if (timeoutMs !== undefined) return timeoutMs
  if (!operation.waits || wait === false) return caller.timeoutMs
  return Math.max(caller.timeoutMs, (wait ?? waitSeconds) * 1_000 + beyondWaitMs)
}
