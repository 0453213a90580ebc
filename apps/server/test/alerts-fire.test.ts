import type { Alert, Event } from '@ars/contract'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from './app.ts'
import { type Receiver, startReceiver } from './webhook-receiver.ts'

let app: App
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
  app = await startApp({ env: receiver.env })
})
afterAll(async () => {
  await app.stop()
  await receiver.close()
})

const ok = async (method: string, path: string, body?: object) => {
  const answer = await app.call(method, `/v2${path}`, body && { body })
  expect([200, 201], answer.text).toContain(answer.status)
  return answer.body
}
const delivered = (): Event[] => receiver.calls('/alerts').map(({ body }) => JSON.parse(String(body)))
const typesDelivered = (): string[] => delivered().map(({ type }) => type)
const windowMs = 120_000

test('[S59] failures of real runs fire an alert, which arrives with its metric snapshot, and recovery resolves it', async () => {
  await ok('POST', '/webhooks', { url: receiver.url('/alerts'), events: ['alert.triggered', 'alert.resolved'] })
  const agent_id = app.tenant.agents['test-fail']
  const terms = { metric: 'failure_rate', threshold: 0.2, window_seconds: windowMs / 1_000, min_sample_size: 6 }
  const rule = await ok('POST', '/alert-rules', { name: 'Failures', agent_id, ...terms, severity: 'critical' })
  await Promise.all(Array.from({ length: 6 }, () => ok('POST', '/runs', { agent_id, input: {} })))

  await expect.poll(typesDelivered).toEqual(['alert.triggered'])
  const [event] = delivered()
  const alert = event?.data as Alert
  expect(alert).toMatchObject({
    object: 'alert',
    status: 'firing',
    severity: 'critical',
    rule: { id: rule.id, name: 'Failures', agent_id, ...terms },
    resolved_at: null,
    snapshot: { metric: 'failure_rate', value: 1, threshold: 0.2, sample_size: 6 },
    test: false,
  })
  expect(alert.snapshot.series.filter(({ value }) => value === 1).length).toBeGreaterThan(0)
  expect(alert.snapshot.series.length).toBeLessThanOrEqual(2)
  expect(await ok('GET', `/alerts/${alert.id}`)).toEqual(alert)
  expect(await ok('GET', `/alert-rules/${rule.id}`)).toMatchObject({
    state: 'firing',
    alert_id: alert.id,
    stale: false,
  })
  expect(
    (await ok('GET', `/alerts?status=firing&severity=critical&rule_id=${rule.id}&agent_id=${agent_id}`)).data,
  ).toEqual([alert])
  expect((await ok('GET', '/alerts?status=resolved')).data).toEqual([])

  // The failures leave the window, and it stays clear for five minutes.
  await moveDatabaseClock(app.database.ownerUrl, windowMs)
  const isClear = async () =>
    (await app.query<{ is_clear: boolean }>('select clear_since is not null as is_clear from alert_rules'))[0]?.is_clear
  await expect.poll(isClear).toBe(true)
  await moveDatabaseClock(app.database.ownerUrl, 300_000)
  await expect.poll(typesDelivered).toEqual(['alert.triggered', 'alert.resolved'])
  const resolved = delivered()[1]?.data as Alert
  expect(resolved).toEqual({
    ...alert,
    status: 'resolved',
    resolved_at: expect.any(String),
    resolution: 'recovered',
  })
  expect((await ok('GET', '/alerts?status=resolved')).data).toEqual([resolved])
})

test('a preview finds the failures that happened', async () => {
  const agent_id = app.tenant.agents['test-fail']
  const terms = { metric: 'failure_rate', threshold: 0.2, agent_id, window_seconds: 120, min_sample_size: 5 }
  const preview = await ok('POST', '/alert-rules/preview', terms)
  expect(preview).toMatchObject({ fired: 1, periods: [{ peak: 1 }] })
})

test('a rule that is changed while it fires resolves its alert and starts again', async () => {
  const rule = await ok('POST', '/alert-rules', {
    name: 'No traffic',
    metric: 'runs_per_minute',
    operator: 'below',
    threshold: 1_000,
  })
  const alertOf = async () => (await ok('GET', `/alert-rules/${rule.id}`)).alert_id
  await expect.poll(alertOf).toMatch(/^alt_/)
  const id = await alertOf()
  await ok('PATCH', `/alert-rules/${rule.id}`, { name: 'Too little traffic' })
  expect((await ok('GET', `/alerts/${id}`)).status).toBe('firing')
  const changed = await ok('PATCH', `/alert-rules/${rule.id}`, { enabled: false })
  expect(changed).toMatchObject({ state: 'ok', alert_id: null, enabled: false })
  expect(await ok('GET', `/alerts/${id}`)).toMatchObject({ status: 'resolved', resolution: 'rule_changed' })
})
