import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, sharedApp } from './app.ts'

let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

const get = (path: string, headers: Record<string, string> = {}) => app.call('GET', `/v2${path}`, { headers })
const run = (input: object) =>
  app.call('POST', '/v2/runs', {
    body: { agent_id: app.tenant.agents['test-echo'], input },
    headers: { prefer: 'wait=30' },
  })

test('[S35] usage shows the limits of the plan and the use of the month, exact for calls and soon for figures', async () => {
  for (const query of ['one', 'two', 'three']) expect((await run({ query })).status).toBe(200)
  const first = await get('/usage')
  expect(first.status).toBe(200)
  expect(first.body).toMatchObject({ object: 'usage', calls: { used: 3 } })
  expect(first.body.calls.remaining).toBe(first.body.calls.limit - 3)
  expect(first.body.rate_limit.burst).toBe(Number(first.headers['x-ratelimit-limit']))
  await expect.poll(async () => (await get('/usage')).body.totals.runs).toBe(3)
  const { body } = await get('/usage')
  expect(body.by_agent).toMatchObject([
    { agent_id: app.tenant.agents['test-echo'], figures: { runs: 3, completed: 3 } },
  ])
  expect(body.by_api_key).toMatchObject([{ figures: { runs: 3 } }])
  expect(body.by_day.at(-1)).toMatchObject({ figures: { runs: 3 } })
})

test('[S36] analytics summarise the runs of the organisation, with a series and the period before', async () => {
  await expect.poll(async () => (await get('/analytics')).body.totals.runs).toBe(3)
  const { body } = await get('/analytics?interval=hour&group_by=agent')
  expect(body).toMatchObject({ object: 'analytics', interval: 'hour', totals: { success_rate: 1 }, top_errors: [] })
  expect(body.totals.latency_p50_ms).toBeGreaterThan(0)
  expect(body.series.length).toBeGreaterThan(0)
  expect(body.groups).toMatchObject([{ key: app.tenant.agents['test-echo'], figures: { runs: 3 } }])
  expect(body.previous.totals.runs).toBe(0)
})

test('the export is CSV for a client that asks for nothing else, and JSON for one that does', async () => {
  const csv = await get('/analytics/export?interval=day', { accept: '*/*' })
  expect(csv.status).toBe(200)
  expect(csv.headers['content-type']).toContain('text/csv')
  expect(csv.headers['content-disposition']).toMatch(/^attachment; filename="analytics-[0-9-]+-day\.csv"$/)
  const [header = '', line = '', rest] = csv.text.split('\r\n')
  expect(header).toMatch(/^started_at,runs,completed,/)
  expect(line.split(',')).toHaveLength(header.split(',').length)
  expect(line.split(',')[1]).toBe('3')
  expect(rest).toBe('')
  const json = await get('/analytics/export?interval=day', { accept: 'application/json' })
  expect(json.body).toMatchObject({ object: 'analytics_export', content: csv.text })
  expect((await get('/analytics/export', { accept: 'image/png' })).status).toBe(406)
})

test.each([
  ['/analytics?org_id=org_1', 400],
  ['/analytics?time_zone=../etc', 400],
  ['/analytics?time_zone=Mars/Phobos', 422],
  ['/analytics?from=1970-01-01T00:00:00Z', 422],
  ['/analytics?from=2026-01-01T00:00:00Z&to=2026-12-31T00:00:00Z&interval=minute', 422],
  ['/analytics?interval=second', 400],
  ['/usage?month=1999-01', 400],
  ['/usage?month=2026-13', 400],
  ['/usage?org_id=org_1', 400],
])('B2 69: %s is refused with %i', async (path, status) => {
  expect((await get(path)).status).toBe(status)
})
