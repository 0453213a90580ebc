import http2 from 'node:http2'
import { contract, EventStream, limits, type StreamSink } from '@ars/contract'
import { systemClock } from '@ars/platform/clock'
import { createIdMaker } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { testCaller } from '@ars/testkit/caller'
import { stackFacts } from '@ars/testkit/stack'
import Fastify from 'fastify'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { serverBounds } from '../src/bounds.ts'
import { createAuthFailureThrottle } from '../src/gateway/admit/auth-failure-throttle.ts'
import { createPreRouting } from '../src/gateway/admit/pre-routing.ts'
import { addOperation, type GatewayDeps, recordRequest } from '../src/gateway/answer/operation-route.ts'
import { refuseError } from '../src/gateway/answer/refusal.ts'
import { createTraffic } from '../src/gateway/answer/traffic.ts'
import { createBodyDeadlines } from '../src/gateway/listen/body-deadline.ts'
import { createClientAddresses } from '../src/gateway/listen/client-address.ts'
import { listen } from '../src/gateway/listen/listener.ts'
import { createWireRefusals } from '../src/gateway/listen/wire-refusal.ts'
import { createStreamRoutes, type StreamRoutesOptions } from '../src/gateway/stream/stream-route.ts'
import type { Metrics } from '../src/metrics.ts'
import { holdHttp1, holdHttp2 } from './event-stream.ts'

/*
 * The transport of a stream alone, with a simulated run: heartbeats in milliseconds, readers that do not read, and both
 * protocols.
 */

const path = '/runs/run_01kf3xw0fqe1vrr9m8sdv2wbx4/stream'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
})

let nextPort = 21_300
const credentials = () => ({ add: () => () => undefined, check: () => Promise.resolve(null) })

const startEdge = async (options: Partial<StreamRoutesOptions> = {}) => {
  const { tls } = stackFacts()
  const port = nextPort++
  const draining = new AbortController()
  const lines: Record<string, unknown>[] = []
  const sinks: StreamSink[] = []
  const stopped: StreamSink[] = []
  const log = createLog({ level: 'info', write: (line) => lines.push(JSON.parse(line)) })
  const metrics = { request: () => undefined, observeBytes: () => undefined } as unknown as Metrics
  const observed = { parts: { log }, metrics }
  const streams = createStreamRoutes({
    draining: draining.signal,
    random: () => 0.5,
    credentials: credentials(),
    onClose: (request, reply) => recordRequest(observed, request, reply),
    ...options,
  })
  const clock = systemClock
  const caller = { ...testCaller('org'), scopes: new Set(['runs:read'] as const) }
  const verdict = {
    allowed: true,
    limit: 1,
    remaining: 1,
    resetSeconds: 0,
    retryAfterSeconds: 0,
    policy: '"requests";q=1;w=1',
  }
  const bodies = createBodyDeadlines({ timeoutMs: 10_000, checkEveryMs: 1_000, clock })
  const { incoming, outgoing } = createTraffic(
    { requestBytesMax: 1e6, responseBytesMax: 1e6, transferGraceMs: 10_000, transferBytesPerSecond: 1 },
    { metrics, clock },
  )
  const deps: GatewayDeps = {
    credentials: credentials(),
    incoming,
    outgoing,
    streams,
    lines: { serve: () => Promise.reject(new Error('no operation has lines')) },
    bodies,
    access: { authenticate: () => Promise.resolve(caller) },
    people: { authenticateSession: () => Promise.resolve(null) },
    limits: { take: () => Promise.resolve(verdict), takeLookup: () => Promise.resolve(verdict) },
    authFailures: createAuthFailureThrottle({ perMinute: 300, clock }),
    resolve: (_operation, _ctx, input) => Promise.resolve({ input }),
    replays: {},
    reportError: (error) => void lines.push({ reported: String(error) }),
    docUrl: 'https://localhost/docs/errors',
    origins: { own: 'https://localhost', listed: new Set() },
    organisationRequestsPerMinute: undefined,
    draining: draining.signal,
  }
  const preRouting = createPreRouting({
    access: { noteExposed: () => Promise.resolve(null) },
    addresses: createClientAddresses([]),
    outgoing,
    docUrl: deps.docUrl,
    log,
  })
  const app = Fastify({ logger: false })
  app.addHook('onRequest', (request, reply, done) => {
    if (preRouting.check(request, reply)) done()
  })
  app.setErrorHandler((error, request, reply) => refuseError(deps, error, request, reply))
  app.addHook('onResponse', async (request, reply) => recordRequest(observed, request, reply))
  const attach = (sink: StreamSink) => {
    sinks.push(sink)
    return () => void stopped.push(sink)
  }
  const handle = () => Promise.resolve(new EventStream({ 'x-run-id': 'run_1' }, attach))
  addOperation(app, deps, { name: 'runs.watch', operation: contract.runs.watch, handle, basePath: '' })
  await app.ready()
  const listener = await listen({
    ...{ host: '127.0.0.1', port, certFile: tls.certFile, keyFile: tls.keyFile },
    handler: app.routing,
    clock,
    log,
    onPlainHttp: () => '',
    wire: createWireRefusals({ newRequestId: () => createIdMaker(clock)('req'), docUrl: deps.docUrl, log, metrics }),
    bounds: {
      connectionLimit: { take: () => true },
      onRefused: () => undefined,
      maxConnections: 100,
      headersTimeoutMs: 10_000,
      requestTimeoutMs: 10_000,
      checkEveryMs: 1_000,
    },
  })
  stops.push(async () => {
    await listener.close()
    await app.close()
    bodies.close()
    streams.close()
  })
  return { url: `https://localhost:${port}`, lines, sinks, stopped, drain: () => draining.abort() }
}

