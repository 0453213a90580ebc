import type { Clock } from './clock.ts'
import type { CallOptions, CreateOptions, StreamOptions, WaitOptions } from './options.ts'
import { type ListBody, listPages, type PageParams } from './page.ts'
import type { Call, Transport } from './request.ts'
import { isPassing } from './retry.ts'
import { createStream, type Position, type Stream } from './stream.ts'

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
  readonly prefers?: true
  /** The operation that resumes its stream. */
  readonly resumesAt?: string
}

export type Caller = { transport: Transport; clock: Clock; newKey(): string; timeoutMs: number }

/**
 * Creates a method for each operation: path parameters in order, then parameters, then options. The types of the
 * methods are generated.
 */
export const resourceOf = <Resource>(caller: Caller, operations: Readonly<Record<string, Operation>>): Resource =>
  Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [name, methodOf(caller, operation)]),
  ) as Resource

type Options = CallOptions & CreateOptions & WaitOptions & StreamOptions

const methodOf =
  (caller: Caller, operation: Operation) =>
  (...given: unknown[]): unknown => {
    const names = namesIn(operation.path)
    const ids = Object.fromEntries(names.map((name, n) => [name, idOf(name, given[n])]))
    const [params, options] = operation.takes ? given.slice(names.length) : [undefined, given[names.length]]
    const call: Invocation = { caller, operation, ids, params: (params ?? {}) as PageParams, options: options ?? {} }
    if (operation.answers === 'list') return list(call)
    if (operation.answers === 'record') return caller.transport.read(requestOf(call))
    return stream(call)
  }

type Invocation = {
  caller: Caller
  operation: Operation
  ids: Readonly<Record<string, string>>
  params: PageParams
  options: Options
}

const list = (call: Invocation) =>
  listPages<unknown>(call.params, async (params) => {
    const body = await call.caller.transport.read(requestOf({ ...call, params }))
    return body as ListBody<unknown>
  })

const requestOf = ({ caller, operation, ids, params, options }: Invocation): Call => {
  const { method, takes } = operation
  const headers: Record<string, string> = {}
  // One key for the logical call, created before its first attempt.
  if (operation.idempotent) headers['idempotency-key'] = options.idempotencyKey ?? caller.newKey()
  if (operation.prefers && options.wait !== undefined) {
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

// The default wait of the service, and the extra time for the response.
const waitSeconds = 55
const beyondWaitMs = 15_000

/** The timeout of a call that waits covers at least the requested wait. */
const timeoutOf = (caller: Caller, operation: Operation, { timeoutMs, wait }: Options): number => {
  if (timeoutMs !== undefined) return timeoutMs
  if (!operation.prefers || wait === false) return caller.timeoutMs
  return Math.max(caller.timeoutMs, (wait ?? waitSeconds) * 1_000 + beyondWaitMs)
}

const endings: ReadonlySet<unknown> = new Set(['run.completed', 'run.failed', 'run.cancelled'])
const endedStatuses: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled'])
const runResumeForMs = 5 * 60_000

type Frame = { type?: unknown; run_id?: unknown }

const stream = (invocation: Invocation): Stream<Frame> => {
  const { caller, operation, ids, options } = invocation
  const { transport, clock } = caller
  const isRun = operation.answers === 'run_stream'
  const request = requestOf(invocation)
  const opening = { accept: 'text/event-stream', ...(options.lastEventId && { 'last-event-id': options.lastEventId }) }

  return createStream<Frame>({
    begin: (signal) =>
      transport.open({
        ...request,
        headers: { ...request.headers, ...opening },
        options: { ...request.options, signal },
      }),
    resume: (at, signal) => transport.open(resumption(invocation, request, at, signal)),
    isLast: ({ type }) => isRun && endings.has(type),
    ...(isRun && {
      isOver: async (at: Position<Frame>, signal: AbortSignal) => {
        const id = ids.id ?? runIdOf(at)
        if (id === undefined) return false
        const path = pathOf(operation.resumesAt ?? operation.path, { id }).replace(/\/stream$/, '')
        try {
          const run = await transport.read({ method: 'GET', path, isRepeatable: true, options: { ...options, signal } })
          return endedStatuses.has((run as { status?: unknown }).status)
        } catch (error) {
          if (isPassing(error)) return false
          throw error
        }
      },
    }),
    options,
    resumeForMs: options.resumeForMs ?? (isRun ? runResumeForMs : Number.POSITIVE_INFINITY),
    clock,
  })
}

const resumption = (
  { operation, ids, params, options }: Invocation,
  request: Call,
  at: Position<Frame>,
  signal: AbortSignal,
): Call => {
  const headers = {
    accept: 'text/event-stream',
    ...(at.lastEventId !== undefined && at.lastEventId !== '' && { 'last-event-id': at.lastEventId }),
  }
  const once = { ...options, signal, maxRetries: 0 }
  const runId = operation.resumesAt === undefined ? undefined : runIdOf(at)
  if (operation.resumesAt !== undefined && runId !== undefined) {
    return {
      method: 'GET',
      path: pathOf(operation.resumesAt, { id: runId }),
      headers,
      isRepeatable: true,
      options: once,
    }
  }
  // The run id is unknown, but the same idempotency key finds the run.
  if (request.method === 'POST') return { ...request, headers: { ...request.headers, ...headers }, options: once }
  // The last event id is newer than the requested start.
  const { after: _, since: __, ...filters } = params
  const query = queryOf(at.lastEventId ? filters : sinceBeginning(params, at))
  return { method: 'GET', path: pathOf(operation.path, ids) + query, headers, isRepeatable: true, options: once }
}

/** A stream that started "now" and broke before its first frame resumes at that time, by the clock of the service. */
const sinceBeginning = (params: PageParams, at: Position<Frame>): PageParams => {
  const date = Date.parse(at.headers.get('date') ?? '')
  const isBound = params.after !== undefined || params.since !== undefined
  return isBound || Number.isNaN(date) ? params : { ...params, since: new Date(date).toISOString() }
}

const runIdOf = ({ last, headers }: Position<Frame>): string | undefined =>
  typeof last?.run_id === 'string' ? last.run_id : (headers.get('x-run-id') ?? undefined)

const namesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

const pathOf = (path: string, ids: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? ''))

/** An empty id or a path segment such as `..` would call another operation. */
const idOf = (name: string, value: unknown): string => {
  const id = typeof value === 'number' ? String(value) : value
  if (typeof id !== 'string' || id === '' || id === '.' || id === '..') {
    throw new TypeError(`${name} must be a non-empty string`)
  }
  return id
}

/** An object is sent as `name[key]=value`, a list with commas. */
const queryOf = (params: PageParams): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined || value === null) continue
    if (Array.isArray(value)) query.append(name, value.join(','))
    else if (typeof value === 'object') {
      for (const [key, each] of Object.entries(value)) query.append(`${name}[${key}]`, String(each))
    } else query.append(name, String(value))
  }
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}
