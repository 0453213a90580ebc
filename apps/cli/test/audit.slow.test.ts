import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../../server/test/app.ts'
import { type Home, makeHome } from './ars.slow.ts'

let app: App
let ars: Home
beforeAll(async () => {
  app = await startApp({ role: 'gateway' })
  ars = makeHome({ url: app.url, key: app.tenant.key })
})
afterAll(async () => {
  ars?.remove()
  await app?.stop()
})

const act = (name: string) =>
  app.call('POST', '/v2/api-keys', { body: { name, scopes: ['runs:read'], expires_at: '2030-01-01T00:00:00Z' } })

test('a customer verifies the audit log with the API alone, keeps its head, and notices a change by the operator', async () => {
  // Concurrent operations get their numbers in another order than their ids.
  const answers = await Promise.all(Array.from({ length: 120 }, (_, n) => act(`Schlüssel "${n}" \u2028 \\`)))
  // A slow machine may turn some away with 503. More than one page must be left.
  const made = answers.filter(({ status }) => status === 201).length
  expect(made).toBeGreaterThan(100)
  const whole = await ars.run(['audit', 'verify', '--json'])
  expect([whole.code, whole.stderr]).toEqual([0, ''])
  const { entries, head } = whole.json as { entries: number; head: string }
  expect([entries > made, head]).toEqual([true, expect.stringMatching(/^[0-9]+:[0-9a-f]{64}$/)])
  await act('later')
  const since = await ars.run(['audit', 'verify', '--since-head', head])
  expect([since.code, since.stdout]).toEqual([0, expect.stringContaining('2 entries checked')])
  const other = await ars.run(['audit', 'verify', '--since-head', head.replace(/:../, ':00')])
  expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('another hash than the one that you kept')])
  expect((await ars.run(['audit', 'verify', '--since-head', 'x'])).code).toBe(2)

  await app.query(`update audit_log set after = '{"name":"forged"}' where org_id = $1 and number = 7`, [app.tenant.org])
  const forged = await ars.run(['audit', 'verify'])
  expect([forged.code, forged.stderr]).toEqual([1, expect.stringContaining('Entry 7 of the audit log is altered')])
})
