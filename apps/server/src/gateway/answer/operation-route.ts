import type { Http2Stream } from 'node:http2'
import {
  Answer,
  type ErrorCode,
  type EventStream,
  type LineStream,
  type Operation,
  type UnavailableReason,
} from '@ars/contract'
import type { GatewayParts, Replays, ResolveNamed } from '@ars/core'
import type { Caller, Ctx } from '@ars/core/ctx'
import { Fault } from '@ars/core/fault'
import { requestSpan } from '@ars/core/span'
import type { Traced, Tracer } from '@ars/platform/trace/tracer'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Metrics } from '../../metrics.ts'
import { type AdmissionDeps, admit, checkInputScopes, type Refusal } from '../admit/admission.ts'
import { readCredential, readDevice } from '../admit/credential.ts'
import { type CredentialWatch, faultOf } from '../admit/credential-watch.ts'
import type { BodyDeadlines } from '../listen/body-deadline.ts'
import type { LineRoutes } from '../stream/line-route.ts'
import type { StreamRoutes } from '../stream/stream-route.ts'
import { send, sendCsv, sendJson } from './answer.ts'
import { maxBodyBytesOf } from './body-size.ts'
import type { Incoming } from './incoming.ts'
import type { Outgoing } from './outgoing.ts'
import { asFault, type RefusalDeps, refuse } from './refusal.ts'
import {
  parseIdempotencyKey,
  parseInput,
  parsePrefer,
  prefersJson,
  requireCsv,
  requireEventStream,
  requireJson,
  requireJsonLines,
} from './request.ts'
import { runIdOf } from './request-run.ts'
import { isNamedPath, refuseUnknownRoute } from './unknown-route.ts'

export type GatewayDeps = AdmissionDeps &
  RefusalDeps & {
    /** Replaces the id of the resource that an operation names by the resource, under the caller's access. */
    resolve: ResolveNamed
    /** By operation name: returns the response of an earlier request with the same `Idempotency-Key`, or null. */
    replays: Replays
    credentials: Pick<CredentialWatch, 'add' | 'check'>
    streams: StreamRoutes
    lines: LineRoutes
    bodies: BodyDeadlines
    incoming: Incoming
    outgoing: Outgoing
    draining: AbortSignal
    tracer?: Tracer | undefined
  }

type Input = ReturnType<typeof parseInput>

type Route = {
  name: string
  operation: Operation
  handle(ctx: Ctx, input: unknown, thing: unknown): Promise<unknown>
  basePath: string
}

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface merges with the declaration of the library.
  interface FastifyRequest {
    caller?: Caller
    /** The address of the client, not of a trusted proxy. */
    address: string
    operationName?: string
    isRecorded?: boolean
    /** The code of the error response. */
    errorCode?: ErrorCode
    /** Set if the code is `unavailable`. */
    unavailableReason?: UnavailableReason
    /** The rate limit refused the request, so only an idempotent replay may be answered. */
    refusedUnlessReplay?: Refusal
    /** The trace that the request belongs to. */
    traced?: Traced | undefined
  }
}

