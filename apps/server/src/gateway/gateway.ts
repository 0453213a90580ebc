import { setTimeout as sleep } from 'node:timers/promises'
import { apiBasePath, contract, limits, type Operation } from '@ars/contract'
import { createGatewayCore, type GatewayParts } from '@ars/core'
import { randomBytes } from '@ars/platform/crypto'
import { createIdMaker } from '@ars/platform/id'
import type { Shutdown } from '@ars/platform/shutdown'
import Fastify from 'fastify'
import { serverBounds } from '../bounds.ts'
import type { ErrorSink } from '../error-sink.ts'
import type { Instruments } from '../instruments.ts'
import type { Metrics } from '../metrics.ts'
import type { Readiness } from '../readiness.ts'
import { createAuthFailureThrottle } from './admit/auth-failure-throttle.ts'
import { createCredentialWatch } from './admit/credential-watch.ts'
import { addPreflights } from './admit/cross-origin.ts'
import { createPreRouting } from './admit/pre-routing.ts'
import { sendText } from './answer/answer.ts'
import { addBodyParser } from './answer/body.ts'
import { addOperation, type GatewayDeps, recordRequest } from './answer/operation-route.ts'
import { refuseError } from './answer/refusal.ts'
import { securityTxt } from './answer/security-txt.ts'
import { createTraffic } from './answer/traffic.ts'
import { createBodyDeadlines } from './listen/body-deadline.ts'
import { createClientAddresses } from './listen/client-address.ts'
import { createConnectionLimit } from './listen/connection-limit.ts'
import { type Listener, type ListenerBounds, type ListenerOptions, listen, listenPlain } from './listen/listener.ts'
import { createWireRefusals } from './listen/wire-refusal.ts'
import { addDashboard } from './pages/dashboard.ts'
import { addDocsSite, readDocsSite } from './pages/docs-site.ts'
import { addPages } from './pages/pages.ts'
import { dashboardSite, readSite } from './pages/site-files.ts'
import { createLineRoutes } from './stream/line-route.ts'
import { createStreamRoutes } from './stream/stream-route.ts'

// Probes arrive every second and add nothing to the metrics, so they are not logged.
const probes = new Set(['/livez', '/readyz'])
const checkEveryMs = 1_000

