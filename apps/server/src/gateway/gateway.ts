import { setTimeout as sleep } from 'node:timers/promises'
import { apiBasePath, apiRevision, contract, limits, type Operation } from '@ars/contract'
import { createGatewayCore, type Parts } from '@ars/core'
import { randomBytes } from '@ars/platform/crypto'
import type { Shutdown } from '@ars/platform/shutdown'
import Fastify from 'fastify'
import type { ErrorSink } from '../error-sink.ts'
import type { Figures } from '../figures.ts'
import type { Readiness } from '../readiness.ts'
import { addBodyParser } from './body.ts'
import { errorPage } from './error-page.ts'
import { listen } from './listener.ts'
import { addOperation, type GatewayDeps, recordRequest, refuse } from './operation-route.ts'
import { createStreamDesk } from './stream-route.ts'
import { refuseUnknownRoute } from './unknown-route.ts'

// They are asked every second and say nothing that the metrics do not.
const probes = new Set(['/livez', '/readyz'])

/** The edge: one loop over all operations of the contract. */
export const startGateway = async (options: {
  parts: Parts
  figures: Figures
  readiness: Readiness
  reportError: ErrorSink
  shutdown: Shutdown
}): Promise<void> => {
  const { parts, readiness, shutdown } = options
  const { config } = parts
  const core = createGatewayCore(parts)
  const draining = new AbortController()
  const streams = createStreamDesk({
    draining: draining.signal,
    random,
    onClose: (request, reply) => recordRequest(options, request, reply),
  })
  const deps: GatewayDeps = { ...options, access: core.access, checks: core.checks, streams, draining: draining.signal }

  const app = Fastify({
    logger: false,
    bodyLimit: limits.bodyBytes,
    genReqId: () => parts.newId('req'),
    routerOptions: { maxParamLength: 512, caseSensitive: true },
    exposeHeadRoutes: false,
    // What fits no route at all, such as a broken percent sign in the path.
    frameworkErrors: (error, request, reply) => refuse(deps, error, request, reply),
  })
  addBodyParser(app)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id).header('x-api-revision', apiRevision)
  })
  app.addHook('onResponse', async (request, reply) => {
    if (!probes.has(request.url)) recordRequest(deps, request, reply)
  })
  app.setErrorHandler((error, request, reply) => refuse(deps, error, request, reply))
  app.setNotFoundHandler((request, reply) =>
    refuse(deps, refuseUnknownRoute(request.method, request.url, reply), request, reply),
  )
  app.get('/livez', () => 'ok\n')
  app.get('/readyz', async (_request, reply) => {
    const reason = await readiness.check()
    return reply.code(reason === null ? 200 : 503).send(`${reason ?? 'ok'}\n`)
  })
  app.get('/docs/errors', (_request, reply) => reply.type('text/markdown; charset=utf-8').send(errorPage()))
  for (const [resource, operations] of Object.entries(contract)) {
    for (const [name, operation] of Object.entries<Operation>(operations)) {
      const handlers = core.handlers[resource as keyof typeof contract] as unknown as Record<string, never>
      addOperation(app, deps, {
        name: `${resource}.${name}`,
        operation,
        handle: handlers[name] as never,
        basePath: apiBasePath,
      })
    }
  }
  await app.ready()

  const listener = await listen({
    host: config.httpHost,
    port: config.httpPort,
    certFile: config.tlsCertFile,
    keyFile: config.tlsKeyFile,
    handler: (request, response) => app.routing(request as never, response as never),
  })
  shutdown.add('gateway', async () => {
    // Readiness is false by now. Give whoever routes to us the time to see it before the listener goes.
    await sleep(config.drainDelayMs)
    draining.abort()
    await listener.close()
    await app.close()
    streams.close()
    core.close()
  })
}

const random = (): number => randomBytes(4).readUInt32BE() / 2 ** 32
