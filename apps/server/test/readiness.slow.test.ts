import { asClient } from '@ars/testkit/client'
import { openLink } from '@ars/testkit/slow/link'
import { request } from 'undici'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { type App, startApp, until } from './app.ts'

let app: App
afterEach(() => app.stop())

test('a stopping gateway is unready before its listener closes, and answers waiting callers with 202', async () => {
  app = await startApp({ env: { ARS_DRAIN_DELAY_MS: '1500' } })
  const second = await app.join('gateway')
  const body = { agent_id: app.tenant.agents['test-slow'], input: { seconds: 8 } }
  const waiting = app.call('POST', '/v2/runs', { body, url: second.url })
  await until('the run to start', async () => {
    const heads = await asClient(app.database.superuserUrl, (client) =>
      client.query(`select from run_heads where status = 'running'`),
    )
    return heads.rowCount === 1
  })
  const stopped = second.stop()
  const unready = await until('readiness to fall', async () => {
    const answer = await app.call('GET', '/readyz', { key: null, url: second.url })
    return answer.status === 503 && answer.text
  })
  expect(unready).toBe('stopping\n')
  const answer = await waiting
  expect([answer.status, answer.body.status]).toEqual([202, 'running'])
  await stopped
  await expect(app.call('GET', '/livez', { key: null, url: second.url })).rejects.toThrow()
})

/** An address of the same database through a proxy that a test can cut. */
const through = async (url: string) => {
  const link = await openLink(url)
  const address = new URL(url)
  address.host = new URL(link.url).host
  onTestFinished(() => link.close())
  return { link, url: address.href }
}

test.for([
  ['gateway', 'auth', 'ARS_DATABASE_AUTH_URL'],
  ['worker', 'steps', 'ARS_DATABASE_URL'],
] as const)(
  'a %s whose pool %s cannot connect is not ready, and says so once in the log and in the metrics',
  async ([role, pool, setting]) => {
    app = await startApp()
    const { link, url } = await through(app.env[setting] ?? '')
    const joined = await app.join(role, { [setting]: url, ARS_DATABASE_ACQUIRE_TIMEOUT_MS: '500' })
    const readiness = async () => (await request(`${joined.metricsUrl}/readyz`)).body.text()
    const metrics = async () => (await request(`${joined.metricsUrl}/metrics`)).body.text()
    const lines = (message: string) =>
      app.logLines.filter((line) => line.includes(message) && line.includes(`"${pool}"`))
    expect(await readiness()).toBe('ok\n')
    link.set('refused')
    await until('readiness to fall', async () => (await readiness()).startsWith('the database pool'))
    await until('the gauge to fall', async () => (await metrics()).includes(`ars_database_up{pool="${pool}"} 0`))
    expect(await metrics()).toMatch(new RegExp(`ars_pool_errors_total\\{pool="${pool}",reason="[a-z_]+"\\} \\d`))
    const refused = lines('database connection refused')
    const causes = refused.map((line) => JSON.parse(line).reason)
    expect(causes.length).toBeGreaterThan(0)
    expect(new Set(causes).size).toBe(causes.length)
    link.set('up')
    await until('readiness to return', async () => (await readiness()) === 'ok\n')
    expect(lines('database connection is back').length).toBeGreaterThan(0)
    expect(await metrics()).toContain(`ars_database_up{pool="${pool}"} 1`)
  },
)

test('a gauge whose source cannot be read has no value', async () => {
  app = await startApp()
  const { link, url } = await through(app.env.ARS_DATABASE_SYSTEM_URL ?? '')
  const joined = await app.join('worker', { ARS_DATABASE_SYSTEM_URL: url, ARS_DATABASE_ACQUIRE_TIMEOUT_MS: '500' })
  const metrics = async () => (await request(`${joined.metricsUrl}/metrics`)).body.text()
  const gauges = ['ars_runs_active{status="queued"}', 'ars_outbox_lag_seconds', 'ars_events_untold']
  const shown = (text: string) => gauges.filter((gauge) => text.includes(`\n${gauge} `))
  expect(shown(await metrics())).toEqual(gauges)
  link.set('refused')
  await until('the gauges to go', async () => shown(await metrics()).length === 0)
  expect(await metrics()).not.toContain('NaN')
  link.set('up')
  await until('the gauges to return', async () => shown(await metrics()).length === gauges.length)
})
