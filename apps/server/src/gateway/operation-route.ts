import { Answer, type EventStream, errors, type Operation } from '@ars/contract'
import type { Check, Parts } from '@ars/core'
import type { AccessService } from '@ars/core/access'
import type { Caller, Ctx } from '@ars/core/ctx'
import { Fault } from '@ars/core/fault'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorSink } from '../error-sink.ts'
import type { Figures } from '../figures.ts'
import { errorBody, toFault } from './answer.ts'
import { parseIdempotencyKey, parseInput, parsePrefer } from './request.ts'
import { requireEventStream, type StreamDesk } from './stream-route.ts'

export type GatewayDeps = {
  parts: Parts
  access: AccessService
  /** Rate, then guardrails. */
  checks: readonly Check[]
  figures: Figures
  reportError: ErrorSink
  streams: StreamDesk
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
    operationName?: string
    isRecorded?: boolean
  }
}

/** authenticate → scope → parse → rate → guardrails → handle → encode, the same for every operation. */
export const addOperation = (app: FastifyInstance, deps: GatewayDeps, route: Route): void => {
  const { operation, name, basePath } = route
  app.route({
    method: operation.method,
    url: basePath + operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    // Before the body is read: a stranger's megabyte is not worth parsing.
    onRequest: async (request) => {
      request.operationName = name
      request.caller = await authenticate(deps.access, request)
      requireScope(request.caller, operation)
      if (operation.streams) requireEventStream(request.headers.accept)
    },
    handler: async (request, reply) => {
      const ctx: Ctx = {
        ...(request.caller as Caller),
        requestId: request.id,
        idempotencyKey: operation.idempotent ? parseIdempotencyKey(request.raw.rawHeaders) : undefined,
        prefer: parsePrefer(operation.prefers ? (request.headers.prefer as string | undefined) : undefined),
        lastEventId: operation.streams ? (request.headers['last-event-id'] as string | undefined) : undefined,
        draining: deps.draining,
      }
      const input = parseInput(operation, request)
      const handle = async (): Promise<unknown> => {
        for (const check of deps.checks) await check(ctx, operation, input)
        return route.handle(ctx, input)
      }
      if (operation.streams) return deps.streams.serve(request, reply, () => handle() as Promise<EventStream>)
      const result = await handle()
      const { body, status, headers } = result instanceof Answer ? result : new Answer(result, {})
      return reply
        .code(status ?? operation.status)
        .headers(headers)
        .type('application/json; charset=utf-8')
        .send(JSON.stringify(body))
    },
  })
}

/** Every refusal leaves here, in one shape. */
export const refuse = (
  deps: GatewayDeps,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply => {
  const fault = toFault(error)
  const { status } = errors[fault.code]
  if (status === 500) {
    deps.reportError(fault.cause ?? fault, { operation: request.operationName ?? 'unknown', requestId: request.id })
  }
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  if (status === 503 || status === 429) reply.header('retry-after', String(fault.retryAfterSeconds ?? 1))
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(
      JSON.stringify(errorBody(fault, { requestId: request.id, docUrl: `${deps.parts.config.publicUrl}/docs/errors` })),
    )
}

const authenticate = async (access: AccessService, request: FastifyRequest): Promise<Caller> => {
  const key = /^Bearer ([\x21-\x7e]{1,200})$/i.exec(request.headers.authorization ?? '')?.[1]
  const caller = key === undefined ? null : await access.authenticate(key)
  // One message for every reason: a stranger learns nothing about which keys exist.
  if (!caller) throw new Fault('unauthorized', 'The API key is missing or invalid')
  return caller
}

const requireScope = (caller: Caller, { scope }: Operation): void => {
  if (!caller.scopes.has(scope)) throw new Fault('forbidden', `This key lacks the scope ${scope}`)
}

/** One wide line and one count per request, whatever became of it; for a stream, when it is over. */
export const recordRequest = (
  deps: Pick<GatewayDeps, 'figures' | 'parts'>,
  request: FastifyRequest,
  reply: FastifyReply,
): void => {
  if (request.isRecorded) return
  request.isRecorded = true
  const operation = request.operationName ?? 'unknown'
  const { stream } = request
  deps.figures.request(operation, reply.statusCode, reply.elapsedTime / 1_000)
  deps.parts.log.info('request', {
    request_id: request.id,
    operation,
    org_id: request.caller?.org,
    key_id: request.caller?.keyId,
    status: reply.statusCode,
    duration_ms: Math.round(reply.elapsedTime * 10) / 10,
    ...(stream && { frames: stream.frames, bytes: stream.bytes, ended_by: stream.endedBy }),
  })
}
