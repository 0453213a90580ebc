import { contract, type Operation } from '@ars/contract'
import type { FastifyInstance } from 'fastify'
import { send } from '../answer/answer.ts'
import { toRoutePath } from '../answer/operation-route.ts'
import { type RefusalDeps, refuse } from '../answer/refusal.ts'
import { isNamedPath, refuseUnknownRoute } from '../answer/unknown-route.ts'

/**
 * CORS preflight: only operations marked `crossOrigin` may be called from another origin. The response is the same for
 * every origin, because the token authorises the call and browsers add no credentials.
 */
export const addPreflights = (app: FastifyInstance, deps: Pick<RefusalDeps, 'docUrl'>, basePath: string): void => {
  for (const [path, methods] of crossOriginPaths()) {
    const allowed = [...methods].join(', ')
    app.options(basePath + toRoutePath(path), {
      // A body is ignored and not read.
      onRequest: async (request, reply) => {
        request.operationName = 'preflight'
        if (isNamedPath(request.url)) {
          return refuse(deps, refuseUnknownRoute(request.method, request.url, request.responseHeaders), request, reply)
        }
        Object.assign(request.responseHeaders, {
          'access-control-allow-origin': '*',
          'access-control-allow-methods': allowed,
          'access-control-allow-headers': allowedHeaders,
          'access-control-max-age': preflightSeconds,
        })
        send(request, reply, 204)
      },
      handler: () => undefined,
    })
  }
}

const allowedHeaders = 'authorization, content-type, last-event-id, idempotency-key, accept, prefer, ars-organisation'
// The maximum that browsers accept (Chromium: 2 h).
const preflightSeconds = 7_200

const crossOriginPaths = (): Map<string, Set<string>> => {
  const paths = new Map<string, Set<string>>()
  for (const operations of Object.values(contract)) {
    for (const { path, method, crossOrigin } of Object.values<Operation>(operations)) {
      if (crossOrigin) paths.set(path, (paths.get(path) ?? new Set()).add(method))
    }
  }
  return paths
}