type Edge = Awaited<ReturnType<typeof startEdge>>
const openHttp1 = ({ url }: Edge) => holdHttp1(url, { key: 'x', path })
const openHttp2 = ({ url }: Edge) => holdHttp2(url, { key: 'x', path })

describe.for([
  ['HTTP/1.1', openHttp1],
  ['HTTP/2', openHttp2],
] as const)('a stream over %s', ([, open]) => {
  test('sends its headers before any frame, then frames as they arrive', async () => {
    const edge = await startEdge()
    const client = await open(edge)
    expect(client.status).toBe(200)
    expect(client.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-run-id': 'run_1',
    })
    expect(edge.sinks[0]?.write('id: 1\n\n', 1)).toBe(true)
    await expect.poll(() => client.text()).toBe('retry: 3000\n\nid: 1\n\n')
    edge.sinks[0]?.end()
    await expect.poll(() => edge.lines.length === 1 && client.isOver()).toBeTruthy()
    expect(edge.lines).toMatchObject([{ status: 200, frames: 1, bytes: 20, ended_by: 'ended' }])
    expect(edge.stopped).toEqual(edge.sinks)
  })

  test('sends a comment when it is idle', async () => {
    const edge = await startEdge({ heartbeatMs: 300 })
    const client = await open(edge)
    await expect.poll(() => client.text().endsWith('\n\n:\n\n:\n\n')).toBeTruthy()
    expect(client.text()).toMatch(/^retry: 3000\n\n(:\n\n)+$/)
    client.leave()
  })

  test('is closed when its reader leaves too much buffered data', async () => {
    const edge = await startEdge()
    const client = await open(edge)
    client.pause()
    const frame = `id: 1\ndata: ${'x'.repeat(16_384)}\n\n`
    let written = 0
    const sink = edge.sinks[0]
    const write = async (): Promise<boolean> => {
      for (let n = 0; n < 8; n++) {
        sink?.write(frame, 1)
        written += frame.length
      }
      await new Promise((resolve) => setImmediate(resolve))
      return edge.lines.length > 0
    }
    await expect.poll(write, { interval: 1 }).toBeTruthy()
    expect(edge.lines).toMatchObject([{ ended_by: 'too_slow' }])
    // The buffers of the two kernels come on top.
    expect(written).toBeGreaterThan(limits.streamBufferBytes)
    expect(written).toBeLessThan(limits.streamBufferBytes + 20_000_000)
    expect(edge.stopped).toHaveLength(1)
    client.leave()
  })

  test('sends a frame that is larger than the bound', async () => {
    const edge = await startEdge({ bufferBytes: 1_000 })
    const client = await open(edge)
    const frame = `id: 1\ndata: ${'x'.repeat(3_000_000)}\n\n`
    expect(edge.sinks[0]?.write(frame, 1)).toBe(false)
    const ready = new Promise<void>((resolve) => edge.sinks[0]?.whenReady(resolve))
    await expect.poll(() => client.text().endsWith(frame)).toBeTruthy()
    await ready
    edge.sinks[0]?.write('id: 2\n\n', 1)
    await expect.poll(() => client.text().endsWith('id: 2\n\n')).toBeTruthy()
    expect(edge.lines).toEqual([])
    client.leave()
  })

  test('stops when its client leaves', async () => {
    const edge = await startEdge()
    const client = await open(edge)
    client.leave()
    await expect.poll(() => edge.stopped.length).toBe(1)
    expect(edge.sinks[0]?.write('id: 1\n\n', 1)).toBe(false)
    expect(edge.lines).toMatchObject([{ ended_by: 'left', frames: 0 }])
  })

  test('ends with the reconnection time when the gateway stops, also if it opens at that moment', async () => {
    const edge = await startEdge()
    const client = await open(edge)
    edge.drain()
    await expect.poll(() => client.isOver()).toBe(true)
    expect(client.text()).toBe('retry: 3000\n\nretry: 3000\n\n')
    const late = await open(edge)
    await expect.poll(() => late.isOver()).toBe(true)
    expect(edge.lines).toMatchObject([{ ended_by: 'interrupted' }, { ended_by: 'interrupted' }])
  })
})

test('a key has a limited number of streams; a closed stream makes room (limits.streamsPerKey)', async () => {
  const edge = await startEdge({ streamsPerKey: 2 })
  const clients = [await openHttp1(edge), await openHttp2(edge)]
  const refused = await openHttp1(edge)
  await expect.poll(() => refused.isOver()).toBe(true)
  expect([refused.status, refused.headers['retry-after'], JSON.parse(refused.text()).error]).toMatchObject([
    429,
    '1',
    { code: 'rate_limited', message: expect.stringContaining('reached its limit') },
  ])
  clients[0]?.leave()
  await expect.poll(() => edge.stopped.length).toBe(1)
  const next = await openHttp1(edge)
  expect(next.status).toBe(200)
  for (const client of [...clients, next]) client.leave()
})

test('a connection has the bounds serverBounds.streamWindow, serverBounds.headerPairs, serverBounds.invalidFrames, serverBounds.rejectedStreams and serverBounds.connectionIdle', async () => {
  const made = vi.spyOn(http2, 'createSecureServer')
  onTestFinished(() => void made.mockRestore())
  await startEdge()
  expect(made.mock.calls[0]?.[0]).toMatchObject({
    settings: { initialWindowSize: serverBounds.streamWindow.bytes },
    maxHeaderListPairs: serverBounds.headerPairs.count,
    maxSessionInvalidFrames: serverBounds.invalidFrames.count,
    maxSessionRejectedStreams: serverBounds.rejectedStreams.count,
    http1Options: { keepAliveTimeout: serverBounds.connectionIdle.ms },
  })
})
