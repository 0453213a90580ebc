import { asClient } from '@ars/testkit/client'
import { type OtlpReceiver, startOtlpReceiver } from '@ars/testkit/otlp-receiver'
import { request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from './app.ts'

let collector: OtlpReceiver
let app: App
beforeAll(async () => {
  collector = await startOtlpReceiver()
  app = await startApp({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } })
})
afterAll(async () => {
  await app.stop()
  await collector.close()
})

test('[S76] an internal error is 500 without internals, and is logged, counted and traced under the request id', async () => {
  await asClient(app.database.ownerUrl, (client) => client.query('revoke select on agents from ars_app'))
  const { status, body, text } = await app.call('GET', '/v2/agents')
  expect([status, body.error.type, body.error.code]).toEqual([500, 'api_error', 'internal_error'])
  expect(text).not.toMatch(/permission denied|select|stack|\.ts/i)

  const { request_id } = body.error
  const logged = app.logLines.find((line) => line.includes('request failed') && line.includes(request_id))
  expect(JSON.parse(logged ?? '{}')).toMatchObject({ level: 'error', operation: 'agents.list' })
  expect(logged).toContain('permission denied')

  const metrics = await (await request(`${app.metricsUrl}/metrics`)).body.text()
  expect(metrics).toMatch(/ars_server_errors_total\{[^}]*operation="agents.list"[^}]*\} 1/)

  const spanOfRequest = () => collector.spans().find(({ attributes }) => attributes['ars.request.id'] === request_id)
  await expect.poll(spanOfRequest).toMatchObject({
    name: 'GET /v2/agents',
    hasFailed: true,
    attributes: { 'ars.operation': 'agents.list', 'http.response.status_code': 500, 'error.type': 'internal_error' },
  })
  await asClient(app.database.ownerUrl, (client) => client.query('grant select on agents to ars_app'))
})

test('the metrics cover the operator’s questions', async () => {
  await app.call('POST', '/v2/runs', { body: { agent_id: app.tenant.agents['test-echo'], input: {} } })
  const metrics = await (await request(`${app.metricsUrl}/metrics`)).body.text()
  for (const name of [
    'ars_requests_total',
    'ars_request_duration_seconds_bucket',
    'ars_runs_active',
    'ars_queue_to_start_seconds_bucket',
    'ars_step_duration_seconds_bucket',
    'ars_outbox_lag_seconds',
    'ars_engine_canary_up',
    'ars_event_loop_delay_p99_seconds',
    'ars_pool_wait_seconds_bucket',
  ]) {
    expect(metrics).toContain(name)
  }
})