/** admit → parse → resolve → handle → encode, the same for every operation. */
export const addOperation = (app: FastifyInstance, deps: GatewayDeps, route: Route): void => {
  const { operation, name, basePath } = route
  const replay = deps.replays[name]
  const hasParameters = operation.path.includes('{')
  const hasBody = operation.method === 'POST' || operation.method === 'PATCH'
  const admission = { operation, canReplay: replay !== undefined }

  const answerReplay = async (ctx: Ctx, parsed: Input, refusal: Refusal): Promise<unknown> => {
    if (replay === undefined || ctx.idempotencyKey === undefined) throw asFault(refusal)
    const { input, thing } = await deps.resolve(operation, ctx, parsed)
    const answered = await replay(ctx, input, thing)
    if (answered === null) throw asFault(refusal)
    return answered
  }

  /** An unauthenticated operation costs a look-up too, so a refusal counts as a failed attempt of the address. */
  const countAuthFailure = async (request: FastifyRequest, handle: () => Promise<unknown>): Promise<unknown> => {
    try {
      return await handle()
    } catch (error) {
      if (error instanceof Fault) deps.authFailures.failed(request.address, '')
      throw error
    }
  }

  app.route({
    method: operation.method === 'GET' ? ['GET', 'HEAD'] : operation.method,
    url: basePath + toRoutePath(operation.path),
    bodyLimit: maxBodyBytesOf(name),
    // Admission runs before the body is read, so that unauthenticated bodies are not parsed.
    onRequest: async (request, reply) => {
      request.operationName = name
      if (hasParameters && isNamedPath(request.url)) {
        return refuse(deps, refuseUnknownRoute(request.method, request.url, request.responseHeaders), request, reply)
      }
      const refusal =
        (await admit(deps, request, admission)) ?? (operation.streams ? null : deps.outgoing.look(request))
      if (refusal) return refuse(deps, refusal, request, reply)
      if (hasLeft(request)) return void reply.hijack()
      if (operation.streams) requireEventStream(request.headers.accept)
      else if (operation.lines) requireJsonLines(request.headers.accept)
      else if (operation.csv) requireCsv(request.headers.accept)
      else requireJson(request.headers.accept)
    },
    preParsing: (request, reply, payload, done) => {
      if (hasBody) {
        deps.incoming.reserve(request, reply)
        deps.bodies.expect(request.raw, reply.raw)
      }
      done(null, payload)
    },
    handler: async (request, reply) => {
      if (hasBody && operation.scope !== 'anyone' && reply.elapsedTime > slowBodyMs) {
        const lapse = await deps.credentials.check(request)
        if (lapse) throw faultOf(lapse)
      }
      if (deps.tracer) request.traced = trace(deps.tracer, request, { route, agoMs: reply.elapsedTime })
      const ctx = toCtx(deps, request, operation)
      const parsed = parseInput(operation, request)
      const refusal = checkInputScopes(ctx, operation, parsed)
      if (refusal) throw asFault(refusal)
      // The request outlives its operation in streams.
      request.body = undefined
      const handle = async (): Promise<unknown> => {
        if (request.refusedUnlessReplay) return answerReplay(ctx, parsed, request.refusedUnlessReplay)
        const { input, thing } = await deps.resolve(operation, ctx, parsed)
        return route.handle(ctx, input, thing)
      }
      try {
        if (operation.streams && request.method === 'HEAD')
          return respondToHead(request, reply, (await handle()) as EventStream)
        if (operation.lines) return await deps.lines.serve(request, reply, () => handle() as Promise<LineStream>)
        if (operation.streams) return await deps.streams.serve(request, reply, () => handle() as Promise<EventStream>)
        const result = await (operation.scope === 'anyone' ? countAuthFailure(request, handle) : handle())
        if (!(result instanceof Answer)) return respond(request, reply, operation.status, result)
        Object.assign(request.responseHeaders, result.headers)
        respond(request, reply, result.status ?? operation.status, result.body)
      } finally {
        request.heldBody?.giveBack()
      }
    },
  })

  const respond = (request: FastifyRequest, reply: FastifyReply, status: number, result: unknown): void => {
    const isCsv = operation.csv && !prefersJson(request.headers.accept)
    const body = Buffer.from(isCsv ? (result as Csv).content : JSON.stringify(result))
    const content = { body, held: deps.outgoing.take(request, body.length) }
    if (isCsv) sendCsv(request, reply, { ...content, filename: (result as Csv).filename })
    else sendJson(request, reply, status, content)
  }
}

/** The output of an operation that returns CSV. */
type Csv = { filename: string; content: string }

/** The headers of a stream that is not started. */
const respondToHead = (request: FastifyRequest, reply: FastifyReply, { headers }: EventStream): void => {
  Object.assign(request.responseHeaders, headers, { 'content-type': 'text/event-stream; charset=utf-8' })
  send(request, reply, 200)
}

