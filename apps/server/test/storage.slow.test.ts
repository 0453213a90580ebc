import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from './app.ts'

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

test('a run that has stored 64 MiB begins no further step and fails with storage_exceeded (limits.runStoredBytes)', async () => {
  const agent = await app.addAgent({ config: { model: 'simulated/script' } })
  const script = [...Array.from({ length: 199 }, () => ({ text: '{{input.big}}', again: true })), { text: 'done' }]
  const { body } = await app.call('POST', '/v2/runs', {
    body: { agent_id: agent, input: { big: 'z'.repeat(900_000), script } },
    headers: { prefer: 'wait=200' },
  })
  expect(body).toMatchObject({ status: 'failed', error: { code: 'storage_exceeded', retryable: false } })
  const [run] = await app.query<{ bytes: string }>('select max(stored_bytes) as bytes from run_results')
  expect(Number(run?.bytes)).toBeGreaterThan(67_108_864)
  expect(Number(run?.bytes)).toBeLessThan(67_108_864 + 2_000_000)
}, 240_000)
