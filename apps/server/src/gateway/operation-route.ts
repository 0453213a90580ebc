import type { Http2Stream } from 'node:http2'
import { Answer, type EventStream, type Operation } from '@ars/contract'
import type { Check, Parts, Replays } from '@ars/core'
import type { Caller, Ctx } from '@ars/core/ctx'
import { Fault } from '@ars/core/fault'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Figures } from '../figures.ts'
import { requireEventStream, requireJson } from './accept.ts'
import { type AdmissionDeps, admit, type Refusal } from './admission.ts'
import { sendJson } from './answer.ts'
import type { BodyDeadlines } from './body-deadline.ts'
import { readCredential } from './credential.ts'
import { asFault, type RefusalDeps, refuse } from './refusal.ts'
import { parseIdempotencyKey, parseInput, parsePrefer } from './request.ts'
import type { StreamDesk } from './stream-route.ts'
import { isNamedPath, refuseUnknownRoute } from './unknown-route.ts'

export type GatewayDeps = AdmissionDeps &
  RefusalDeps & {
    /** Guardrails. */
    checks: readonly Check[]
    /** By the names of operations: finds what was accepted under the same `Idempotency-Key` before, or null. */
    replays: Replays
    streams: StreamDesk
    bodies: BodyDeadlines
    draining: AbortSignal
  }

type Route = {
  name: string
  operation: Operation
  handle(ctx: Ctx, input: unknown): Promise<unknown>
  basePath: string
}

declare module 'fastify' {
  interface FastifyRequest {
    caller?: Caller
    /** The client's, and not that of a proxy that is trusted. */
    address: string
    operationName?: string
    isRecorded?: boolean
    /** The rate has refused it; only what was accepted before may still be answered. */
    refusedUnlessTwin?: Refusal
  }
}

/** admit → parse → guardrails → handle → encode, the same for every operation. */
export const addOperation = (app: FastifyInstance, deps: GatewayDeps, route: Route): void => {
  const { operation, name, basePath } = route
  const replay = deps.replays[name]
  const hasParameters = operation.path.includes('{')
  const hasBody = operation.method === 'POST' || operation.method === 'PATCH'
  const admission = { operation, canReplay: replay !== undefined }

  const answerTwin = async (ctx: Ctx, input: unknown, refusal: Refusal): Promise<unknown> => {
    const twin = ctx.idempotencyKey === undefined ? null : await replay?.(ctx, input)
    if (twin === null || twin === undefined) throw asFault(refusal)
    return twin
  }

  /** What anyone may ask costs a look-up too: whoever is refused has spent one of the tries of the address. */
  const countStranger = async (request: FastifyRequest, handle: () => Promise<unknown>): Promise<unknown> => {
    try {
      return await handle()
    } catch (error) {
      if (error instanceof Fault) deps.strangers.failed(request.address, '')
      throw error
    }
  }

  app.route({
    method: operation.method,
    url: basePath + toRoutePath(operation.path),
    // Before the body is read: a stranger's megabyte is not worth parsing.
    onRequest: async (request, reply) => {
      request.operationName = name
      if (hasParameters && isNamedPath(request.url)) {
        return refuse(deps, refuseUnknownRoute(request.method, request.url, request.head), request, reply)
      }
      const refusal = await admit(deps, request, admission)
      if (refusal) return refuse(deps, refusal, request, reply)
      if (hasLeft(request)) return void reply.hijack()
      if (operation.streams) requireEventStream(request.headers.accept)
      else requireJson(request.headers.accept)
    },
    preParsing: (request, reply, payload, done) => {
      if (hasBody) deps.bodies.expect(request.raw, reply.raw)
      done(null, payload)
    },
    handler: async (request, reply) => {
      const ctx = toCtx(deps, request, operation)
      const input = parseInput(operation, request)
      const handle = async (): Promise<unknown> => {
        if (request.refusedUnlessTwin) return answerTwin(ctx, input, request.refusedUnlessTwin)
        for (const check of deps.checks) await check(ctx, operation, input)
        return route.handle(ctx, input)
      }
      if (operation.streams) return deps.streams.serve(request, reply, () => handle() as Promise<EventStream>)
      const result = await (operation.scope === 'anyone' ? countStranger(request, handle) : handle())
      if (!(result instanceof Answer)) return sendJson(request, reply, operation.status, JSON.stringify(result))
      Object.assign(request.head, result.headers)
      sendJson(request, reply, result.status ?? operation.status, JSON.stringify(result.body))
    },
  })
}

/**
 * Whoever sent the request and has left already, as those do who open a stream of HTTP/2 only to reset it. They have
 * paid with their rate, and nothing more is done for them.
 */
const hasLeft = ({ raw }: FastifyRequest): boolean =>
  (raw as { stream?: Http2Stream }).stream?.destroyed ?? raw.socket.destroyed

/** `/runs/{id}` as the router writes it. */
export const toRoutePath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

const toCtx = ({ draining }: GatewayDeps, request: FastifyRequest, operation: Operation): Ctx => {
  const { headers } = request
  return {
    ...(request.caller as Caller),
    requestId: request.id,
    address: request.address,
    userAgent: headers['user-agent'],
    idempotencyKey: operation.idempotent ? parseIdempotencyKey(request.raw.rawHeaders) : undefined,
    prefer: parsePrefer(operation.prefers ? (headers.prefer as string | undefined) : undefined),
    lastEventId: operation.streams ? (headers['last-event-id'] as string | undefined) : undefined,
    draining,
    // Nobody is asked who it is, but a browser that logs in again gives up the session that it came with.
    ...(operation.scope === 'anyone' && { sessionToken: cookieOf(request) }),
  }
}

const cookieOf = (request: FastifyRequest): string | undefined => {
  const credential = readCredential(request.raw)
  return credential.kind === 'cookie' ? credential.text : undefined
}

/** One wide line and one count per request, whatever became of it; for a stream, when it is over. */
export const recordRequest = (
  deps: { figures: Figures; parts: Pick<Parts, 'log'> },
  request: FastifyRequest,
  reply: FastifyReply,
): void => {
  if (request.isRecorded) return
  request.isRecorded = true
  const operation = request.operationName ?? 'unknown'
  const { stream } = request
  const durationMs = reply.elapsedTime
  deps.figures.request(operation, reply.statusCode, durationMs / 1_000)
  // Neither the address that was asked for nor a header: somebody may have put a key there.
  deps.parts.log.info('request', {
    request_id: request.id,
    operation,
    org_id: request.caller?.org || undefined,
    actor: request.caller?.actor.id || undefined,
    address: request.address,
    status: reply.statusCode,
    duration_ms: Math.round(durationMs * 10) / 10,
    ...(stream && { frames: stream.frames, bytes: stream.bytes, ended_by: stream.endedBy }),
  })
}
