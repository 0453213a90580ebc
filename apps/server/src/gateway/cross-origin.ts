import { contract, type Operation } from '@ars/contract'
import type { FastifyInstance } from 'fastify'
import { send } from './answer.ts'
import { toRoutePath } from './operation-route.ts'
import { type RefusalDeps, refuse } from './refusal.ts'
import { isNamedPath, refuseUnknownRoute } from './unknown-route.ts'

/**
 * A browser asks beforehand whether a page of another origin may call. It may call the few operations that are marked
 * so, and the answer says the same to everybody: it is the token that decides, and the browser adds nothing of its own.
 */
export const addPreflights = (app: FastifyInstance, deps: Pick<RefusalDeps, 'docUrl'>, basePath: string): void => {
  for (const [path, methods] of crossOriginPaths()) {
    const allowed = [...methods].join(', ')
    app.options(basePath + toRoutePath(path), {
      // Its body, should there be one, means nothing and is not read.
      onRequest: async (request, reply) => {
        request.operationName = 'preflight'
        if (isNamedPath(request.url)) {
          return refuse(deps, refuseUnknownRoute(request.method, request.url, request.head), request, reply)
        }
        Object.assign(request.head, {
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

const allowedHeaders = 'authorization, content-type, last-event-id, idempotency-key, accept, prefer'
// The longest that browsers take (Chromium: 2 h).
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
