import { asClient } from '@ars/testkit/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from './app.ts'

let app: App
beforeAll(async () => {
  app = await startApp({ role: 'worker' })
})
afterAll(() => app.stop())

test('a worker opens no connection of a pool that only gateways use', async () => {
  const { rows } = await asClient(app.database.superuserUrl, (client) =>
    client.query(`select distinct application_name as name from pg_stat_activity
                   where datname = current_database() and application_name like 'ars-%' and application_name not like 'ars-test%' order by 1`),
  )
  expect(rows.map(({ name }) => name)).toEqual(['ars-deliveries', 'ars-feedReads', 'ars-steps', 'ars-system'])
})

test('a gateway serves runs, streams, events and logins without the role that crosses organisations', async () => {
  const { url, metricsUrl } = await app.join('gateway', {
    ARS_DATABASE_SYSTEM_URL: 'postgres://nobody@127.0.0.1:1/none',
  })
  expect((await fetch(`${metricsUrl}/readyz`)).status).toBe(200)
  const agent_id = app.tenant.agents['test-echo']
  const body = { agent_id, input: { text: 'hello' } }
  expect(await app.call('POST', '/v2/runs', { url, body })).toMatchObject({
    status: 200,
    body: { status: 'completed' },
  })
  const streamed = await app.call('POST', '/v2/runs/stream', { url, body })
  expect([streamed.status, streamed.text]).toEqual([200, expect.stringContaining('run.completed')])
  const events = await app.call('GET', '/v2/events', { url })
  expect([events.status, events.body.data.length > 0]).toEqual([200, true])
  const login = await app.call('POST', '/api/auth/login', {
    url,
    key: null,
    body: { email: 'a@b.test', password: 'x' },
  })
  expect(login.status).toBe(401)
  // A connection as that role leads nowhere from this gateway, so a use of it would be an error.
  expect(app.logLines.filter((line) => line.includes('"role":"gateway"') && line.includes('"level":"error"'))).toEqual(
    [],
  )
})

test('a worker without that role does not start, and says why', async () => {
  await expect(app.join('worker', { ARS_DATABASE_SYSTEM_URL: '' })).rejects.toThrow('ARS_DATABASE_SYSTEM_URL')
})
