import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp, until } from './app.ts'

// More than the engine of earlier releases executed at once, and far fewer than there are slots.
const sleepers = 270

let app: App
beforeAll(async () => {
  app = await startApp({ env: { ARS_DATABASE_POOL_SIZE: '10' } })
})
afterAll(() => app.stop(), 60_000)

test('long runs of one organisation do not hold up another one while slots are free', {
  timeout: 180_000,
}, async () => {
  const heavy = await app.addTenant({ plan: 'business', concurrentRuns: 500 })
  const body = { agent_id: heavy.agents['test-slow'], input: { seconds: 120 } }
  const start = () => app.call('POST', '/v2/runs', { key: heavy.key, body, headers: { prefer: 'respond-async' } })
  const started: string[] = []
  let left = sleepers
  const startAll = async () => {
    while (left-- > 0) started.push((await start()).body.id)
  }
  await Promise.all(Array.from({ length: 8 }, startAll))
  await until('every long run to execute', async () => {
    const [found] = await app.query<{ n: string }>(`select count(*) as n from run_heads where status = 'running'`)
    return Number(found?.n) === sleepers
  })
  const echo = { agent_id: app.tenant.agents['test-echo'], input: { query: 'not held up' } }
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => app.call('POST', '/v2/runs', { body: echo, headers: { prefer: 'wait=60' } })),
  )
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  // A stopping worker would wait for them.
  await Promise.all(started.map((id) => app.call('DELETE', `/v2/runs/${id}`, { key: heavy.key })))
})
