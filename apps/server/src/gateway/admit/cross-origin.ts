import { apiBasePath, contract, type Operation } from '@ars/contract'
import type { FastifyInstance } from 'fastify'
import { send } from '../answer/answer.ts'
import { toRoutePath } from '../answer/operation-route.ts'
import { type RefusalDeps, refuse } from '../answer/refusal.ts'
import { tellListedOrigin } from '../answer/response-headers.ts'
import { isNamedPath, refuseUnknownRoute } from '../answer/unknown-route.ts'
import { listedOrigin, type Origins } from './same-origin.ts'

type Deps = Pick<RefusalDeps, 'docUrl'> & { origins: Origins }

/**
 * CORS preflight. Operations marked `crossOrigin` may be called from any origin: the token authorises the call, and
 * browsers add no credentials. The listed origins may call every operation with the browser's credentials. For other
 * origins the remaining paths have no `OPTIONS`.
 */
export const addPreflights = (app: FastifyInstance, deps: Deps): void => {
  for (const [path, { methods, open }] of preflightPaths()) {
    if (open.length === 0 && deps.origins.listed.size === 0) continue
    app.options(toRoutePath(path), {
      // A body is ignored and not read.
      onRequest: async (request, reply) => {
        request.operationName = 'preflight'
        const listed = listedOrigin(request.headers, deps.origins)
        if ((listed === null && open.length === 0) || (path.includes('{') && isNamedPath(request.url))) {
          return refuse(deps, refuseUnknownRoute(request.method, request.url, request.responseHeaders), request, reply)
        }
        if (listed === null) request.responseHeaders['access-control-allow-origin'] = '*'
        else tellListedOrigin(request.responseHeaders, listed)
        Object.assign(request.responseHeaders, {
          'access-control-allow-methods': (listed === null ? open : methods).join(', '),
          'access-control-allow-headers': open.length === 0 ? allowedHeaders : `authorization, ${allowedHeaders}`,
          'access-control-max-age': preflightSeconds,
        })
        send(request, reply, 204)
      },
      handler: () => undefined,
    })
  }
}

const allowedHeaders =
  'content-type, last-event-id, idempotency-key, accept, prefer, ars-organisation, traceparent, tracestate'
// The maximum that browsers accept (Chromium: 2 h).
const preflightSeconds = 7_200

/** `open`: the methods that pages of any origin may use. */
type PathMethods = { methods: string[]; open: string[] }

const preflightPaths = (): Map<string, PathMethods> => {
  const paths = new Map<string, PathMethods>()
  for (const operations of Object.values(contract)) {
    for (const { path, method, crossOrigin, alsoAtRoot } of Object.values<Operation>(operations)) {
      for (const base of alsoAtRoot ? [apiBasePath, ''] : [apiBasePath]) {
        const { methods, open } = paths.get(base + path) ?? { methods: [], open: [] }
        paths.set(base + path, { methods: [...methods, method], open: crossOrigin ? [...open, method] : open })
      }
    }
  }
  return paths
}
