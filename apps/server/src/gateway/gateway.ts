import { setTimeout as sleep } from 'node:timers/promises'
import { apiBasePath, contract, limits, type Operation } from '@ars/contract'
import { createGatewayCore, type Parts } from '@ars/core'
import { randomBytes } from '@ars/platform/crypto'
import type { Shutdown } from '@ars/platform/shutdown'
import Fastify from 'fastify'
import type { ErrorSink } from '../error-sink.ts'
import type { Figures } from '../figures.ts'
import type { Readiness } from '../readiness.ts'
import { sendText } from './answer.ts'
import { addBodyParser } from './body.ts'
import { createBodyDeadlines } from './body-deadline.ts'
import { createClientAddresses } from './client-address.ts'
import { createConnectionPlaces } from './connection-places.ts'
import { addPreflights } from './cross-origin.ts'
import { errorPage } from './error-page.ts'
import { createFrontDesk } from './front-desk.ts'
import { type ListenerBounds, type ListenerOptions, listen, listenPlain } from './listener.ts'
import { addOperation, type GatewayDeps, recordRequest } from './operation-route.ts'
import { refuseError } from './refusal.ts'
import { createRequestIds } from './request-id.ts'
import { stillMay } from './still-may.ts'
import { createStrangers } from './strangers.ts'
import { createStreamDesk } from './stream-route.ts'
import { createWireRefusals } from './wire-refusal.ts'

// They are asked every second and say nothing that the metrics do not.
const probes = new Set(['/livez', '/readyz'])
const checkEveryMs = 1_000

/** The edge: one loop over all operations of the contract. */
export const startGateway = async (options: {
  parts: Parts
  figures: Figures
  readiness: Readiness
  reportError: ErrorSink
  shutdown: Shutdown
}): Promise<void> => {
  const { parts, readiness, shutdown, figures } = options
  const { config, clock, log } = parts
  const newRequestId = createRequestIds(clock)
  const addresses = createClientAddresses(config.trustedProxies)
  const core = createGatewayCore(parts)
  figures.observePasswords(core.people.passwordsComputed)
  const draining = new AbortController()
  const streams = createStreamDesk({
    draining: draining.signal,
    random,
    stillMay: (request) => stillMay(core, request),
    onClose: (request, reply) => recordRequest(options, request, reply),
  })
  const bounds: ListenerBounds = {
    connectionsMost: config.connectionsMax,
    places: createConnectionPlaces({ perAddress: config.connectionsPerAddress, addresses }),
    onRefused: figures.connectionRefused,
    headersTimeoutMs: config.headersTimeoutMs,
    requestTimeoutMs: config.requestTimeoutMs,
    // Tests have short times, and then look often.
    checkEveryMs: Math.min(checkEveryMs, Math.ceil(config.headersTimeoutMs / 4)),
  }
  const bodies = createBodyDeadlines({ timeoutMs: config.requestTimeoutMs, checkEveryMs: bounds.checkEveryMs, clock })
  const docUrl = `${config.publicUrl}/docs/errors`
  const deps: GatewayDeps = {
    ...core,
    streams,
    bodies,
    docUrl,
    draining: draining.signal,
    reportError: options.reportError,
    strangers: createStrangers({ perMinute: config.unauthorizedPerMinute, clock }),
    ownOrigin: new URL(config.publicUrl).origin,
  }
  const desk = createFrontDesk({ access: core.access, addresses, docUrl, log })

  const app = Fastify({
    logger: false,
    bodyLimit: limits.bodyBytes,
    genReqId: newRequestId,
    routerOptions: { maxParamLength: 512, caseSensitive: true },
    exposeHeadRoutes: false,
    return503OnClosing: false,
    // What the router cannot read, such as a percent sign that encodes nothing. No hook has seen it.
    frameworkErrors: (error, request, reply) => {
      if (desk.greet(request, reply)) refuseError(deps, error, request, reply)
      recordRequest(options, request, reply)
    },
  })
  addBodyParser(app)
  app.addHook('onRequest', (request, reply, done) => {
    if (desk.receive(request, reply)) done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    if (!probes.has(request.url)) recordRequest(options, request, reply)
    done()
  })
  app.setErrorHandler((error, request, reply) => {
    if (request.head !== undefined) return refuseError(deps, error, request, reply)
    // A method that nobody knows: the router has given up before the hooks.
    if (desk.receive(request, reply)) refuseError(deps, error, request, reply)
    recordRequest(options, request, reply)
  })
  app.get('/livez', (request, reply) => sendText(request, reply, { status: 200, type: 'text/plain', body: 'ok\n' }))
  app.get('/readyz', async (request, reply) => {
    const reason = await readiness.check()
    sendText(request, reply, { status: reason === null ? 200 : 503, type: 'text/plain', body: `${reason ?? 'ok'}\n` })
  })
  const page = errorPage()
  app.get('/docs/errors', (request, reply) =>
    sendText(request, reply, { status: 200, type: 'text/markdown; charset=utf-8', body: page }),
  )
  for (const [resource, operations] of Object.entries(contract)) {
    for (const [name, operation] of Object.entries<Operation>(operations)) {
      const handlers = core.handlers[resource as keyof typeof contract] as unknown as Record<string, never>
      const route = { name: `${resource}.${name}`, operation, handle: handlers[name] as never }
      addOperation(app, deps, { ...route, basePath: apiBasePath })
      if (operation.alsoAtRoot) addOperation(app, deps, { ...route, basePath: '' })
    }
  }
  addPreflights(app, deps, apiBasePath)
  await app.ready()

  const wire = createWireRefusals({ newRequestId, docUrl, log, figures })
  const handler: ListenerOptions['handler'] = (request, response) => {
    // Whoever routes does not send new connections here any more: those that are there must not be used again either.
    if (readiness.isStopping() && request.httpVersionMajor === 1) response.shouldKeepAlive = false
    app.routing(request, response)
  }
  const shared = { handler, wire, bounds, clock, host: config.httpHost }
  const listeners = [
    await listen({
      ...shared,
      port: config.httpPort,
      certFile: config.tlsCertFile,
      keyFile: config.tlsKeyFile,
      onPlainHttp: (first, address) => {
        const requestId = newRequestId()
        desk.noteExposed(/^authorization:[ \t]*([^\r\n]+)/im.exec(first.toString('latin1'))?.[1], {
          address,
          requestId,
        })
        return wire.answer('invalid_request', { message: plainHttpMessage, requestId })
      },
    }),
  ]
  if (config.plainHttpPort !== undefined) listeners.push(await listenPlain({ ...shared, port: config.plainHttpPort }))
  shutdown.add('gateway', async () => {
    // Readiness is false by now. Give whoever routes to us the time to see it before the listener goes.
    await sleep(config.drainDelayMs)
    draining.abort()
    await Promise.all(listeners.map((listener) => listener.close()))
    await app.close()
    bodies.close()
    streams.close()
    await core.close()
  })
}

const plainHttpMessage =
  'This port speaks HTTPS only. Use https:// in the address. If this request carried a key, replace the key.'

const random = (): number => randomBytes(4).readUInt32BE() / 2 ** 32
