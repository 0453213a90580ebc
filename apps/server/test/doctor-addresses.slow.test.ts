import { once } from 'node:events'
import { createServer as createHttp } from 'node:http'
import { createServer as createTcp } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { serverBounds } from '../src/bounds.ts'
import { examine } from '../src/doctor/doctor.ts'
import type { Finding } from '../src/doctor/finding.ts'
import { watchPeerCertificate } from '../src/peer-certificate.ts'
import { type App, sharedApp } from './app.ts'

let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

const rowOf = (findings: readonly Finding[], what: string): Finding | undefined =>
  findings.find((finding) => finding.what === what)

/** Accepts connections and says nothing. */
const listenSilently = async (): Promise<number> => {
  const server = createTcp(() => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
  })
  return (server.address() as { port: number }).port
}

test('doctor opens the public address and verifies its certificate as clients do', async () => {
  const found = rowOf(await examine(app.env), 'public address opens')
  expect(found).toEqual({
    what: 'public address opens',
    found: `${app.env.ARS_PUBLIC_URL} answers with a certificate that clients accept`,
  })
})

test('doctor gives up a public address that does not answer, and metrics that do not', async () => {
  const port = await listenSilently()
  const begunMs = performance.now()
  const findings = await examine({
    ...app.env,
    ARS_PUBLIC_URL: `https://localhost:${port}`,
    ARS_METRICS_HOST: '127.0.0.1',
    ARS_METRICS_PORT: String(port),
  })
  expect(rowOf(findings, 'public address opens')).toMatchObject({
    found: expect.stringContaining(`no answer within ${serverBounds.publicAddressAsked.ms / 1000} s`),
    advice: expect.stringContaining('Check DNS, the firewall'),
  })
  expect(rowOf(findings, 'refused requests')?.found).toContain('unknown')
  expect(performance.now() - begunMs).toBeGreaterThan(serverBounds.metricsAsked.ms)
})

test('doctor says why a gateway refused requests, and sends a test alert', async () => {
  const received: unknown[] = []
  const server = createHttp((request, response) => {
    if (request.url === '/metrics') {
      response.end(
        [
          'ars_requests_refused_total{code="unavailable",reason="shed"} 3',
          'ars_requests_refused_total{code="unavailable",reason="disk_full"} 570',
          'ars_requests_refused_total{code="not_found",reason=""} 8',
          '',
        ].join('\n'),
      )
      return
    }
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      received.push([request.method, request.url, JSON.parse(body)])
      response.end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
  })
  const { port } = server.address() as { port: number }
  const env = { ...app.env, ARS_METRICS_HOST: '127.0.0.1', ARS_METRICS_PORT: String(port) }
  const findings = await examine(env, `http://127.0.0.1:${port}`)
  expect(rowOf(findings, 'refused requests')?.found).toBe('with 503: disk_full 570, shed 3')
  expect(rowOf(findings, 'test alert')?.found).toContain('somebody must get ArsTestAlert')
  expect(received).toEqual([
    ['POST', '/api/v2/alerts', [expect.objectContaining({ labels: { alertname: 'ArsTestAlert', severity: 'page' } })]],
  ])
})

test('the date of a certificate is not waited for if the server says nothing, and is read from one that answers', async () => {
  const silent = await listenSilently()
  const begunMs = performance.now()
  expect(await watchPeerCertificate(`rediss://127.0.0.1:${silent}`)()).toBeNull()
  expect(performance.now() - begunMs).toBeGreaterThan(serverBounds.peerCertificateAsked.ms - 100)
  expect(await watchPeerCertificate('redis://127.0.0.1:1')()).toBeNull()
  const { port } = new URL(app.env.ARS_PUBLIC_URL ?? '')
  const until = await watchPeerCertificate(`rediss://127.0.0.1:${port}`)()
  expect(until?.getTime()).toBeGreaterThan(Date.now())
})