/** The gateway: one loop over all operations of the contract. */
export const startGateway = async (options: {
  parts: GatewayParts
  metrics: Metrics
  instruments: Instruments
  readiness: Readiness
  reportError: ErrorSink
  shutdown: Shutdown
}): Promise<void> => {
  const { parts, readiness, shutdown, metrics, instruments } = options
  const { config, clock, log } = parts
  const newId = createIdMaker(clock)
  const newRequestId = () => newId('req')
  const addresses = createClientAddresses(config.trustedProxies)
  const core = createGatewayCore(parts, {
    onEnded: metrics.runEnded,
    onBudgetRefusal: () => metrics.budgetRefused(),
    onRemoteCheck: metrics.guardrailAsked,
    onMailHeld: metrics.mailHeld,
  })
  // A counter that is absent until the first refusal would hide it from `increase()`.
  metrics.budgetRefused(0)
  metrics.observePasswords(core.people.passwordsComputed)
  const draining = new AbortController()
  const credentials = createCredentialWatch({ ...core, clock })
  const streams = createStreamRoutes({
    draining: draining.signal,
    random,
    credentials,
    onClose: (request, reply) => recordRequest(options, request, reply),
  })
  instruments.gauge('ars_streams_open', (observe) => observe(streams.open()))
  instruments.gauge('ars_calls_waiting', (observe) => observe(core.callsWaiting()))
  const bounds: ListenerBounds = {
    maxConnections: config.connectionsMax,
    connectionLimit: createConnectionLimit({ perAddress: config.connectionsPerAddress, addresses }),
    onRefused: metrics.connectionRefused,
    headersTimeoutMs: config.headersTimeoutMs,
    requestTimeoutMs: config.requestTimeoutMs,
    // Tests use short timeouts, which need a short check interval.
    checkEveryMs: Math.min(checkEveryMs, Math.ceil(config.headersTimeoutMs / 4)),
  }
  const bodies = createBodyDeadlines({ timeoutMs: config.requestTimeoutMs, checkEveryMs: bounds.checkEveryMs, clock })
  const traffic = createTraffic(config, { metrics, clock })
  const docUrl = `${config.publicUrl}/docs/errors`
  const deps: GatewayDeps = {
    ...core,
    credentials,
    streams,
    lines: createLineRoutes({
      credentials,
      outgoing: traffic.outgoing,
      rates: traffic.rates,
      onSlow: () => metrics.transferTooSlow('responses'),
      onClose: (request, reply) => recordRequest(options, request, reply),
      log,
    }),
    bodies,
    incoming: traffic.incoming,
    outgoing: traffic.outgoing,
    docUrl,
    draining: draining.signal,
    tracer: parts.tracer,
    reportError: options.reportError,
    authFailures: createAuthFailureThrottle({ perMinute: config.unauthorizedPerMinute, clock }),
    origins: { own: new URL(config.publicUrl).origin, listed: new Set(config.cookieOrigins) },
    organisationRequestsPerMinute: config.organisationRequestsPerMinute,
  }
  const preRouting = createPreRouting({ access: core.access, addresses, outgoing: traffic.outgoing, docUrl, log })

  const app = Fastify({
    logger: false,
    bodyLimit: limits.bodyBytes,
    genReqId: newRequestId,
    routerOptions: { maxParamLength: serverBounds.pathParam.chars, caseSensitive: true },
    exposeHeadRoutes: false,
    return503OnClosing: false,
    // Paths that the router cannot decode, such as an invalid percent encoding. No hook has run for them.
    frameworkErrors: (error, request, reply) => {
      if (preRouting.prepare(request, reply)) refuseError(deps, error, request, reply)
      recordRequest(options, request, reply)
    },
  })
  addBodyParser(app, traffic.incoming)
  app.addHook('onRequest', (request, reply, done) => {
    if (preRouting.check(request, reply)) done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    if (!probes.has(request.url)) recordRequest(options, request, reply)
    done()
  })
  app.setErrorHandler((error, request, reply) => {
    if (request.responseHeaders !== undefined) return refuseError(deps, error, request, reply)
    // Unknown methods: the router rejects them before any hook runs.
    if (preRouting.check(request, reply)) refuseError(deps, error, request, reply)
    recordRequest(options, request, reply)
  })
  app.get('/livez', (request, reply) => sendText(request, reply, { status: 200, type: 'text/plain', body: 'ok\n' }))
  app.get('/readyz', async (request, reply) => {
    const reason = await readiness.check()
    sendText(request, reply, { status: reason === null ? 200 : 503, type: 'text/plain', body: `${reason ?? 'ok'}\n` })
  })
  const docs = readDocsSite(config.docsDir)
  addPages(app, deps, { publicUrl: config.publicUrl, hasDocsSite: docs !== null })
  if (docs) addDocsSite(app, docs, docUrl)
  const dashboardDir = config.dashboardDir ?? dashboardSite.folder
  const dashboard = readSite({ ...dashboardSite, folder: dashboardDir })
  if (dashboard === null) log.info('no dashboard: its folder has no files', { folder: dashboardDir })
  addDashboard(app, dashboard, docUrl)
  const { securityContacts: contacts, securityPolicyUrl: policyUrl, publicUrl } = config
  if (contacts.length > 0)
    app.get('/.well-known/security.txt', (request, reply) => {
      const body = securityTxt({ contacts, policyUrl, publicUrl, now: clock.now() })
      sendText(request, reply, { status: 200, type: 'text/plain; charset=utf-8', body })
    })
  for (const [resource, operations] of Object.entries(contract)) {
    for (const [name, operation] of Object.entries<Operation>(operations)) {
      const handlers = core.handlers[resource as keyof typeof contract] as unknown as Record<string, never>
      const route = { name: `${resource}.${name}`, operation, handle: handlers[name] as never }
      addOperation(app, deps, { ...route, basePath: apiBasePath })
      if (operation.alsoAtRoot) addOperation(app, deps, { ...route, basePath: '' })
    }
  }
  addPreflights(app, deps)
  await app.ready()

  const wire = createWireRefusals({ newRequestId, docUrl, log, metrics })
  const handler: ListenerOptions['handler'] = (request, response) => {
    // While draining, the load balancer opens no new connections here. Existing ones must not be reused either.
    if (readiness.isStopping() && request.httpVersionMajor === 1) response.shouldKeepAlive = false
    app.routing(request, response)
  }
  const shared = { handler, wire, bounds, clock, host: config.httpHost }
  const secure = await listen({
    ...shared,
    port: config.httpPort,
    certFile: config.tlsCertFile,
    keyFile: config.tlsKeyFile,
    log,
    onPlainHttp: (first, address) => {
      const requestId = newRequestId()
      preRouting.noteExposed(/^authorization:[ \t]*([^\r\n]+)/im.exec(first.toString('latin1'))?.[1], {
        address,
        requestId,
      })
      return wire.answer('invalid_request', { message: plainHttpMessage, requestId })
    },
  })
  instruments.gauge('ars_certificate_expiry_timestamp_seconds', (observe) =>
    observe(secure.validTo().getTime() / 1_000),
  )
  const listeners: Listener[] = [secure]
  if (config.plainHttpPort !== undefined) listeners.push(await listenPlain({ ...shared, port: config.plainHttpPort }))
  shutdown.add('gateway', async () => {
    // Readiness is false now. The load balancer gets time to notice before the listener closes.
    await sleep(config.drainDelayMs)
    draining.abort()
    await Promise.all(listeners.map((listener) => listener.close()))
    await app.close()
    bodies.close()
    traffic.close()
    streams.close()
    credentials.close()
    await core.close()
  })
}

const plainHttpMessage =
  'This port requires HTTPS. Use https:// in the URL. If this request contained a key, rotate the key, because it was sent unencrypted.'

const random = (): number => randomBytes(4).readUInt32BE() / 2 ** 32