/** Admission runs before the body is read. A client that takes longer than this to send it is checked again. */
const slowBodyMs = 500

/**
 * Whether the client has disconnected, for example by resetting an HTTP/2 stream. The request has counted against the
 * rate; no more work is done for it.
 */
const hasLeft = ({ raw }: FastifyRequest): boolean =>
  (raw as { stream?: Http2Stream }).stream?.destroyed ?? raw.socket.destroyed

/** `/runs/{id}` in the syntax of the router. */
export const toRoutePath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

const toCtx = ({ draining, credentials }: GatewayDeps, request: FastifyRequest, operation: Operation): Ctx => {
  const { headers } = request
  return {
    ...(request.caller as Caller),
    requestId: request.id,
    address: request.address,
    userAgent: headers['user-agent'],
    idempotencyKey: parseIdempotencyKey(operation, request.raw.rawHeaders),
    prefer: parsePrefer(operation.prefers ? (headers.prefer as string | undefined) : undefined),
    lastEventId: operation.streams ? (headers['last-event-id'] as string | undefined) : undefined,
    draining,
    trace: request.traced?.context,
    // An accepted run must not be answered with 503: the caller would create it a second time.
    onLapse: (listener) =>
      credentials.add(request, (lapse) => (lapse === 'unconfirmed' ? undefined : listener(faultOf(lapse)))),
    // A new login in a browser replaces the session of its cookie.
    ...(operation.scope === 'anyone' && { sessionToken: cookieOf(request), deviceToken: readDevice(headers.cookie) }),
  }
}

/** Only a request that was admitted is traced: nobody without a credential, or over its rate, can cause spans. */
const trace = (
  tracer: Tracer,
  request: FastifyRequest,
  { route: { name, operation, basePath }, agoMs }: { route: Route; agoMs: number },
): Traced | undefined => {
  if (operation.scope === 'anyone' || request.refusedUnlessReplay) return
  const { id: requestId, method, caller } = request
  const route = basePath + operation.path
  return tracer.enter(
    request.headers,
    requestSpan({ operation: name, method, route, requestId, org: caller?.org, agoMs }),
  )
}

const cookieOf = (request: FastifyRequest): string | undefined => {
  const credential = readCredential(request.raw)
  return credential.kind === 'cookie' ? credential.text : undefined
}

/** Writes one log line and one metric per request; for a stream, when it ends. */
export const recordRequest = (
  deps: { metrics: Metrics; parts: Pick<GatewayParts, 'log'> },
  request: FastifyRequest,
  reply: FastifyReply,
): void => {
  if (request.isRecorded) return
  request.isRecorded = true
  const operation = request.operationName ?? 'unknown'
  const { stream } = request
  const durationMs = reply.elapsedTime
  deps.metrics.request(operation, reply.statusCode, durationMs / 1_000)
  if (request.errorCode !== undefined) deps.metrics.requestRefused(request.errorCode, request.unavailableReason)
  const { traced } = request
  traced?.span?.end({
    attributes: { 'http.response.status_code': reply.statusCode },
    error: reply.statusCode >= 500 ? (request.errorCode ?? String(reply.statusCode)) : undefined,
  })
  // The log line contains neither the URL nor a header, because both may contain a key.
  deps.parts.log.info('request', {
    request_id: request.id,
    trace_id: traced?.context.traceId,
    operation,
    org_id: request.caller?.org || undefined,
    actor: request.caller?.actor.id || undefined,
    address: request.address,
    run_id: runIdOf(request),
    status: reply.statusCode,
    code: request.errorCode,
    reason: request.unavailableReason,
    duration_ms: Math.round(durationMs * 10) / 10,
    ...(stream && { frames: stream.frames, bytes: stream.bytes, ended_by: stream.endedBy }),
  })
}
