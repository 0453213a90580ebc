import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../../server/test/app.ts'
import { type Home, makeHome } from './ars.slow.ts'

let app: App
let ars: Home
beforeAll(async () => {
  app = await startApp()
  ars = makeHome({ url: app.url, key: app.tenant.key })
})
afterAll(async () => {
  ars?.remove()
  await app?.stop()
})

test('usage and analytics are shown as tables, as JSON and as CSV', async () => {
  const body = { agent_id: app.tenant.agents['test-echo'], input: { query: 'hello' } }
  await app.call('POST', '/v2/runs', { body, headers: { prefer: 'wait=30' } })
  await expect.poll(async () => (await ars.run(['usage', '--json'])).json.totals?.runs).toBe(1)
  const usage = await ars.run(['usage'])
  expect([usage.code, usage.stderr]).toEqual([0, ''])
  expect(usage.stdout).toMatch(/calls +1 of 5,000,000, 4,999,999 left until/)
  expect(usage.stdout).toMatch(/AGENT +RUNS +FAILED +COST\ntest-echo +1 +0 +\$0\.00/)
  const analytics = await ars.run(['analytics', '--interval', 'hour', '--group-by', 'agent', '--agent', 'test-echo'])
  expect([analytics.code, analytics.stderr]).toEqual([0, ''])
  expect(analytics.stdout).toMatch(/success +100\.00 % +–/)
  expect(analytics.stdout).toMatch(/GROUP +RUNS +SUCCESS +P95 +COST\ntest-echo +1 +100\.00 %/)
  const csv = await ars.run(['analytics', 'export', '--interval', 'day'])
  expect([csv.code, csv.stdout.split('\n').length]).toEqual([0, 3])
  expect(csv.stdout).toMatch(/^started_at,runs,completed,/)
  expect((await ars.run(['usage', '--month', '1999-01'])).code).not.toBe(0)
})
