import http2 from 'node:http2'
import * as restate from '@restatedev/restate-sdk'
import { platformBounds } from '../bounds.ts'
import { systemClock } from '../clock.ts'
import type { Log } from '../log/log.ts'
import { freeAfterAttempt } from './attempt-memory.ts'
import { createKnownTokens } from './known-tokens.ts'

/**
 * What a handler gets from the engine. There are no journalled steps: an invocation with a journal is pinned to the
 * address of the worker that began it.
 */
export type Durable = {
  /** Aborts when this attempt ends: cancelled, or moved to another worker. */
  readonly signal: AbortSignal
  /** For object handlers only: a value that the engine stores under the object's key. Each attempt keeps the same ones. */
  keep(name: string, value: string): void
}

/**
 * Returns nothing: the engine stores an answer before it ends the invocation. If the worker dies in between, the next
 * attempt must give the same answer, or the engine refuses it and tries again forever.
 */
export type DurableHandler<Message> = (durable: Durable, message: Message) => Promise<void>

export type DurableService = {
  name: string
  /** `object` runs one invocation per key at a time and has state; `service` has neither. */
  kind: 'service' | 'object'
  // biome-ignore lint/suspicious/noExplicitAny: each handler names its own message type; the engine gives back what was sent
  handlers: Record<string, DurableHandler<any>>
  /** For objects only: they do not wait for other invocations of their key, and store nothing. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  sharedHandlers?: Record<string, DurableHandler<any>>
}

export type WorkerEndpoint = { close(): Promise<void> }

// The engine hears nothing from an invocation until it ends, and would end it after this time.
const inactivityTimeoutMs = platformBounds.engineInvocation.ms
const idempotencyRetentionMs = 10 * 60_000

/** Serves the handlers to the engine. Workers of one release share one address, so the port is shared too. */
export const serveWorker = async (options: {
  services: readonly DurableService[]
  host: string
  port: number
  /** The public keys of the engine. Requests that none of them has signed are rejected. None: all are accepted. */
  identityKeys: readonly string[]
  /** The longest time that an invocation may take. */
  maxInvocationMs: number
  log: Log
}): Promise<WorkerEndpoint> => {
  requireTimeFor(options.maxInvocationMs)
  const handle = createHandler(options)
  const noteRefusal = createRefusalLog(options.log)
  const server = http2.createServer((request, response) => {
    response.once('finish', () => response.statusCode === 401 && noteRefusal())
    handle(request, response)
  })
  const sessions = new Set<http2.ServerHttp2Session>()
  server.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
    session.on('error', () => undefined)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: options.host, port: options.port, reusePort: true }, resolve)
  })
  return {
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const session of sessions) session.close()
      await closed
    },
  }
}

type Handler = (request: http2.Http2ServerRequest, response: http2.Http2ServerResponse) => void
type HandlerOptions = { services: readonly DurableService[]; identityKeys: readonly string[]; log: Log }

/** With keys there are two handlers: a request with a token that is known needs no verification. */
const createHandler = ({ identityKeys, ...options }: HandlerOptions): Handler => {
  const trusting = createSdkHandler({ ...options, identityKeys: [] })
  if (identityKeys.length === 0) return trusting
  const verifying = createSdkHandler({ ...options, identityKeys })
  const known = createKnownTokens(systemClock)
  return (request, response) => {
    const token =
      request.headers['x-restate-signature-scheme'] === 'v1' ? request.headers['x-restate-jwt-v1'] : undefined
    if (typeof token !== 'string') return verifying(request, response)
    if (known.has(request.url, token)) return trusting(request, response)
    verifying(request, response)
    // The SDK verifies and writes the status before it returns.
    if (response.headersSent && response.statusCode === 200) known.add(request.url, token)
  }
}

const createSdkHandler = ({ services, identityKeys, log }: HandlerOptions): Handler => {
  // At its making the SDK warns of requests that it does not verify.
  let isMade = false
  const endpoint = restate.endpoint().setLogger((meta, message, ...rest) => {
    if (isMade && (meta.level === 'warn' || meta.level === 'error')) {
      log.debug('engine sdk', { level: meta.level, message: String(message), rest: rest.map(String) })
    }
  })
  for (const service of services) endpoint.bind(toRestate(service))
  if (identityKeys.length > 0) endpoint.withIdentityV1(...identityKeys)
  const handler = endpoint.http2Handler()
  isMade = true
  return handler
}

const refusalLogEveryMs = 60_000

/** One line per minute: an engine with the wrong key retries every run. */
const createRefusalLog = (log: Log): (() => void) => {
  let loggedAtMs = Number.NEGATIVE_INFINITY
  return () => {
    const nowMs = performance.now()
    if (nowMs - loggedAtMs < refusalLogEveryMs) return
    loggedAtMs = nowMs
    log.warn('request refused: no key of ARS_ENGINE_IDENTITY_KEY has signed it', { status: 401 })
  }
}

const requireTimeFor = (maxInvocationMs: number): void => {
  if (maxInvocationMs < inactivityTimeoutMs) return
  const hours = (ms: number) => Math.round(ms / 36_000) / 100
  throw new Error(
    `A run may take ${hours(maxInvocationMs)} hours, but the engine would end it after ${hours(inactivityTimeoutMs)} hours (inactivity timeout)`,
  )
}

const toRestate = ({ name, kind, handlers, sharedHandlers = {} }: DurableService) => {
  const options = { inactivityTimeout: inactivityTimeoutMs, journalRetention: 0, ingressPrivate: false }
  if (kind === 'service') {
    const wrapped = mapHandlers(handlers, toHandler)
    return restate.service({
      name,
      handlers: wrapped as never,
      options: { ...options, idempotencyRetention: idempotencyRetentionMs },
    })
  }
  const wrapped = {
    ...mapHandlers(handlers, toHandler),
    ...mapHandlers(sharedHandlers, (work) => restate.handlers.object.shared(toHandler(work))),
  }
  // Nothing of an ended invocation is kept: the default is a day.
  return restate.object({ name, handlers: wrapped as never, options: { ...options, idempotencyRetention: 0 } })
}

const mapHandlers = <Work, Result>(handlers: Record<string, Work>, map: (work: Work) => Result) =>
  Object.fromEntries(Object.entries(handlers).map(([handler, work]) => [handler, map(work)]))

type Context = restate.Context | restate.ObjectContext | restate.ObjectSharedContext

const toHandler = (work: DurableHandler<unknown>) => async (ctx: Context, message: unknown) => {
  try {
    await work(toDurable(ctx), message)
  } finally {
    freeAfterAttempt(ctx)
  }
}

const toDurable = (ctx: Context): Durable => ({
  signal: ctx.request().attemptCompletedSignal,
  keep: (name, value) => {
    if ('set' in ctx) ctx.set(name, value)
  },
})
